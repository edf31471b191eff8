import { Duration, Effect, Latch, Layer } from "effect"
import type { ChatbotId, DocumentId, OrganizationId } from "../../src/domain/Ids.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { Blobs } from "../../src/blobs/Blobs.ts"
import { Ingestion, IngestionBounds, type IngestionSettings } from "../../src/jobs/Ingestion.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import {
  BlobControl,
  countingEmbeddings,
  EmbeddingsControl,
  eventually,
  ExtractControl,
  memoryBlobs,
  plainExtract,
  platform,
  quiet,
  scriptedExtract,
  storage,
} from "./Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "./Tenants.ts"

/*
 * Processes that ingest the documents of tests, with stand-ins for the services that may fail.
 */

/** The services that an ingesting process needs. */
export const ingestionNeeds = Layer.mergeAll(Indexer.layer, Blobs.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs, scriptedExtract, countingEmbeddings)),
)

/** Empties the queue, and makes the stand-ins succeed again. */
export const reset = Effect.gen(function* () {
  yield* SystemSql.use((sql) => sql`delete from ingestions`)
  const [extract, embeddings, blobs] = [yield* ExtractControl, yield* EmbeddingsControl, yield* BlobControl]
  extract.extract = plainExtract
  extract.names.length = 0
  embeddings.before = Effect.void
  embeddings.embedded = 0
  blobs.failing.clear()
})

interface IngestingChanges extends Partial<IngestionSettings>, Partial<IngestionBounds> {}

/** Ingests one document at a time by default, within other bounds than a server. */
export const ingestingWith = ({ concurrency = 1, ...changes }: IngestingChanges) =>
  Ingestion.layer({ concurrency }).pipe(
    Layer.provide(
      Layer.succeed(IngestionBounds, {
        ...IngestionBounds.defaultValue(),
        // With retries, `start` would make documents that were given up due at once too.
        retries: 0,
        lease: "5 minutes",
        ...changes,
      }),
    ),
  )

/** Starts a process that ingests until the test ends. */
export const startUnhurried = (changes: IngestingChanges = {}) => Layer.build(ingestingWith(changes))

/** Leaves the queue as processes do that are killed one after the other, each while it ingests this many documents. */
export const die = Effect.fnUntraced(function* (times: number, documents = 1) {
  const ingestions = yield* Ingestions
  for (let death = 0; death < times; death++) {
    for (let taken = 0; taken < documents; taken++) {
      yield* ingestions.claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })
    }
    yield* SystemSql.use((sql) => sql`update ingestions set run_at = now()`)
  }
})

/** Starts a process that ingests until the test ends. It makes delayed jobs due at once. */
export const start = Effect.fnUntraced(function* (changes: IngestingChanges = {}) {
  const services = yield* startUnhurried(changes)
  const sql = yield* SystemSql
  const hurry = sql`update ingestions set run_at = now() where lease_id is null`
  yield* Effect.andThen(
    hurry,
    Effect.provide(
      Ingestion.use(({ nudge }) => nudge),
      services,
    ),
  ).pipe(Effect.delay("10 millis"), Effect.forever, Effect.forkScoped)
})

interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}
export interface Stored extends Tenant {
  readonly id: DocumentId
  readonly blob: string
}

const keep = (text: string, name: string) =>
  Effect.map(BlobControl, ({ blobs }) => {
    const content = contentOf(text, name)
    blobs.set(content.blob_key, Buffer.from(text))
    return content
  })

export const upload = Effect.fnUntraced(function* (text: string, name = "file.txt", tenant?: Tenant) {
  const { organization, chatbot } = tenant ?? (yield* makeTenant)
  const content = yield* keep(text, name)
  const id = yield* newDocumentId
  yield* as(organization)((yield* Documents).add(id, chatbot, content))
  return { organization, chatbot, id, blob: content.blob_key } satisfies Stored
})

export const replace = Effect.fnUntraced(function* ({ organization, chatbot, id }: Stored, text: string) {
  const content = yield* keep(text, "file.txt")
  yield* as(organization)((yield* Documents).replace(chatbot, id, content))
  return content.blob_key
})

export const look = ({ organization, chatbot, id }: Stored) =>
  Documents.use((documents) => as(organization)(documents.get(chatbot, id)))
export const settled = (document: Stored) =>
  eventually(look(document), ({ status }) => status === "ready" || status === "failed")
/** Waits until the only worker has done everything that was queued before. */
export const workerIsFree = Effect.flatMap(upload("after"), settled)

export const storedChunks = (document: Stored) =>
  SystemSql.use(
    (sql) => sql<{ content: string }>`select content from chunks where document_id = ${document.id} order by id`,
  )
/** The contents of the chunks of a document that serve searches. */
export const served = (document: Stored) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ content: string }>`select c.content from chunks c join documents d on d.id = c.document_id
        and d.revision = c.revision where d.id = ${document.id} order by c.ordinal`,
      (rows) => rows.map(({ content }) => content),
    ),
  )

/** Makes reading wait at a gate until the test opens it. */
export const gated = Effect.gen(function* () {
  const extract = yield* ExtractControl
  const gate = yield* Latch.make(false)
  const reached = yield* Latch.make(false)
  extract.extract = (source) => Effect.andThen(reached.open, Effect.andThen(gate.await, plainExtract(source)))
  return { open: gate.open, reached: reached.await }
})
