import { Context, Effect, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { ProviderProbes } from "../models/ProviderProbes.ts"
import { BlobStore } from "../blobs/BlobStore.ts"
import type { Finding } from "../domain/console/SystemState.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { BlobCheck, USERS } from "../jobs/BlobCheck.ts"
import { isStrict, ReaderSandbox } from "../knowledge/process/ReaderSandbox.ts"
import { describe, type Sandbox } from "../knowledge/process/Sandbox.ts"
import { type HeadersState, ToolHeaders } from "../storage/ToolHeaders.ts"
import { SECRETS_KEY } from "../system/Variables.ts"
import { type DatabaseFacts, Inspection } from "../storage/Inspection.ts"
import { ServerList } from "../storage/console/ServerList.ts"
import { serversCheck } from "./doctor/Servers.ts"
import type { QueueState } from "../storage/sql/LeaseQueue.ts"

/** Seconds after which a document that is due, and that no server has taken, is a fault. */
const OVERDUE_SECONDS = 600
/** Codes of failures of documents that are the server's fault, not the document's. */
const OUR_FAILURES: ReadonlySet<string> = new Set(["ingestion_failed", "gave_up", "file_missing", "unknown"])

/** Examines everything that a server needs, and reports what is wrong. */
export class Doctor extends Context.Service<
  Doctor,
  { readonly examine: Effect.Effect<ReadonlyArray<Finding>, Unavailable> }
>()("parley/services/Doctor") {
  static readonly layer = Layer.effect(
    Doctor,
    Effect.gen(function* () {
      const inspection = yield* Inspection
      const embeddings = yield* Embeddings
      const blobs = yield* BlobStore
      const check = yield* BlobCheck
      const random = yield* SecureRandom.SecureRandom
      const toolHeaders = yield* ToolHeaders
      const probes = yield* ProviderProbes
      const readers = yield* ReaderSandbox
      const servers = yield* ServerList

      const checkEmbeddings = Effect.match(embeddings.embedQuery("Is anybody there?"), {
        onSuccess: (vector) => ok("embeddings", `${embeddings.model} answers, with ${vector.length} dimensions`),
        onFailure: ({ detail }) => wrong("embeddings", `${embeddings.model}: ${detail}`),
      })

      /** Writes a file, reads it and deletes it. */
      const tryFiles = Effect.gen(function* () {
        const key = `doctor/${yield* random.uuidV4()}`
        yield* blobs.put(key, Stream.succeed(Uint8Array.of(1)))
        yield* Effect.ensuring(blobs.get(key), Effect.ignore(blobs.remove(key)))
        return ok("files", "can be written, read and deleted")
      }).pipe(
        Effect.catchTags({
          Unavailable: ({ detail }) => Effect.succeed(wrong("files", detail)),
          BlobNotFound: () => Effect.succeed(wrong("files", "A file that was just written is missing")),
        }),
      )

      /** Compares the stored files with the database: documents without their file, and files without an owner. */
      const compareFiles = Effect.map(check.compare, ({ owned, missing, orphans, isShared }) => [
        missing.count === 0
          ? ok("files", `there for each of ${count(owned, "document")}`)
          : wrong(
              "files",
              `missing for ${missing.count} of ${count(owned, "document")}: ${missing.examples
                .map(({ name, owner }) => `${JSON.stringify(name)} (${owner})`)
                .join(", ")}${missing.count > missing.examples.length ? " and others" : ""}`,
            ),
        ...(orphans.count === 0
          ? []
          : [
              wrong(
                "files",
                isShared
                  ? `${count(orphans.count, "file")} without an owner; they are kept, because another database has used this store, as ${USERS} in it shows`
                  : `${count(orphans.count, "file")} without an owner; a server deletes those that are old enough, once a day`,
              ),
            ]),
      ])

      const examine = Effect.gen(function* () {
        const facts = yield* inspection.facts
        return [
          ok(
            "database",
            `PostgreSQL ${facts.postgres}, pgvector ${facts.pgvector}, ${count(facts.migrations.length, "migration")} up to ${facts.migrations.at(-1)}`,
          ),
          ...ofLimits(facts),
          ...(yield* Effect.provideService(serversCheck, ServerList, servers)),
          ...(yield* probes.run).map(({ failure, provider }) =>
            failure === undefined ? ok("models", `${provider} answers`) : wrong("models", `${provider}: ${failure}`),
          ),
          yield* checkEmbeddings,
          ...ofVectors(facts, embeddings.model),
          ...facts.lexemeIndexes.map(({ chatbot, state }) =>
            (state === "ready" ? ok : note)("search", `chatbot ${chatbot}, ${INDEX_STATES[state]}`),
          ),
          ofQueue("ingestion", facts.ingestions),
          ofReaders(yield* readers.chosen),
          ...facts.failures.map(({ code, documents }) =>
            (OUR_FAILURES.has(code) ? wrong : note)("documents", `${count(documents, "document")} failed: ${code}`),
          ),
          yield* tryFiles,
          ...(yield* compareFiles),
          ...(facts.garbageOverdue === 0
            ? []
            : [wrong("files", `${facts.garbageOverdue} should have been deleted an hour ago`)]),
          ...(yield* toolHeaders.examine).map((headers) => ofHeaders(headers, toolHeaders.key)),
        ]
      })

      return { examine: Effect.withSpan(examine, "Doctor.examine") }
    }),
  )
}

/** Reports the time limits that a Postgres server keeps; the embedded database has none. */
const ofLimits = ({ limits }: DatabaseFacts): ReadonlyArray<Finding> =>
  limits.statement === 0
    ? []
    : [
        ok(
          "database",
          `cancels a statement after ${limits.statement / 1_000} s, and ends a transaction that idles for ${limits.idleTransaction / 1_000} s`,
        ),
      ]

/** Reports what the system takes from the processes that read documents. */
const ofReaders = (sandbox: Sandbox): Finding => (isStrict(sandbox) ? ok : note)("readers", describe(sandbox))

/** Describes the lexeme index of a chatbot whose knowledge exceeds `INDEX_MEMORY`, or soon will. */
const INDEX_STATES: Record<DatabaseFacts["lexemeIndexes"][number]["state"], string> = {
  ready: "is large; its words are indexed in the database",
  building:
    "is large; its words are being indexed in the database, and until then searches without an index in memory are slow",
  broken:
    "the index of its words is incomplete and will be rebuilt when it is searched; until then its searches are slow",
}

/** Reports the vectors by embedding model, and the progress of embedding again. */
const ofVectors = (
  { awaitingVectors, declared, models, reembeddings }: DatabaseFacts,
  model: string,
): ReadonlyArray<Finding> => {
  const all = models.reduce((sum, { chunks }) => sum + chunks, 0)
  const done = models.find((one) => one.model === model)?.chunks ?? 0
  const lines = models.map(({ model: made, chunks, documents }) =>
    ok("vectors", `${count(chunks, "chunk")} of ${count(documents, "document")} by ${made}`),
  )
  if (awaitingVectors > 0) {
    lines.push(
      note("vectors", `${count(awaitingVectors, "new document")} cannot be found until the embedding model answers`),
    )
  }
  if (declared !== null && declared !== model) {
    lines.push(
      note("vectors", `the server that was started last embeds by ${declared}, and these settings by ${model}`),
    )
  }
  if (done === all) return lines
  const share = Math.floor((100 * done) / all)
  return [
    ...lines,
    note("vectors", `${share} % are by ${model}; the others are found by their words until they are embedded again`),
    ofQueue("vectors", reembeddings),
  ]
}

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
    case "changed":
      return wrong("secrets", `${which} cannot be decrypted: they differ from what key ${key} encrypted`)
  }
}

const ofQueue = (part: Finding["part"], { waiting, underWay, delayed, overdue_seconds }: QueueState): Finding => {
  const text = `${count(waiting, "document")} waiting, ${underWay} under way, ${delayed} to be tried later`
  return (overdue_seconds ?? 0) > OVERDUE_SECONDS && underWay === 0
    ? wrong(part, `${text}; no server has taken the first for ${Math.floor((overdue_seconds ?? 0) / 60)} minutes`)
    : ok(part, text)
}

const ok = (part: Finding["part"], text: string): Finding => ({ state: "ok", part, text })
const note = (part: Finding["part"], text: string): Finding => ({ state: "note", part, text })
const wrong = (part: Finding["part"], text: string): Finding => ({ state: "wrong", part, text })

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`
