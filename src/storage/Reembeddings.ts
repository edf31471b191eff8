import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChunkId } from "../domain/Chunk.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { DocumentId, OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { SystemSql, VectorTypes } from "./sql/Database.ts"
import { onForeignKeyViolation, transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { interval, vectors } from "./sql/SqlValues.ts"

/** A document whose chunks are being embedded again, under a lease. */
export interface Reembedding {
  readonly organization_id: OrganizationId
  readonly document_id: DocumentId
  readonly lease_id: string
}

/** What a chunk's embedding is made from. */
export interface OutdatedChunk {
  readonly id: ChunkId
  readonly title: string
  readonly headings: ReadonlyArray<string>
  readonly content: string
}

export interface EmbeddedChunk {
  readonly id: ChunkId
  readonly embedding: Float32Array
  /** As in `NewChunk`. */
  readonly sketch: Uint8Array | null
}

/**
 * The queue of documents whose chunks were embedded by another model than the server's, shared by every process. Each
 * chunk is compared by the model it has at the moment, so that a search can go on meanwhile.
 */
export class Reembeddings extends Context.Service<
  Reembeddings,
  {
    /** From now on the database's embeddings are to be by this model; who has another one queues and claims nothing. */
    readonly declare: (model: string) => Effect.Effect<void, Unavailable>
    /** Ends every lease, where no other process can hold one. */
    readonly releaseAll: Effect.Effect<void, Unavailable>
    /** Queues what is not there yet, and tells how many documents that were. */
    readonly enqueue: (model: string) => Effect.Effect<number, Unavailable>
    /** Organizations take turns. */
    readonly claim: (
      model: string,
      lease: { readonly id: string; readonly duration: Duration.Duration },
    ) => Effect.Effect<Reembedding | undefined, Unavailable>
    /** Some of the document's serving chunks that are by another model. */
    readonly outdated: (
      job: Reembedding,
      model: string,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<OutdatedChunk>, Unavailable, CurrentOrganization>
    /** All of one dimension. False when the lease is lost: nothing is stored. */
    readonly store: (
      job: Reembedding,
      model: string,
      embedded: ReadonlyArray<EmbeddedChunk>,
    ) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
    /** Shows that somebody is at work. False when the lease is lost. */
    readonly renew: (
      job: Reembedding,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
    /** Nothing is outdated any more. */
    readonly finish: (job: Reembedding, model: string) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Gives it back, to be gone on with after a while. */
    readonly release: (
      job: Reembedding,
      delay: Duration.Duration,
    ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  }
>()("parley/storage/Reembeddings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const system = yield* SystemSql
      const types = yield* VectorTypes
      const later = (wait: Duration.Duration) => sql`now() + ${interval(wait)}`
      const isInUse = (model: string) => sql`exists (select from embedding_setting where model = ${model})`

      const declare = Effect.fnUntraced(function* (model: string) {
        yield* system`insert into embedding_setting (model) values (${model})
          on conflict (is_only) do update set model = excluded.model, changed_at = excluded.changed_at
          where embedding_setting.model <> excluded.model`
      }, withoutSqlErrors)

      const releaseAll = system`update reembeddings set lease_id = null, run_at = now()
        where lease_id is not null`.pipe(Effect.asVoid, withoutSqlErrors)

      const enqueue = Effect.fnUntraced(
        function* (model: string) {
          // Two comparisons find by the index what is unequal.
          const rows = yield* system`
            insert into reembeddings (document_id, organization_id, turn)
            select id, organization_id, row_number() over (partition by organization_id order by id) from documents
            where revision > 0 and (embedding_model < ${model} or embedding_model > ${model}) and ${isInUse(model)}
            on conflict (document_id) do nothing returning document_id`
          return rows.length
        },
        // One was deleted meanwhile: the next time will do.
        onForeignKeyViolation(() => "deleted" as const),
        Effect.catchIf(
          (error) => error === "deleted",
          () => Effect.succeed(0),
        ),
        withoutSqlErrors,
      )

      const claim = Effect.fnUntraced(function* (
        model: string,
        lease: { readonly id: string; readonly duration: Duration.Duration },
      ) {
        const [row] = yield* system<Reembedding>`
          update reembeddings set lease_id = ${lease.id}, run_at = ${later(lease.duration)}
          where document_id = (
            select document_id from reembeddings where run_at <= now() and ${isInUse(model)}
            order by turn, document_id limit 1 for update skip locked
          ) returning organization_id, document_id, lease_id`
        return row
      }, withoutSqlErrors)

      const outdated = Effect.fnUntraced(function* (job: Reembedding, model: string, limit: number) {
        const organization = yield* CurrentOrganization
        return yield* sql<OutdatedChunk>`
          select c.id, c.title, c.headings, c.content
          from chunks c join documents d on d.id = c.document_id and d.revision = c.revision
          where c.document_id = ${job.document_id} and c.organization_id = ${organization}
            and c.embedding_model <> ${model} order by c.ordinal limit ${limit}`
      }, withoutSqlErrors)

      /** Of a document that is there, and locked before its queue row, as everywhere. */
      const held = (job: Reembedding, organization: OrganizationId) => sql`document_id = (
          select id from documents where id = ${job.document_id} and organization_id = ${organization} for key share
        ) and lease_id = ${job.lease_id} and organization_id = ${organization}`

      const store = Effect.fnUntraced(
        function* (job: Reembedding, model: string, embedded: ReadonlyArray<EmbeddedChunk>) {
          const organization = yield* CurrentOrganization
          const rows = yield* sql`select document_id from reembeddings where ${held(job, organization)} for share`
          if (rows.length === 0) return false
          yield* sql`
            update chunks c set embedding_model = ${model}, sketch = nullif(decode(embedded.sketch, 'base64'), ''),
              embedding = (${vectors(
                types,
                embedded.map(({ embedding }) => embedding),
              )})[number]
            from unnest(
              ${embedded.map(({ id }) => id)}::uuid[],
              ${embedded.map(({ sketch }) => sketch?.toBase64() ?? "")}::text[]
            ) with ordinality as embedded (id, sketch, number)
            where c.id = embedded.id and c.document_id = ${job.document_id} and c.organization_id = ${organization}`
          return true
        },
        transaction(sql),
        withoutSqlErrors,
      )

      const renew = Effect.fnUntraced(function* (job: Reembedding, duration: Duration.Duration) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql`update reembeddings set run_at = ${later(duration)}
          where ${held(job, organization)} returning document_id`
        return rows.length > 0
      }, withoutSqlErrors)

      const finish = Effect.fnUntraced(
        function* (job: Reembedding, model: string) {
          const organization = yield* CurrentOrganization
          const rows = yield* sql`select document_id from reembeddings where ${held(job, organization)} for update`
          if (rows.length === 0) return
          // What indexes hold of the document is not what it is any more.
          yield* sql`
            with finished as (
              update documents d set embedding_model = ${model}
              where id = ${job.document_id} and organization_id = ${organization} and not exists (
                select from chunks c where c.document_id = d.id and c.revision = d.revision
                  and c.embedding_model <> ${model})
              returning chatbot_id
            ) update chatbots set knowledge_version = knowledge_version + 1
            where id = (select chatbot_id from finished) and organization_id = ${organization}`
          yield* sql`delete from reembeddings where document_id = ${job.document_id} and organization_id = ${organization}`
        },
        transaction(sql),
        withoutSqlErrors,
      )

      const release = Effect.fnUntraced(function* (job: Reembedding, delay: Duration.Duration) {
        const organization = yield* CurrentOrganization
        yield* sql`update reembeddings set lease_id = null, run_at = ${later(delay)} where ${held(job, organization)}`
      }, withoutSqlErrors)

      return { declare, releaseAll, enqueue, claim, outdated, store, renew, finish, release }
    }),
  )
}
