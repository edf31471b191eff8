import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { ChatTurn } from "../../domain/chat/Chat.ts"
import { Expectations, TestId } from "../../domain/evaluation/ChatbotTest.ts"
import {
  TestCounts,
  TestDetails,
  TestPlan,
  testPlanDefaults,
  type TestResult,
  TestRunId,
  TestTier,
} from "../../domain/evaluation/TestRun.ts"
import { ApiKeyId, ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { Budget } from "../../domain/organizations/Budget.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRow, decodeRows, onlyRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease } from "../sql/LeaseQueue.ts"
import { makeRunQueue } from "../sql/RunQueue.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, json, texts, uuids } from "../sql/SqlValues.ts"
import { testRuns } from "./TestRuns.ts"

/** An attempt to run the tests of a chatbot. */
export const TestJob = Schema.Struct({
  ...Job.fields,
  chatbot_id: ChatbotId,
  trigger: Schema.Literals(["manual", "schedule", "change", "version"]),
})
export type TestJob = typeof TestJob.Type

/** The run that an attempt begins, or goes on with. */
const BegunRun = Schema.Struct({
  id: TestRunId,
  tier: TestTier,
  tags: Schema.Array(Schema.String),
  tokens_used: Schema.Finite,
  /** The fields of the chatbot's plan that are stored. */
  plan: TestPlan.mapFields(Struct.map(Schema.optionalKey)),
  /** The key that has started it, and the budgets of that key and of the organization. */
  api_key_id: Schema.NullOr(ApiKeyId),
  budgets: Schema.Struct({ organization: Budget, key: Schema.NullOr(Budget) }),
  is_stopping: Schema.Boolean,
})

/** A test to run, with what its latest result is known by. */
const WaitingTest = Schema.Struct({
  id: TestId,
  question: Schema.String,
  history: Schema.Array(ChatTurn),
  expectations: Schema.toType(Expectations),
  version: Schema.Finite,
  fingerprint: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Schema.Literals(["passed", "failed"])),
})
export type WaitingTest = typeof WaitingTest.Type

export interface NewResult extends Pick<TestResult, "change" | "outcome"> {
  readonly test: WaitingTest
  readonly details: TestDetails
  readonly fingerprint: string
  readonly tokens: number
}

const decodeJob = decodeRow(TestJob)
const decodeIds = decodeRows(Schema.Struct({ id: TestId }))
const decodeTests = decodeRows(WaitingTest)
const decodeDocuments = decodeRows(Schema.Struct({ id: DocumentId, name: Schema.String }))
const decodeBefore = decodeRows(
  Schema.Struct({ outcome: Schema.Literals(["passed", "failed"]), details: Schema.toType(TestDetails) }),
)
const decodeCounts = decodeRows(Schema.Struct(Struct.omit(TestCounts.fields, ["total", "untouched"])))

/** The queue of chatbots whose tests are to be run, see `LeaseQueue`, and the rows of the runs that its jobs are. */
export class TestQueue extends Service<TestQueue>()("parley/storage/evaluation/TestQueue", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const queue = yield* makeRunQueue(testRuns, BegunRun)

  const ownBy = ({ chatbot_id, organization_id }: TestJob) =>
    sql`chatbot_id = ${chatbot_id} and organization_id = ${organization_id}`

  const isFor = (version: string) => system`(q.server_version is null or q.server_version = ${version})`

  return {
    ...Struct.pick(queue, ["end", "giveUp", "release", "releaseAll", "renew"]),

    /** Claims a chatbot whose tests are to be run by servers of this version. Organizations take turns. */
    claim: (version: string) => (lease: Lease) =>
      withoutSqlErrors(decodeJob(system`${queue.claim(lease, { and: isFor(version) })}`)),

    untilDue: (version: string) => queue.untilDue(isFor(version)),

    /**
     * Queues the tests of all chatbots whose last run was that of another version, unless their plans forbid it. A run
     * that waits for a change becomes one for the version. Returns the number of chatbots.
     */
    queueVersion: Effect.fnUntraced(function* (version: string) {
      // No server of another version may be left to go on with what those have queued and begun.
      yield* system`update test_queue set server_version = ${version} where server_version <> ${version}`
      const queued = yield* system`
        insert into test_queue as q (chatbot_id, organization_id, trigger, server_version)
        select c.id, c.organization_id, 'version', ${version}
        from (select distinct chatbot_id from tests) t join chatbots c on c.id = t.chatbot_id
          join organizations o on o.id = c.organization_id and o.deleted_at is null
          left join test_plans p on p.chatbot_id = c.id
          cross join lateral (
            select server_version from test_runs r where r.organization_id = c.organization_id and r.chatbot_id = c.id
              and r.status = 'finished' and r.tier = 'search'
            order by r.created_at desc, r.id desc limit 1
          ) last
        where coalesce((p.plan->>'on_change')::boolean, true) and last.server_version is distinct from ${version}
        order by c.id
        on conflict (chatbot_id) do update set trigger = 'version', server_version = excluded.server_version, run_at = now()
          where q.run_id is null and q.lease_id is null
        returning chatbot_id`
      return queued.length
    }, withoutSqlErrors),

    /** Begins the job's run as a `RunQueue` does, and returns it with the whole plan of the tests. */
    begin: (job: TestJob, id: string, facts: { readonly setup_hash: string; readonly server_version: string }) =>
      Effect.map(queue.begin(job, id, facts), (run) => run && { ...run, plan: { ...testPlanDefaults, ...run.plan } }),

    /** Returns the tests of a run that have no result in it yet, and the numbers of its results so far. */
    waiting: Effect.fnUntraced(function* (job: TestJob, run: TestRunId, tags: ReadonlyArray<string>) {
      const some = tags.length === 0 ? sql`` : sql`and tags && ${texts(tags)}`
      const ids = yield* decodeIds(sql`
        select id from tests t where ${ownBy(job)} ${some}
          and not exists (select from test_results where run_id = ${run} and test_id = t.id)
        order by created_at, id`)
      const counted = yield* decodeCounts(sql`
        select count(*)::int as done, count(*) filter (where outcome = 'passed')::int as passed,
          count(*) filter (where outcome = 'failed')::int as failed,
          count(*) filter (where outcome = 'error')::int as errors,
          count(*) filter (where change = 'better')::int as better,
          count(*) filter (where change = 'worse')::int as worse,
          count(*) filter (where change = 'different')::int as different
        from test_results where run_id = ${run} and organization_id = ${job.organization_id}`)
      return { ids: ids.map(({ id }) => id), counts: yield* onlyRow(counted) }
    }, withoutSqlErrors),

    /** Returns tests by their ids, as far as they still exist, each with its latest result in this tier. */
    tests: Effect.fnUntraced(function* (job: TestJob, ids: ReadonlyArray<TestId>, tier: TestTier) {
      return yield* decodeTests(sql`
        select t.id, t.question, t.history, t.expectations, t.version::float8, last.fingerprint, last.outcome
        from tests t left join lateral (
          select fingerprint, outcome from test_results where test_id = t.id and tier = ${tier}
            and test_version = t.version and outcome <> 'error' order by created_at desc limit 1
        ) last on true
        where ${ownBy(job)} and t.id = any(${uuids(ids)}) order by t.created_at, t.id`)
    }, withoutSqlErrors),

    /** Returns the latest result of a test, in the version that it has. */
    before: Effect.fnUntraced(function* ({ id, version }: WaitingTest, tier: TestTier) {
      const [row] = yield* decodeBefore(sql`
        select outcome, details from test_results
        where test_id = ${id} and tier = ${tier} and test_version = ${version}::float8::bigint and outcome <> 'error'
          and organization_id = ${yield* CurrentOrganization}
        order by created_at desc limit 1`)
      return row
    }, withoutSqlErrors),

    /** Finds documents of a chatbot by their ids, and by their file names in small letters. */
    documents: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      ids: ReadonlyArray<string>,
      names: ReadonlyArray<string>,
    ) {
      return yield* decodeDocuments(sql`
        select id, lower(name) as name from documents
        where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}
          and (id = any(${uuids(ids)}) or lower(name) = any(${texts(names)}))`)
    }, withoutSqlErrors),

    /** Stores the result of a test, unless the lease is lost or the test was deleted meanwhile. */
    store: Effect.fnUntraced(function* (job: TestJob, run: TestRunId, tier: TestTier, result: NewResult) {
      const { change, details, fingerprint, outcome, test, tokens } = result
      yield* sql`
        with held as (
          select t.id from ${asynchronousCommit(sql)}, test_queue q join tests t on t.id = ${test.id} and t.organization_id = q.organization_id
          where q.chatbot_id = ${job.chatbot_id} and q.organization_id = ${job.organization_id}
            and q.lease_id = ${job.lease_id}
        ), used as (
          update test_runs set tokens_used = tokens_used + ${tokens}::float8::bigint
          where id = ${run} and organization_id = ${job.organization_id} and exists (select from held)
        )
        insert into test_results
          (run_id, test_id, organization_id, tier, outcome, change, details, fingerprint, test_version)
        select ${run}::uuid, id, ${job.organization_id}::uuid, ${tier}::text, ${outcome}::text, ${change}::text,
          ${json(details)}::jsonb, ${fingerprint}::text, ${test.version}::float8::bigint
        from held on conflict do nothing`
    }, withoutSqlErrors),
  }
}) {}
