import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { DocumentError } from "../domain/Document.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId, OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { SystemSql } from "./sql/Database.ts"
import { contentTaken } from "./Documents.ts"
import { onUniqueViolation, transaction, unlessItGivesWay, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { interval, json, unhurried } from "./sql/SqlValues.ts"

/** One attempt to make the next revision of a document. */
export interface Ingestion {
  readonly organization_id: OrganizationId
  readonly chatbot_id: ChatbotId
  readonly document_id: DocumentId
  /** The revision that this attempt makes, and no other. */
  readonly revision: number
  readonly name: string
  readonly content_type: string
  readonly blob_key: string
  /** Attempts before this one that the document itself made fail. */
  readonly attempts: number
  /** Attempts before this one that ended without a word: their process was killed, or could not reach the database. */
  readonly lapses: number
  /** How often it was put off after it had been given up. */
  readonly given_up: number
  readonly lease_id: string
}

/** So many attempts may end with their process before the next one of the same document waits: */
const LAPSES_AT_ONCE = 3
/** a second, then twice as long each time, and this long at most. */
const LAPSE_DELAY_MAX_SECONDS = 30

/** What an ingestion works on: the attempt's name, by which its writes are known. */
type Attempt = Pick<Ingestion, "document_id" | "lease_id">

/**
 * The queue of documents to ingest, shared by every server process. An attempt holds its row by a lease in database
 * time; whoever has lost it can write nothing any more.
 */
export class Ingestions extends Context.Service<
  Ingestions,
  {
    /**
     * Takes a waiting or abandoned ingestion: organizations take turns, and the oldest of one's own comes first. From
     * then on its document shows that it is being read.
     */
    readonly claim: (lease: {
      readonly id: string
      readonly duration: Duration.Duration
    }) => Effect.Effect<Ingestion | undefined, Unavailable>
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
    /** Gives up: the document fails, or keeps its old content and says why the new one could not be read. */
    readonly fail: (attempt: Ingestion, error: DocumentError) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** The document fails as with `fail`, but is tried anew after a while, as if for the first time. */
    readonly putOff: (
      attempt: Ingestion,
      error: DocumentError,
      delay: Duration.Duration,
    ) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Drops what an attempt that has lost its lease may have stored since. */
    readonly abandon: (attempt: Ingestion) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Gives it back, to be tried again after a while. The attempt counts only when it was the document's doing. */
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
      const later = (wait: Duration.Duration) => sql`now() + ${interval(wait)}`

      const claim = Effect.fnUntraced(function* (lease: { readonly id: string; readonly duration: Duration.Duration }) {
        const [row] = yield* system<Ingestion>`
          with claimed as (
            update ingestions set lease_id = ${lease.id}, run_at = ${later(lease.duration)},
              -- Whoever ends an attempt, and lives, takes its lease off the row.
              lapses = lapses + (lease_id is not null)::int
            where document_id = (
              -- Both rows are skipped when somebody holds one: a claim never waits, so it is in nobody's way.
              select i.document_id from ingestions i join documents d on d.id = i.document_id
              where i.run_at <= now()
              order by i.turn, i.created_at limit 1 for update skip locked
            )
            returning *, setval('ingestion_clock', greatest(turn, (select last_value from ingestion_clock)))
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

      // What may be killing the process lets it live between its tries.
      const releaseAll = system`update ingestions set lease_id = null, lapses = lapses + 1,
          run_at = now() + case when lapses + 1 < ${LAPSES_AT_ONCE} then interval '0'
            else least(2 ^ (lapses + 1 - ${LAPSES_AT_ONCE}), ${LAPSE_DELAY_MAX_SECONDS}) * interval '1 second' end
        where lease_id is not null`.pipe(Effect.asVoid, withoutSqlErrors)

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
          with document as (
            select id from documents
            where id = ${attempt.document_id} and organization_id = ${organization} for update
          ), held as (
            update ingestions
            set run_at = ${later(state.lease)}
            where document_id = (select id from document) and lease_id = ${attempt.lease_id}
              and organization_id = ${organization}
            returning document_id
          )
          update documents set status = ${state.status}, progress = ${state.progress}, updated_at = clock_timestamp()
          from ${unhurried(sql)}
          where id = (select document_id from held) and organization_id = ${organization} returning id`
        return rows.length > 0
      }, withoutSqlErrors)

      /** Ends the attempt, by what becomes of its row in the queue, if that is still its own. */
      const end = Effect.fnUntraced(
        function* (attempt: Ingestion, error: DocumentError, become: Statement.Fragment) {
          const organization = yield* CurrentOrganization
          const document = sql`id = ${attempt.document_id} and organization_id = ${organization}`
          yield* sql`select from documents where ${document} for update`
          const ended = yield* sql`${become} where document_id = ${attempt.document_id}
            and lease_id = ${attempt.lease_id} and organization_id = ${organization} returning document_id`
          if (ended.length === 0) return
          yield* sql`update documents set error = ${json(error)}, updated_at = clock_timestamp(),
            status = case when revision = 0 then 'failed' else 'ready' end,
            progress = case when revision = 0 then progress else 1 end where ${document}`
          // Of attempts that were cut off before, too.
          yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
            and c.organization_id = ${organization} and d.id = c.document_id and c.revision <> d.revision`
        },
        transaction(sql),
        withoutSqlErrors,
      )

      // A failed document keeps its file, to be tried again.
      const fail = (attempt: Ingestion, error: DocumentError) => end(attempt, error, sql`delete from ingestions`)

      const putOff = (attempt: Ingestion, error: DocumentError, delay: Duration.Duration) =>
        end(
          attempt,
          error,
          sql`update ingestions set lease_id = null, run_at = ${later(delay)}, attempts = 0, lapses = 0,
            given_up = given_up + 1`,
        )

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

      const release = Effect.fnUntraced(function* (attempt: Attempt, delay: Duration.Duration, counts: boolean) {
        const organization = yield* CurrentOrganization
        yield* sql`update ingestions set lease_id = null, run_at = ${later(delay)},
            attempts = attempts + ${counts ? 1 : 0}::int
          where document_id = ${attempt.document_id} and lease_id = ${attempt.lease_id}
            and organization_id = ${organization}`
      }, withoutSqlErrors)

      const abandon = Effect.fnUntraced(function* (attempt: Ingestion) {
        const organization = yield* CurrentOrganization
        yield* sql`delete from chunks c using documents d where c.document_id = ${attempt.document_id}
          and c.organization_id = ${organization} and c.revision = ${attempt.revision}
          and d.id = c.document_id and d.revision <> c.revision`
      }, withoutSqlErrors)

      return { claim, releaseAll, progress, publish, fail, putOff, abandon, release }
    }),
  )
}
