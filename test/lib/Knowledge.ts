import { Context, Duration, Effect, Layer } from "effect"
import type { ChatbotId, DocumentId, OrganizationId } from "../../src/domain/Ids.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import { as, contentOf, newDocumentId } from "./Tenants.ts"

/*
 * Makes and searches knowledge bases for tests, with the code of the server.
 */

/** How often each method of `Chunks` was called. */
export class ChunksCalls extends Context.Service<ChunksCalls, Map<keyof Chunks["Service"], number>>()(
  "test/ChunksCalls",
) {}

/** The real repository, with its calls counted in `ChunksCalls`. */
export const countedChunks = Layer.effectContext(
  Effect.gen(function* () {
    const chunks = yield* Chunks
    const calls = new Map<keyof Chunks["Service"], number>()
    const counted = <A extends ReadonlyArray<unknown>, B>(name: keyof Chunks["Service"], method: (...args: A) => B) => {
      calls.set(name, 0)
      return (...args: A): B => {
        calls.set(name, (calls.get(name) ?? 0) + 1)
        return method(...args)
      }
    }
    const spied = Chunks.of({
      insert: counted("insert", chunks.insert),
      replaceVectors: chunks.replaceVectors,
      probe: counted("probe", chunks.probe),
      dimensions: chunks.dimensions,
      serving: counted("serving", chunks.serving),
      lexemes: counted("lexemes", chunks.lexemes),
      languages: counted("languages", chunks.languages),
      sample: counted("sample", chunks.sample),
      matching: counted("matching", chunks.matching),
      fetch: counted("fetch", chunks.fetch),
      cosines: counted("cosines", chunks.cosines),
    })
    return Context.make(Chunks, spied).pipe(Context.add(ChunksCalls, calls))
  }),
)

export interface SearchSettings {
  /** The memory in bytes that all indexes may take together. */
  readonly indexBytes: number
  readonly chunksWithinSearch?: number
  readonly longestWait?: Duration.Duration
  readonly threshold: number | undefined
}

/** A retriever with indexes of its own. */
export const search = ({ indexBytes, threshold, ...settings }: SearchSettings) =>
  Layer.fresh(Retriever.layer({ threshold })).pipe(
    Layer.provideMerge(Layer.fresh(KnowledgeIndexes.layer({ bytes: indexBytes, ...settings }))),
  )

/** The indexer with local embeddings. */
export const indexing = Indexer.layer.pipe(Layer.provideMerge(Embeddings.layerLocal))

export interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

export interface Passage {
  readonly text: string
  readonly headings?: ReadonlyArray<string>
}

const claim = Effect.gen(function* () {
  const attempt = yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })
  return attempt ?? (yield* Effect.die("no document waits to be ingested"))
})

/** Ingests the first document that waits: stores its chunks, and publishes them if `isPublished`. */
const ingest = Effect.fnUntraced(function* (title: string, passages: ReadonlyArray<Passage>, isPublished: boolean) {
  const attempt = yield* claim
  const chunks = passages.map(({ text, headings }, index) => ({
    ordinal: index + 1,
    headings: headings ?? [],
    text,
    page: index + 1,
  }))
  yield* as(attempt.organization_id)(
    (yield* Indexer).index(
      { chatbotId: attempt.chatbot_id, documentId: attempt.document_id, revision: attempt.revision, title, chunks },
      { onProgress: () => undefined },
    ),
  )
  if (isPublished) yield* as(attempt.organization_id)((yield* Ingestions).publish(attempt, chunks.length))
  return attempt.document_id
})

/** Adds a document with these passages to the tenant's chatbot, and returns its id. */
export const learn = Effect.fnUntraced(function* (
  tenant: Tenant,
  title: string,
  passages: ReadonlyArray<Passage>,
  isPublished = true,
) {
  const id = yield* newDocumentId
  yield* as(tenant.organization)((yield* Documents).add(id, tenant.chatbot, contentOf(crypto.randomUUID())))
  return yield* ingest(title, passages, isPublished)
})

/** Replaces the content of a document by these passages. */
export const relearn = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: DocumentId,
  title: string,
  passages: ReadonlyArray<Passage>,
) {
  yield* as(tenant.organization)((yield* Documents).replace(tenant.chatbot, id, contentOf(crypto.randomUUID())))
  return yield* ingest(title, passages, true)
})

/** Deletes a document. */
export const forget = Effect.fnUntraced(function* (tenant: Tenant, id: DocumentId) {
  yield* as(tenant.organization)((yield* Documents).remove(tenant.chatbot, id))
})
