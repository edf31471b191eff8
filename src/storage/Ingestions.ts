import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DocumentError } from "../domain/Document.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { SystemSql } from "./sql/Database.ts"
import { contentTaken } from "./Documents.ts"
import { type Job, type Lease, makeLeaseQueue, type QueueTable } from "./sql/LeaseQueue.ts"
import { onUniqueViolation, unlessItGivesWay, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json, unhurried } from "./sql/SqlValues.ts"

/** One attempt to make the next revision of a document. */
export interface Ingestion extends Job {
  readonly chatbot_id: ChatbotId
  readonly document_id: DocumentId
  /** The revision that this attempt makes, and no other. */
  readonly revision: number
  readonly name: string
  readonly content_type: string
  readonly blob_key: string
}

/** The attempt's name, by which its writes are known. */
type Attempt = Pick<Ingestion, "document_id" | "lease_id">

export const ingestionTable = {
  table: "ingestions",
  key: "document_id",
  clock: "ingestion_clock",
  parent: { table: "documents", lock: "update" },
} satisfies QueueTable<string>

/** The queue of documents to ingest, see `LeaseQueue`. */
export class Ingestions extends Context.Service<
  Ingestions,
  {
    /**
     * Takes a waiting or abandoned ingestion: organizations take turns, and the oldest of one's own comes first. From
     * then on its document shows that it is being read.
     */
    readonly claim: (lease: Lease) => Effect.Effect<Ingestion | undefined, Unavailable>
    /** Ends every lease, where no other process can hold one. */
    readonly releaseAll: Effect.Effect<void, Unavailable>
    /** Shows how far it is, and that somebody is at work. False when the lease is lost: stop. */
    readonly progress: (
      attempt: Attempt,
      state: {
        readonly status: "extracting" | "embedding"
        readonly progress: number
        readonly lease: Duration.Duration
      },
    ) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
    /**
     * Makes the attempt's revision the one that answers searches, and drops the one before, in one transaction.
     * False, and nothing has happened, when the lease is lost. When another document has the content meanwhile, the
     * attempt fails.
     */
    readonly publish: (
      attempt: Ingestion,
      chunkCount: number,
    ) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
    /**
     * Gives up: the document fails, or keeps its old content and says why the new one could not be read. With `delay`, it
     * is tried anew after that, as if for the first time.
     */
    readonly fail: (
      attempt: Attempt,
      error: DocumentError,
      delay?: Duration.Duration,
    ) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Drops what an attempt that has lost its lease may have stored since. */
    readonly abandon: (attempt: Ingestion) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Gives it back, to be tried again after a while. `counts`: the attempt failed by what the document is. */
    readonly release: (
      attempt: Attempt,
      delay: Duration.Duration,
      counts: boolean,
    ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  }
>()("parley/storage/Ingestions") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const system = yield* SystemSql
      const queue = yield* makeLeaseQueue(ingestionTable)

      const claim = Effect.fnUntraced(function* (lease: Lease) {
        const [row] = yield* system<Ingestion>`
          with claimed as (
            ${queue.claim(lease, { join: sql`join documents d on d.id = q.document_id` })}
          ), revised as (
            update documents d set last_revision = last_revision + 1, status = 'extracting', progress = 0,
              updated_at = clock_timestamp()
            from claimed c where d.id = c.document_id
            returning d.id, d.last_revision as revision
          )
          select c.organization_id, c.chatbot_id, c.document_id, c.name, c.content_type, c.blob_key, c.attempts,
            c.lapses, c.given_up, c.lease_id, r.revision
          from claimed c join revised r on r.id = c.document_id, ${unhurried(system)}`
        return row
      }, withoutSqlErrors)

      const progress = Effect.fnUntraced(function* (
        attempt: Attempt,
        state: {
          readonly status: string
          readonly progress: number
          readonly lease: Duration.Duration
        },
      ) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql`
          with renewed as (${queue.renewal(attempt, organization, state.lease)})
          update documents set status = ${state.status}, progress = ${state.progress}, updated_at = clock_timestamp()
          from ${unhurried(sql)}
          where id = (select document_id from renewed) and organization_id = ${organization} returning id`
        return rows.length > 0
      }, withoutSqlErrors)

      // A failed document keeps its file, to be tried again.
      const fail = Effect.fnUntraced(function* (attempt: Attempt, error: DocumentError, delay?: Duration.Duration) {
        const organization = yield* CurrentOrganization
        const write = Effect.gen(function* () {
          yield* queue.end(attempt, delay)
          yield* sql`update documents set error = ${json(error)}, updated_at = clock_timestamp(),
            status = case when revision = 0 then 'failed' else 'ready' end,
            progress = case when revision = 0 then progress else 1 end
            where id = ${attempt.document_id} and organization_id = ${organization}`
          // Of attempts that were cut off before, too.
          yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
            and c.organization_id = ${organization} and d.id = c.document_id and c.revision <> d.revision`
        })
        yield* queue.underLease(attempt, write)
      }, withoutSqlErrors)

      const publish = Effect.fnUntraced(
        function* (attempt: Ingestion, chunkCount: number) {
          const organization = yield* CurrentOrganization
          const [row] = yield* sql<{ published: boolean }>`
            select publish_revision(${attempt.document_id}, ${organization}, ${attempt.lease_id}, ${attempt.revision},
              ${chunkCount}) is not null as published`
          return row?.published ?? false
        },
        unlessItGivesWay,
        onUniqueViolation("documents_content", contentTaken),
        // The same bytes were uploaded as a document of their own while this replacement waited.
        (published, attempt) =>
          Effect.catchTag(published, "Conflict", ({ detail }) =>
            Effect.as(fail(attempt, { code: "duplicate_content", message: detail }), true),
          ),
        withoutSqlErrors,
      )

      const abandon = Effect.fnUntraced(function* (attempt: Ingestion) {
        const organization = yield* CurrentOrganization
        yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
          and c.organization_id = ${organization} and c.revision = ${attempt.revision}
          and d.id = c.document_id and d.revision <> c.revision`
      }, withoutSqlErrors)

      return { claim, releaseAll: queue.releaseAll, progress, publish, fail, abandon, release: queue.release }
    }),
  )
}
