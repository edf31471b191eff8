import { Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { BlobStore, STORES, USERS } from "../../blobs/BlobStore.ts"
import type { Finding } from "../../domain/system/SystemState.ts"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import { BlobCheck } from "../../jobs/BlobCheck.ts"
import { Reranker } from "../../knowledge/Reranker.ts"
import { Ocr } from "../../readers/ocr/Ocr.ts"
import { ReaderSandbox } from "../../readers/process/ReaderSandbox.ts"
import { describe } from "../../readers/process/Sandbox.ts"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import { ProviderProbes } from "../../models/ProviderProbes.ts"
import { FileStores } from "../../storage/blobs/FileStores.ts"
import { Inspection, type LexemeIndexFacts } from "../../storage/inspection/Inspection.ts"
import { type HeadersState, ToolHeaders } from "../../storage/tools/ToolHeaders.ts"
import { OCR_COMMAND, RERANK_API_KEY, RERANK_MODEL, RERANK_URL, SECRETS_KEY } from "../../system/Variables.ts"
import { count, note, ofQueue, ok, wrong } from "./Findings.ts"
import { modelsInUseCheck } from "./ModelsInUse.ts"

/*
 * Checks of what the server works with: providers, documents, vectors, files, webhooks and secrets.
 */

/** Asks each provider of language models, the models that are in use, that of embeddings, and the reranker. */
export const modelsCheck = Effect.gen(function* () {
  const embeddings = yield* Embeddings
  const { advice, run } = yield* ProviderProbes
  const probed = yield* run
  const embedded = yield* Effect.match(embeddings.embedQuery("Is anybody there?"), {
    onSuccess: (vector) => ok("embeddings", `${embeddings.model} answers, with ${vector.length} dimensions`),
    onFailure: ({ detail }) => wrong("embeddings", `${embeddings.model}: ${detail}`),
  })
  const failed = probed.flatMap(({ failure, provider }) => (failure === undefined ? [] : [provider]))
  const asked = yield* modelsInUseCheck(failed)
  const reranker = yield* Reranker
  const reranked = reranker === undefined ? [] : [Effect.map(reranker.probe, ofReranker)]
  return [
    ...(probed.length + asked.length === 0
      ? [
          note(
            "models",
            `only ${extractiveModel}, which quotes the documents. For a model that writes, ${yield* advice}`,
          ),
        ]
      : []),
    ...probed.map(({ failure, provider }) =>
      failure === undefined ? ok("models", `${provider} answers`) : wrong("models", `${provider}: ${failure}`),
    ),
    ...asked,
    embedded,
    ...(yield* Effect.all(reranked)),
  ]
})

const ofReranker = (failure: string | undefined): Finding =>
  failure === undefined
    ? ok("search", "the reranker answers")
    : wrong(
        "search",
        `the reranker does not serve. ${failure} See ${RERANK_URL}, ${RERANK_MODEL} and ${RERANK_API_KEY}`,
      )

/** Descriptions of the lexeme index of a chatbot whose knowledge exceeds `INDEX_MEMORY`, or soon will. */
const INDEX_STATES: Record<LexemeIndexFacts["state"], string> = {
  ready: "is large; its words are indexed in the database",
  building:
    "is large; its words are being indexed in the database, and until then searches without an index in memory are slow",
  broken:
    "the index of its words is incomplete and will be rebuilt when it is searched; until then its searches are slow",
}

/** Reports the vectors by embedding model, the progress of embedding again, and the indexes of words in the database. */
export const vectorsCheck = Effect.gen(function* () {
  const inspection = yield* Inspection
  const { model } = yield* Embeddings
  const { awaitingVectors, declared, models } = yield* inspection.vectors
  const all = models.reduce((sum, { chunks }) => sum + chunks, 0)
  const done = models.find((one) => one.model === model)?.chunks ?? 0
  const findings = models.map(({ model: made, chunks, documents }) =>
    ok("vectors", `${count(chunks, "chunk")} of ${count(documents, "document")} by ${made}`),
  )
  if (awaitingVectors > 0) {
    const documents = count(awaitingVectors, "new document")
    findings.push(note("vectors", `${documents} can be found by words only until the embedding model answers`))
  }
  if (declared !== null && declared !== model) {
    findings.push(
      note("vectors", `the server that was started last embeds by ${declared}, and these settings by ${model}`),
    )
  }
  if (done !== all) {
    const share = Math.floor((100 * done) / all)
    findings.push(
      note("vectors", `${share} % are by ${model}; the others are found by their words until they are embedded again`),
      ofQueue("vectors", (yield* inspection.queues).reembeddings, "document"),
    )
  }
  for (const { chatbot, state } of yield* inspection.lexemeIndexes) {
    findings.push((state === "ready" ? ok : note)("search", `chatbot ${chatbot}, ${INDEX_STATES[state]}`))
  }
  return findings
})

/** Codes of failures of documents that are the server's fault, not the document's. */
const OUR_FAILURES: ReadonlySet<string> = new Set([
  "ingestion_failed",
  "gave_up",
  "file_damaged",
  "file_missing",
  "unknown",
])

/** Reports the queue of documents, how the processes that read them are confined, what reads scans, and documents that failed. */
export const documentsCheck = Effect.gen(function* () {
  const inspection = yield* Inspection
  const sandbox = yield* (yield* ReaderSandbox).chosen
  const { ingestions, source_queue } = yield* inspection.queues
  const program = yield* (yield* Ocr).program
  return [
    ofQueue("ingestion", ingestions, "document"),
    ofQueue("sources", source_queue, "source"),
    (sandbox.isStrict ? ok : note)("readers", describe(sandbox)),
    ok("readers", program === undefined ? `scans are not read: ${OCR_COMMAND} is off` : `scans are read by ${program}`),
    ...(yield* inspection.failures).map(({ code, documents }) =>
      (OUR_FAILURES.has(code) ? wrong : note)("documents", `${count(documents, "document")} failed: ${code}`),
    ),
  ]
})

/** Tries the store of files: writes one, reads it and deletes it. */
const tryFiles = Effect.gen(function* () {
  const store = yield* BlobStore
  const key = `doctor/${yield* (yield* SecureRandom.SecureRandom).uuidV4()}`
  yield* store.put(key, Stream.succeed(Uint8Array.of(1)))
  yield* Effect.ensuring(store.get(key), Effect.ignore(store.remove(key)))
  return ok("files", "can be written, read and deleted")
}).pipe(
  Effect.catchTags({
    Unavailable: ({ detail }) => Effect.succeed(wrong("files", detail)),
    BlobNotFound: () => Effect.succeed(wrong("files", "A file that was just written is missing")),
    BlobDamaged: () => Effect.succeed(wrong("files", "A file that was just written is damaged")),
  }),
)

/** Looks for the file by which servers recognize the store of their database. */
const recognizeStore = Effect.gen(function* () {
  const row = yield* (yield* FileStores).found
  if (row === undefined || !row.is_marked) return []
  const key = `${STORES}${row.id}`
  const isThere = (yield* (yield* BlobStore).info(key)) !== undefined
  return isThere ? [] : [wrong("files", `this is not the store of the database, which has the file ${key}`)]
})

/** Compares the stored files with the database: documents without their file, and files without an owner. */
const compareFiles = Effect.gen(function* () {
  const { owned, missing, orphans, isShared } = yield* (yield* BlobCheck).compare
  const examples = missing.examples.map(({ name, owner }) => `${JSON.stringify(name)} (${owner})`).join(", ")
  const others = missing.count > missing.examples.length ? " and others" : ""
  const findings = [
    ...(yield* recognizeStore),
    missing.count === 0
      ? ok("files", `there for each of ${count(owned, "document")}`)
      : wrong("files", `missing or cut off for ${missing.count} of ${count(owned, "document")}: ${examples}${others}`),
  ]
  if (orphans.count > 0) {
    const fate = isShared
      ? `they are kept, because another database has used this store, as ${USERS} in it shows`
      : "a server deletes those that are old enough, once a day"
    findings.push(wrong("files", `${count(orphans.count, "file")} without an owner; ${fate}`))
  }
  return findings
}).pipe(
  // The store itself was examined before, which has said why.
  Effect.catchTag("Unavailable", ({ detail }) => Effect.succeed([wrong("files", detail)])),
)

/** Tries the store of files, and compares it with the database. */
export const filesCheck = Effect.gen(function* () {
  const examined = yield* (yield* BlobStore).examine
  const tried = yield* tryFiles
  const compared = yield* compareFiles
  const { overdue, waiting } = yield* (yield* Inspection).garbage
  return [
    ...examined.map(({ state, text }): Finding => ({ state, part: "files", text })),
    tried,
    ...compared,
    ...(waiting === 0
      ? []
      : [ok("files", `${count(waiting, "file")} without an owner; a server deletes those that have none in an hour`)]),
    ...(overdue === 0 ? [] : [wrong("files", `${overdue} should have been deleted an hour ago`)]),
  ]
})

/** Examines the webhooks of all organizations: endpoints that fail or are dead, and what waits to be sent. */
export const webhooksCheck = Effect.gen(function* () {
  const inspection = yield* Inspection
  const { active, dead, failing } = yield* inspection.webhooks
  if (active + dead === 0) return [ok("webhooks", "none")]
  const findings = [ofQueue("webhooks", (yield* inspection.queues).webhook_deliveries, "delivery")]
  if (failing > 0)
    findings.push(note("webhooks", `${count(failing, "endpoint")} of ${active} fail and are tried again`))
  if (dead > 0)
    findings.push(
      note("webhooks", `${count(dead, "webhook")} switched off, because the endpoint is gone or failed for too long`),
    )
  return findings
}).pipe(Effect.withSpan("Doctor.webhooks"))

/** Reports the keys that secrets are encrypted with. */
export const secretsCheck = Effect.gen(function* () {
  const { key, states } = yield* ToolHeaders
  return (yield* states).map((headers) => ofHeaders(headers, key))
})

/** Reports the headers of tools in one state. `first` is the id of the key that encrypts, if one is configured. */
const ofHeaders = ({ key, state, tools }: HeadersState, first: string | undefined): Finding => {
  const which = `headers of ${count(tools, "tool")}`
  switch (state) {
    case "open":
      return note(
        "secrets",
        first === undefined
          ? `${which} are stored in plain text; with ${SECRETS_KEY} they would be encrypted`
          : `${which} are not encrypted; a server encrypts them when it starts`,
      )
    case "sealed":
      return key === first
        ? ok("secrets", `${which} encrypted by key ${key}`)
        : note("secrets", `${which} encrypted by key ${key}; a server that starts encrypts them by ${first}`)
    case "unknown key":
      return wrong("secrets", `${which} cannot be decrypted: key ${key} is not in ${SECRETS_KEY}`)
  }
}
