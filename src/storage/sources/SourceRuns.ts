import { Effect, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { isCrawled, SourceId, SourceKind } from "../../domain/knowledge/Source.ts"
import type { PageOutcome } from "../../domain/knowledge/SourcePage.ts"
import { SourceRun, type SourceRunId } from "../../domain/knowledge/SourceRun.ts"
import type { Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { decodeRows, rowOr, TimestampColumn } from "../Rows.ts"
import { type RunTables, runsOf } from "../sql/RunQueue.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { uuids } from "../sql/SqlValues.ts"

/** A run that somebody starts. */
export interface NewRun {
  readonly id: SourceRunId
  /** The outcome whose pages are read; null for all pages. */
  readonly only: PageOutcome | null
  /** Whether the run may delete however many pages are gone. */
  readonly isConfirmed: boolean
}

/** Outcomes of pages whose documents are deleted after the second run. A `duplicate` with a document has moved. */
export const MISSING: ReadonlyArray<PageOutcome> = ["gone", "excluded", "duplicate"]

export const sourceNotFound = new NotFound({ detail: "There is no such source." })
const isRunning = new Conflict({ detail: "A run of the source waits or is under way." })
const hasNoRuns = new Conflict({ detail: "Texts and questions have no runs." })

/** The time for which runs are kept; the last one is kept for ever. */
const KEPT_FOR = "30 days"

const RunRow = Schema.Struct({
  ...SourceRun.fields,
  created_at: TimestampColumn,
  started_at: Schema.NullOr(TimestampColumn),
  ended_at: Schema.NullOr(TimestampColumn),
})
const decodeLastRuns = decodeRows(Schema.Struct({ ...RunRow.fields, source_id: SourceId }))
const decodeKinds = decodeRows(Schema.Struct({ kind: SourceKind }))

/** The columns of the run `r`. While it is under way, its pages are counted. */
const columns = `r.id, r.trigger, r.status, r.is_stopping and r.ended_at is null as stopping, r.only_outcome as only,
  coalesce(r.counts, (
    select jsonb_object_agg(outcome, pages) from (
      select case when is_waiting then 'waiting' else outcome end as outcome, count(*)::int as pages
      from source_pages where source_id = r.source_id and run_id = r.id and (is_waiting or outcome is not null) group by 1
    ) counted
  ), '{}') as counts, r.requests, r.bytes::float8, r.error, r.created_at, r.started_at, r.ended_at`

/** Queues the next run of a source's schedule, in place of one that waits; none where it has no schedule. */
export const reschedule = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, source: SourceId) {
  const own = sql`source_id = ${source} and organization_id = ${yield* CurrentOrganization}`
  yield* sql`delete from source_queue where ${own} and run_id is null and lease_id is null`
  yield* sql`insert into source_queue (source_id, organization_id, run_at)
    select id, organization_id, greatest(now(), ${scheduled(
      sql,
      sql`(
      select coalesce(max(created_at), now()) from source_runs where ${own}
    )`,
    )})
    from sources where id = ${source} and schedule is not null on conflict (source_id) do nothing`
})

/** The time of the run that the schedule of the row of `sources` begins next, from the time of the last one. */
export const scheduled = (sql: SqlClient.SqlClient, last: Statement.Fragment): Statement.Fragment =>
  sql`${last} + case schedule when 'hourly' then interval '1 hour' when 'daily' then interval '1 day'
    when 'weekly' then interval '7 days' else interval '30 days' end`

/** Deletes the runs of a source that nobody needs any more. */
const pruneRuns = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, source: SourceId) {
  const own = sql`source_id = ${source} and organization_id = ${yield* CurrentOrganization}`
  yield* sql`delete from source_runs where ${own} and created_at < now() - ${KEPT_FOR}::interval
    and id <> (select id from source_runs where ${own} order by created_at desc, id desc limit 1)`
})

export const sourceRuns: RunTables<"source_id", SourceId, SourceRun> = {
  table: "source_queue",
  key: "source_id",
  clock: "source_clock",
  parent: { table: "sources", lock: "key share" },
  runs: "source_runs",
  columns,
  decodeRuns: decodeRows(RunRow),
  notFound: new NotFound({ detail: "There is no such run." }),
  insert: `insert into source_runs (id, organization_id, source_id, trigger, status)
    select run_id, organization_id, source_id, 'schedule', 'queued' from queued`,
  begun: `id, only_outcome as only, is_confirmed, requests, bytes::float8,
    started_at > now() - interval '1 day' as is_patient`,
  counts: `coalesce((
    select jsonb_object_agg(outcome, pages) from (
      select outcome, count(*)::int as pages from source_pages
      where source_id = r.source_id and run_id = r.id and not is_waiting and outcome is not null group by outcome
    ) counted
  ), '{}')`,
  follow: Effect.fnUntraced(function* (sql, source) {
    const organization = yield* CurrentOrganization
    // Pages that were found missing miss one run more, if this one has finished and was for all pages.
    yield* sql`update source_pages p set misses = misses + 1 from source_queue q join source_runs r on r.id = q.run_id
      where q.source_id = ${source} and q.organization_id = ${organization} and r.status = 'finished'
        and r.only_outcome is null and p.source_id = r.source_id and p.organization_id = r.organization_id and p.run_id = r.id
        and p.outcome in ${sql.in(MISSING)} and p.document_id is not null`
    yield* sql`delete from source_queue where source_id = ${source} and organization_id = ${organization}`
    yield* reschedule(sql, source)
    yield* pruneRuns(sql, source)
  }),
}

/** Inserts a run and its job, within the transaction that is open. */
export const queueRun = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, source: SourceId, run: NewRun) {
  const organization = yield* CurrentOrganization
  // What waits for its schedule would have a turn that is long past.
  yield* sql`delete from source_queue
    where source_id = ${source} and organization_id = ${organization} and run_id is null and lease_id is null`
  const queued = yield* sql`insert into source_queue (source_id, organization_id, run_id)
    values (${source}, ${organization}, ${run.id}) on conflict (source_id) do nothing returning source_id`
  if (queued.length === 0) return yield* isRunning
  yield* sql`insert into source_runs (id, organization_id, source_id, trigger, status, only_outcome, is_confirmed)
    values (${run.id}, ${organization}, ${source}, 'manual', 'queued', ${run.only}::text, ${run.isConfirmed})`
  yield* pruneRuns(sql, source)
})

export const lastRuns = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, sources: ReadonlyArray<SourceId>) {
  if (sources.length === 0) return new Map<SourceId, SourceRun>()
  const rows = yield* decodeLastRuns(sql`
    select ${sql.literal(columns)}, r.source_id from unnest(${uuids(sources)}) as wanted (id) cross join lateral (
      select * from source_runs where source_id = wanted.id and organization_id = ${yield* CurrentOrganization}
      order by created_at desc, id desc limit 1
    ) r`)
  return new Map(rows.map((row) => [row.source_id, Struct.omit(row, ["source_id"])]))
})

/** The table `source_runs`, and the jobs of the runs in `source_queue`, always within the current organization. */
export class SourceRuns extends Service<SourceRuns>()("parley/storage/sources/SourceRuns", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing

  const { get, list, stop } = runsOf(sql, sourceRuns)

  /** Finds the kind of a source, and locks it. */
  const lock = Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId) {
    return yield* rowOr(sourceNotFound)(
      decodeKinds(sql`select kind from sources where id = ${source} and chatbot_id = ${chatbot}
        and organization_id = ${yield* CurrentOrganization} for update`),
    )
  })

  return {
    /** Lists a page of the runs of a source, the latest first. */
    list: (source: SourceId, page: Page) => withoutSqlErrors(list(source, page)),

    /** Queues a run of a source. Fails with `Conflict` while there is one, and where the source has none. */
    start: Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, run: NewRun) {
      const { kind } = yield* lock(chatbot, source)
      if (!isCrawled(kind)) return yield* hasNoRuns
      yield* queueRun(sql, source, run)
      yield* auditing.record(sql, {
        organization: yield* CurrentOrganization,
        action: "source.run_started",
        target: source,
        chatbot,
      })
      return yield* get(source, run.id)
    }, committing(sql)),

    /** Ends a run that waits, and asks one under way to stop. Fails with `Conflict` when it has ended. */
    stop: Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, run: SourceRunId) {
      const organization = yield* CurrentOrganization
      yield* lock(chatbot, source)
      yield* stop(source, run)
      yield* auditing.record(sql, { organization, action: "source.run_stopped", target: source, chatbot })
      return yield* get(source, run)
    }, committing(sql)),
  }
}) {}
