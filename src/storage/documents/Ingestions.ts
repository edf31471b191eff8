import { type Duration, Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Document, DocumentError } from "../../domain/knowledge/Document.ts"
import { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { knowledgeChanged } from "../chatbots/KnowledgeVersion.ts"
import { queueTests } from "../evaluation/TestTriggers.ts"
import { SystemSql } from "../sql/Database.ts"
import { contentTaken } from "./Documents.ts"
import { Job, type Lease, makeLeaseQueue, type QueueTable } from "../sql/LeaseQueue.ts"
import { decodeRow, decodeRows } from "../Rows.ts"
import { NO_MODEL } from "./ChunkVectors.ts"
import { onUniqueViolation, retryConflicts, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, json } from "../sql/SqlValues.ts"

/** An attempt to make the next revision of a document. */
export const Ingestion = Schema.Struct({
  ...Job.fields,
  chatbot_id: ChatbotId,
  document_id: DocumentId,
  /** The number of the revision, which no other attempt has. */
  revision: Schema.Finite,
  name: Schema.String,
  content_type: Schema.String,
  blob_key: Schema.String,
  /** The number of chunks of the revision that serves searches, which this one replaces. */
  chunk_count: Schema.Finite,
})
export type Ingestion = typeof Ingestion.Type

/** Identity of an attempt, whose writes count only while the job has this lease. */
type Attempt = Pick<Ingestion, "document_id" | "lease_id">

export const ingestionTable = {
  table: "ingestions",
  key: "document_id",
  clock: "ingestion_clock",
  parent: { table: "documents", lock: "update" },
} as const satisfies QueueTable<string>

const decodeJob = decodeRow(Ingestion)
/** The number of documents, and of characters of each, that show the languages of a chatbot. */
const BEGINNINGS = 20
const BEGINNING_LENGTH = 1_000

const decodeBeginnings = decodeRows(Schema.Struct({ text: Schema.String }))
const decodePublished = decodeRows(Schema.Struct({ published: Schema.Boolean }))

/** The queue of documents to ingest, see `LeaseQueue`. */
export class Ingestions extends Service<Ingestions>()("parley/storage/documents/Ingestions", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const queue = yield* makeLeaseQueue(ingestionTable)

  const progress = Effect.fnUntraced(function* (
    attempt: Attempt,
    state: {
      readonly status: "embedding" | "extracting"
      readonly progress: number
      readonly error: DocumentError | null
      readonly lease: Duration.Duration
    },
  ) {
    const organization = yield* CurrentOrganization
    const rows = yield* sql`
      with renewed as (${queue.renewal(attempt, organization, state.lease)})
      update documents set status = ${state.status}, progress = ${state.progress},
        error = ${state.error === null ? null : json(state.error)}, updated_at = clock_timestamp()
      from ${asynchronousCommit(sql)}
      where id = (select document_id from renewed) and organization_id = ${organization} returning id`
    return rows.length > 0
  }, withoutSqlErrors)

  // A failed document keeps its file, so that a user can retry it.
  const fail = Effect.fnUntraced(function* (attempt: Attempt, error: DocumentError, delay?: Duration.Duration) {
    const organization = yield* CurrentOrganization
    const write = Effect.gen(function* () {
      yield* queue.end(attempt, delay)
      yield* sql`update documents set error = ${json(error)}, updated_at = clock_timestamp(),
        status = case when revision = 0 then 'failed' else 'ready' end,
        progress = case when revision = 0 then progress else 1 end
        where id = ${attempt.document_id} and organization_id = ${organization}`
      // This includes the chunks of earlier attempts whose process was killed.
      yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
        and c.organization_id = ${organization} and d.id = c.document_id and c.revision <> d.revision`
    })
    yield* queue.underLease(attempt, write)
  }, withoutSqlErrors)

  return {
    ...Struct.pick(queue, ["release", "releaseAll"]),

    /**
     * Claims an ingestion that is waiting, or whose lease has expired. Organizations take turns, and within one the
     * oldest ingestion comes first. The document's status becomes `extracting`.
     */
    claim: (lease: Lease) =>
      withoutSqlErrors(
        decodeJob(system`
        with claimed as (
          ${queue.claim(lease, { join: sql`join documents d on d.id = q.document_id` })}
        ), revised as (
          update documents d set last_revision = last_revision + 1, status = 'extracting', progress = 0,
            updated_at = clock_timestamp()
          from claimed c where d.id = c.document_id
          returning d.id, d.last_revision as revision, d.chunk_count
        )
        select c.*, r.revision, r.chunk_count
        from claimed c join revised r on r.id = c.document_id, ${asynchronousCommit(system)}`),
      ),

    untilDue: queue.untilDue(),

    /** Returns the beginnings of the newest documents of a chatbot that serve. */
    beginnings: Effect.fnUntraced(function* (chatbotId: ChatbotId) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeBeginnings(sql`
        select left(c.content, ${BEGINNING_LENGTH}) as text
        from (
          select id, revision from documents
          where chatbot_id = ${chatbotId} and organization_id = ${organization} and revision > 0
          order by created_at desc, id desc limit ${BEGINNINGS}
        ) as d join chunks c on c.document_id = d.id and c.revision = d.revision and c.ordinal = 1
        where c.organization_id = ${organization} and c.chatbot_id = ${chatbotId}`)
      return rows.map(({ text }) => text)
    }, withoutSqlErrors),

    /** Stores the document's progress and renews the lease. Returns false when the lease is lost. */
    progress,

    /**
     * Lets searches find a new document by its words, before its chunks have vectors. The attempt goes on. A document
     * that serves already keeps doing so with the revision that it has.
     */
    serveWords: Effect.fnUntraced(function* (attempt: Ingestion, chunkCount: number) {
      const organization = yield* CurrentOrganization
      const write = sql`
        with served as (
          update documents set revision = ${attempt.revision}, chunk_count = ${chunkCount},
            embedding_model = ${NO_MODEL}, status = 'embedding', error = null
          where id = ${attempt.document_id} and organization_id = ${organization} and revision = 0
          returning chatbot_id
        ), ${knowledgeChanged(sql, sql`id = (select chatbot_id from served) and organization_id = ${organization}`)}
        select`
      yield* queue.underLease(attempt, Effect.asVoid(write))
    }, withoutSqlErrors),

    /**
     * Makes the attempt's revision the one that serves searches, and deletes the one before, in one transaction.
     * Returns false, having changed nothing, when the lease is lost. When another document has got the same content
     * meanwhile, the document fails as by `fail`.
     */
    publish: Effect.fnUntraced(
      function* (attempt: Ingestion, chunkCount: number, omissions: Document["omissions"] = []) {
        const organization = yield* CurrentOrganization
        // The function moves the version of the knowledge as well.
        const changed = sql`select id, organization_id from chatbots
          where id = ${attempt.chatbot_id} and organization_id = ${organization} and (select published from revision)`
        const [row] = yield* decodePublished(sql`
          with revision as (
            select publish_revision(${attempt.document_id}, ${organization}, ${attempt.lease_id}, ${attempt.revision},
              ${chunkCount}, ${json(omissions)}) is not null as published
          ), queued as (${queueTests(sql, changed)})
          select published from revision`)
        return row?.published ?? false
      },
      retryConflicts,
      onUniqueViolation("documents_content", contentTaken),
      // The same bytes were uploaded as a document of their own while this replacement waited.
      (published, attempt) =>
        Effect.catchTag(published, "Conflict", ({ detail }) =>
          Effect.as(fail(attempt, { code: "duplicate_content", message: detail }), true),
        ),
      withoutSqlErrors,
    ),

    /**
     * Gives up. A document without a serving revision fails; another one keeps serving its old content, with the error
     * of the new one. With `delay`, the ingestion is tried again after it, as if for the first time.
     */
    fail,

    /** Deletes the chunks that an attempt may have stored after it lost its lease. */
    abandon: Effect.fnUntraced(function* (attempt: Ingestion) {
      yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
        and c.organization_id = ${yield* CurrentOrganization} and c.revision = ${attempt.revision}
        and d.id = c.document_id and d.revision <> c.revision`
    }, withoutSqlErrors),
  }
}) {}
