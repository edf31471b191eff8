import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { ChatbotId } from "../../domain/Ids.ts"
import { SourceConfig, SourceId } from "../../domain/knowledge/Source.ts"
import { PageOutcome } from "../../domain/knowledge/SourcePage.ts"
import { type SourceRunError, SourceRunId, type SourceRunStatus } from "../../domain/knowledge/SourceRun.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease } from "../sql/LeaseQueue.ts"
import { type Ending, makeRunQueue } from "../sql/RunQueue.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, json } from "../sql/SqlValues.ts"
import { sourceRuns } from "./SourceRuns.ts"

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

export interface RunEnd extends Ending {
  readonly status: Exclude<SourceRunStatus, "queued" | "running">
  readonly error: SourceRunError | null
}

const decodeJob = decodeRow(CrawlJob)

/** The queue of sources to read, see `LeaseQueue`, and the rows of the runs that its jobs are. */
export class SourceQueue extends Service<SourceQueue>()("parley/storage/sources/SourceQueue", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const queue = yield* makeRunQueue(sourceRuns, CrawlRun)

  return {
    ...Struct.pick(queue, ["begin", "end", "giveUp", "release", "releaseAll", "renew", "underLease"]),

    /** Claims a source that is to be read, or whose lease has expired. Organizations take turns. */
    claim: (lease: Lease) =>
      withoutSqlErrors(
        decodeJob(system`
          with claimed as (${queue.claim(lease)})
          select c.*, s.chatbot_id, s.kind, s.config, s.repeated
          from claimed c join sources s on s.id = c.source_id, ${asynchronousCommit(system)}`),
      ),

    untilDue: queue.untilDue(),

    /** Keeps the hashes of the blocks that repeat on the pages of a source; null: the next run finds them anew. */
    setRepeated: Effect.fnUntraced(function* (job: CrawlJob, hashes: ReadonlyArray<string> | null) {
      yield* sql`update sources set repeated = ${json(hashes)}
        where id = ${job.source_id} and organization_id = ${job.organization_id}`
    }, withoutSqlErrors),
  }
}) {}
