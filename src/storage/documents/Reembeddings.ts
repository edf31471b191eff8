import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { ChunkId } from "../../domain/knowledge/Chunk.ts"
import { DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { knowledgeChanged } from "../chatbots/KnowledgeVersion.ts"
import { SystemSql, VectorTypes } from "../sql/Database.ts"
import { Job, type Lease, makeLeaseQueue, type QueueTable } from "../sql/LeaseQueue.ts"
import { decodeRow, decodeRows } from "../Rows.ts"
import { type EmbeddedChunk, makeReplaceVectors } from "./ChunkVectors.ts"
import { onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"

/** A document whose chunks are being embedded again, under a lease. */
export const Reembedding = Schema.Struct({
  ...Job.fields,
  document_id: DocumentId,
})
export type Reembedding = typeof Reembedding.Type

/** Identity of an attempt, whose writes count only while the job has this lease. */
type Attempt = Pick<Reembedding, "document_id" | "lease_id">

/** A chunk whose embedding another model made, with the texts that an embedding is made from. */
export const OutdatedChunk = Schema.Struct({
  id: ChunkId,
  title: Schema.String,
  headings: Schema.Array(Schema.String),
  content: Schema.String,
})
export type OutdatedChunk = typeof OutdatedChunk.Type

export const reembeddingTable = {
  table: "reembeddings",
  key: "document_id",
  parent: { table: "documents", lock: "key share" },
} as const satisfies QueueTable<string>

const decodeJob = decodeRow(Reembedding)
const decodeChunks = decodeRows(OutdatedChunk)

/**
 * The queue of documents whose chunks were embedded by another model than the server's, see `LeaseQueue`. Searches go
 * on meanwhile: each compares the embeddings of its own model and no others.
 */
export class Reembeddings extends Service<Reembeddings>()("parley/storage/documents/Reembeddings", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const queue = yield* makeLeaseQueue(reembeddingTable)
  const replaceVectors = makeReplaceVectors(sql, yield* VectorTypes)
  const isInUse = (model: string) => sql`exists (select from embedding_setting where model = ${model})`

  return {
    ...Struct.pick(queue, ["release", "releaseAll", "renew"]),

    /**
     * Declares the model that all embeddings of the database are to be made by. Servers with another model then neither
     * enqueue nor claim anything.
     */
    declare: Effect.fnUntraced(function* (model: string) {
      yield* system`insert into embedding_setting (model) values (${model})
        on conflict (is_only) do update set model = excluded.model, changed_at = excluded.changed_at
        where embedding_setting.model <> excluded.model`
    }, withoutSqlErrors),

    /**
     * Enqueues the documents that another model embedded and that are not queued yet, but for those that are being
     * ingested. Returns their number.
     */
    enqueue: Effect.fnUntraced(
      function* (model: string) {
        // An index finds rows by `<` and by `>`, but not by `<>`.
        const rows = yield* system`
          insert into reembeddings (document_id, organization_id, turn)
          select id, organization_id, row_number() over (partition by organization_id order by id) from documents d
          where revision > 0 and (embedding_model < ${model} or embedding_model > ${model}) and ${isInUse(model)}
            and not exists (select from ingestions i where i.document_id = d.id)
          on conflict (document_id) do nothing returning document_id`
        return rows.length
      },
      // A document was deleted at the same moment, which undid the statement. The next call enqueues the others.
      onForeignKeyViolation(() => "deleted" as const),
      Effect.catchIf(
        (error) => error === "deleted",
        () => Effect.succeed(0),
      ),
      withoutSqlErrors,
    ),

    /** Claims a document that is waiting, or whose lease has expired, if the model is the declared one. */
    claim: (model: string, lease: Lease) =>
      withoutSqlErrors(decodeJob(system`${queue.claim(lease, { and: isInUse(model) })}`)),

    /** Returns some of the document's serving chunks that another model embedded. */
    outdated: Effect.fnUntraced(function* (attempt: Attempt, model: string, limit: number) {
      return yield* decodeChunks(sql`
        select c.id, c.title, c.headings, c.content
        from chunks c join documents d on d.id = c.document_id and d.revision = c.revision
        where c.document_id = ${attempt.document_id} and c.organization_id = ${yield* CurrentOrganization}
          and c.embedding_model <> ${model} order by c.ordinal limit ${limit}`)
    }, withoutSqlErrors),

    /** Stores embeddings, all of one dimension. Returns false, having stored nothing, when the lease is lost. */
    store: Effect.fnUntraced(function* (attempt: Attempt, model: string, embedded: ReadonlyArray<EmbeddedChunk>) {
      return yield* queue.underLease(attempt, replaceVectors(attempt.document_id, model, embedded))
    }, withoutSqlErrors),

    /** Ends the job of a document that has no more outdated chunks. Returns false when the lease is lost. */
    finish: Effect.fnUntraced(function* (attempt: Attempt, model: string) {
      const organization = yield* CurrentOrganization
      const write = Effect.gen(function* () {
        // The new version makes every server rebuild what its indexes hold of the document.
        yield* sql`
          with finished as (
            update documents d set embedding_model = ${model}
            where id = ${attempt.document_id} and organization_id = ${organization} and not exists (
              select from chunks c where c.document_id = d.id and c.revision = d.revision
                and c.embedding_model <> ${model})
            returning chatbot_id
          ), ${knowledgeChanged(sql, sql`id = (select chatbot_id from finished) and organization_id = ${organization}`)}
          select`
        yield* queue.end(attempt)
      })
      return yield* queue.underLease(attempt, write)
    }, withoutSqlErrors),
  }
}) {}
