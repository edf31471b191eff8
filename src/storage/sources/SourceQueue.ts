import { Context, type Duration, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { ChatbotId } from "../../domain/Ids.ts"
import { SourceConfig, SourceId } from "../../domain/knowledge/Source.ts"
import { PageOutcome } from "../../domain/knowledge/SourcePage.ts"
import { type SourceRunError, SourceRunId, type SourceRunStatus } from "../../domain/knowledge/SourceRun.ts"
import { decodeRows } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease, makeLeaseQueue, type QueueTable } from "../sql/LeaseQueue.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, json } from "../sql/SqlValues.ts"
import { pruneRuns, reschedule } from "./SourceRuns.ts"

/** An attempt to read a source. */
export const CrawlJob = Schema.Struct({
  ...Job.fields,
  source_id: SourceId,
  chatbot_id: ChatbotId,
  kind: Schema.Literals(["website", "sitemap", "llms_txt", "feed"]),
  config: SourceConfig,
  /** Hashes of the page that keeps the blocks that repeat, and of these; null until enough pages were read. */
  repeated: Schema.NullOr(Schema.Array(Schema.String)),
})
export type CrawlJob = typeof CrawlJob.Type

/** The run that an attempt begins, or goes on with. */
export const CrawlRun = Schema.Struct({
  id: SourceRunId,
  /** The outcome whose pages are read; null for all pages. */
  only: Schema.NullOr(PageOutcome),
  is_confirmed: Schema.Boolean,
  /** What earlier attempts at the run have sent and received. */
  requests: Schema.Int,
  bytes: Schema.Finite,
  /** Whether it may still be put off for hosts that ask to wait: for a day. */
  is_patient: Schema.Boolean,
})
export type CrawlRun = typeof CrawlRun.Type

/** What has been sent and received in a run. */
export interface Traffic {
  readonly requests: number
  readonly bytes: number
}

/** Outcomes of pages whose documents are deleted after the second run. A `duplicate` with a document has moved. */
export const MISSING: ReadonlyArray<PageOutcome> = ["gone", "excluded", "duplicate"]

/** How a run has ended. */
export interface RunEnd {
  readonly status: Exclude<SourceRunStatus, "queued" | "running">
  readonly error: SourceRunError | null
  /** Pages whose documents the run has deleted. */
  readonly deleted: number
}

export const sourceQueueTable = {
  table: "source_queue",
  key: "source_id",
  clock: "source_clock",
  parent: { table: "sources", lock: "key share" },
} as const satisfies QueueTable<string>

const decodeJobs = decodeRows(CrawlJob)
const decodeRuns = decodeRows(CrawlRun)
const decodeRenewals = decodeRows(Schema.Struct({ is_stopping: Schema.Boolean }))

/** The queue of sources to read, see `LeaseQueue`, and the rows of the runs that its jobs are. */
export class SourceQueue extends Context.Service<SourceQueue>()("parley/storage/sources/SourceQueue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql
    const queue = yield* makeLeaseQueue(sourceQueueTable)

    const ownBy = ({ organization_id, source_id }: CrawlJob) =>
      sql`source_id = ${source_id} and organization_id = ${organization_id}`

    /** Within a transaction that has the lease: ends the run and its job, and queues the next one of the schedule. */
    const close = Effect.fnUntraced(function* (
      job: CrawlJob,
      { deleted, error, status }: RunEnd,
      more: Statement.Fragment = sql``,
    ) {
      const own = ownBy(job)
      yield* sql`update source_runs r set status = ${status}, error = ${json(error)}, ended_at = clock_timestamp(),
        counts = coalesce((
          select jsonb_object_agg(outcome, pages) from (
            select outcome, count(*)::int as pages from source_pages
            where ${own} and run_id = r.id and outcome is not null group by outcome
          ) counted
        ), '{}') || ${json(deleted === 0 ? {} : { deleted })}::jsonb ${more}
        where ${own} and id = (select run_id from source_queue where ${own})`
      yield* sql`delete from source_queue where ${own}`
      yield* reschedule(sql, job.source_id)
      yield* pruneRuns(sql, job.source_id)
    })

    return {
      ...Struct.pick(queue, ["release", "releaseAll", "underLease"]),

      /** Claims a source that is to be read, or whose lease has expired. Organizations take turns. */
      claim: Effect.fnUntraced(function* (lease: Lease) {
        const [row] = yield* decodeJobs(system`
          with claimed as (${queue.claim(lease)})
          select c.organization_id, c.source_id, c.attempts, c.lapses, c.given_up, c.lease_id, s.chatbot_id, s.kind,
            s.config, s.repeated
          from claimed c join sources s on s.id = c.source_id, ${asynchronousCommit(system)}`)
        return row
      }, withoutSqlErrors),

      untilDue: queue.untilDue(),

      /** Renews the lease of a job whose run has not begun. */
      renewLease: queue.renew,

      /**
       * Begins the job's run, which is `id` where the schedule has queued the job; or goes on with the one that an earlier
       * attempt has begun. Returns nothing when the lease is lost.
       */
      begin: Effect.fnUntraced(function* (job: CrawlJob, id: SourceRunId) {
        let run: CrawlRun | undefined
        yield* queue.underLease(
          job,
          Effect.gen(function* () {
            const own = ownBy(job)
            yield* sql`with queued as (
                update source_queue set run_id = ${id} where ${own} and run_id is null returning source_id
              ) insert into source_runs (id, organization_id, source_id, trigger, status)
              select ${id}, ${job.organization_id}, source_id, 'schedule', 'queued' from queued`
            const runs = yield* decodeRuns(sql`
              update source_runs set status = 'running', started_at = coalesce(started_at, now())
              where ${own} and id = (select run_id from source_queue where ${own})
              returning id, only_outcome as only, is_confirmed, requests, bytes::float8,
                started_at > now() - interval '1 day' as is_patient`)
            run = runs[0]
          }),
        )
        return run
      }, withoutSqlErrors),

      /** Renews the lease, and stores the traffic. Returns whether the run is to stop; nothing when the lease is lost. */
      renew: Effect.fnUntraced(function* (
        job: CrawlJob,
        run: SourceRunId,
        { bytes, requests }: Traffic,
        lease: Duration.Duration,
      ) {
        const [row] = yield* decodeRenewals(sql`
          with renewed as (${queue.renewal(job, job.organization_id, lease)})
          update source_runs set requests = ${requests}, bytes = ${bytes} from ${asynchronousCommit(sql)}
          where id = ${run} and source_id = (select source_id from renewed) and organization_id = ${job.organization_id}
          returning is_stopping`)
        return row
      }, withoutSqlErrors),

      /**
       * Ends a run and its job, and queues the next one of the schedule. Pages that were found missing miss one run
       * more, if this one has finished and was for all pages. Returns false when the lease is lost.
       */
      end: Effect.fnUntraced(function* (
        job: CrawlJob,
        run: CrawlRun,
        { bytes, requests }: Traffic,
        { deleted, error, status }: RunEnd,
      ) {
        const own = ownBy(job)
        return yield* queue.underLease(
          job,
          Effect.gen(function* () {
            if (status === "finished" && run.only === null)
              yield* sql`update source_pages set misses = misses + 1
                where ${own} and run_id = ${run.id} and outcome in ${sql.in(MISSING)} and document_id is not null`
            yield* close(job, { status, error, deleted }, sql`, requests = ${requests}, bytes = ${bytes}`)
          }),
        )
      }, withoutSqlErrors),

      /** Ends the run of a job that is given up. */
      giveUp: (job: CrawlJob, error: SourceRunError) =>
        queue
          .underLease(job, close(job, { status: "failed", error, deleted: 0 }))
          .pipe(Effect.asVoid, withoutSqlErrors),

      /** Keeps the hashes of the blocks that repeat on the pages of a source; null: the next run finds them anew. */
      setRepeated: Effect.fnUntraced(function* (job: CrawlJob, hashes: ReadonlyArray<string> | null) {
        yield* sql`update sources set repeated = ${json(hashes)}
          where id = ${job.source_id} and organization_id = ${job.organization_id}`
      }, withoutSqlErrors),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
