import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { TestDetails, TestResult, TestRun, type TestRunId, type TestRunInput } from "../../domain/evaluation/TestRun.ts"
import type { ApiKeyId, ChatbotId } from "../../domain/Ids.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { counted, decodeRow, decodeRows, TimestampColumn } from "../Rows.ts"
import { type RunTables, runsOf } from "../sql/RunQueue.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { texts } from "../sql/SqlValues.ts"
import { planTests, queueTestsOf } from "./TestTriggers.ts"

const hasNoTests = new Conflict({ detail: "The chatbot has no such tests." })
const isRunning = new Conflict({ detail: "A run of the tests waits or is under way." })

/** The most runs of a chatbot that are kept, beside those that have the latest result of a test. */
const RUNS_MAX = 50

const RunRow = Schema.Struct({
  ...TestRun.fields,
  created_at: TimestampColumn,
  started_at: Schema.NullOr(TimestampColumn),
  ended_at: Schema.NullOr(TimestampColumn),
})
const ResultRow = Schema.Struct({
  ...Struct.omit(TestResult.fields, ["answers", "before", "error", "find", "found"]),
  details: Schema.toType(TestDetails),
  before: Schema.toType(TestResult.fields.before),
  created_at: TimestampColumn,
})
const decodeResults = decodeRows(ResultRow)
const decodeSetups = decodeRows(Schema.Struct({ setup_hash: Schema.NullOr(Schema.String) }))
const decodeQueued = decodeRows(Schema.Struct({ is_queued: Schema.Boolean }))
const decodeAgain = decodeRow(Schema.Struct({ is_again: Schema.Boolean }))

const columns = `id, chatbot_id, tier, trigger, status, tags, counts, tokens_used::float8, server_version, error, created_at,
  started_at, ended_at`

/** Deletes the runs of a chatbot that nobody needs any more, except for the latest results of tests. */
const pruneTestRuns = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, chatbot: ChatbotId) {
  const own = sql`chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`
  const old = sql`select id from test_runs where ${own} order by created_at desc, id desc offset ${RUNS_MAX}`
  yield* sql`delete from test_results r where run_id in (${old}) and exists (
    select from test_results n where n.test_id = r.test_id and n.tier = r.tier and n.created_at > r.created_at
      and n.outcome <> 'error'
  )`
  yield* sql`delete from test_runs where id in (${old}) and not exists (
    select from test_results where run_id = test_runs.id
  )`
})

export const testRuns: RunTables<"chatbot_id", ChatbotId, TestRun> = {
  table: "test_queue",
  key: "chatbot_id",
  clock: "test_clock",
  parent: { table: "chatbots", lock: "key share" },
  runs: "test_runs",
  columns,
  decodeRuns: decodeRows(RunRow),
  notFound: new NotFound({ detail: "There is no such run of tests." }),
  insert: `insert into test_runs (id, organization_id, chatbot_id, tier, trigger, status)
    select run_id, organization_id, chatbot_id,
      case when trigger = 'schedule' then coalesce((
        select plan->>'schedule_tier' from test_plans p
        where p.chatbot_id = q.chatbot_id and p.organization_id = q.organization_id
      ), 'search') else 'search' end, trigger, 'queued' from queued q`,
  begun: `id, tier, tags, tokens_used::float8, api_key_id, is_stopping,
    coalesce((
      select plan from test_plans where chatbot_id = r.chatbot_id and organization_id = r.organization_id
    ), '{}') as plan,
    jsonb_build_object('organization', (select budget from organizations where id = r.organization_id), 'key', (
      select budget from api_keys where id = r.api_key_id and organization_id = r.organization_id
    )) as budgets`,
  counts: "counts",
  follow: Effect.fnUntraced(function* (sql, chatbot) {
    const job = yield* decodeAgain(sql`delete from test_queue
      where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization} returning is_again`)
    if (job?.is_again === true) yield* queueTestsOf(sql, chatbot)
    yield* planTests(sql, chatbot)
    yield* pruneTestRuns(sql, chatbot)
  }),
}

/** The tables `test_runs` and `test_results`, and the jobs of runs in `test_queue`, always within the organization. */
export class TestRuns extends Service<TestRuns>()("parley/storage/evaluation/TestRuns", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing

  const { get, list, ownBy, stop } = runsOf(sql, testRuns)

  return {
    /** Lists a page of the runs of a chatbot, the latest first, and the settings of the last one with the model. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId, page: Page) {
      const own = yield* ownBy(chatbot)
      const [last] = yield* decodeSetups(sql`select setup_hash from test_runs
        where ${own} and tier = 'model' and setup_hash is not null order by created_at desc, id desc limit 1`)
      return { ...(yield* list(chatbot, page)), setupHash: last?.setup_hash ?? null }
    }, withoutSqlErrors),

    get: (chatbot: ChatbotId, run: TestRunId) => withoutSqlErrors(get(chatbot, run)),

    /** Queues a run. Fails with `Conflict` while there is one, and where there are no such tests. */
    start: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      id: TestRunId,
      { tags = [], tier = "search" }: TestRunInput,
      key: ApiKeyId,
    ) {
      const organization = yield* CurrentOrganization
      const own = yield* ownBy(chatbot)
      const some = tags.length === 0 ? sql`` : sql`and tags && ${texts(tags)}`
      const tests = yield* sql`select id from tests where ${own} ${some} limit 1`
      if (tests.length === 0) return yield* hasNoTests
      // A run that waits for a change follows this one where it is of some of the tests, or of the other tier.
      const isOther = tier === "model" || tags.length > 0
      const [queued] = yield* decodeQueued(sql`
        insert into test_queue as q (chatbot_id, organization_id, run_id) values (${chatbot}, ${organization}, ${id})
        on conflict (chatbot_id) do update set run_id = excluded.run_id, run_at = now(),
            is_again = q.is_again or (q.trigger <> 'schedule' and ${isOther}::boolean), trigger = 'manual', server_version = null
          where q.run_id is null and q.lease_id is null
        returning run_id = ${id} as is_queued`)
      if (queued === undefined) return yield* isRunning
      yield* sql`insert into test_runs (id, organization_id, chatbot_id, tier, trigger, status, tags, api_key_id)
        values (${id}, ${organization}, ${chatbot}, ${tier}, 'manual', 'queued', ${texts(tags)}, ${key})`
      yield* auditing.record(sql, { organization, action: "test_run.started", target: id, chatbot, after: { tier } })
      return yield* get(chatbot, id)
    }, committing(sql)),

    /** Ends a run that waits, and asks one under way to stop. Fails with `Conflict` when it has ended. */
    stop: Effect.fnUntraced(function* (chatbot: ChatbotId, id: TestRunId) {
      const organization = yield* CurrentOrganization
      yield* stop(chatbot, id)
      yield* auditing.record(sql, { organization, action: "test_run.stopped", target: id, chatbot })
      return yield* get(chatbot, id)
    }, committing(sql)),

    /** Lists a page of the results of a run, each beside the one before: those that are worse come first. */
    results: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      run: TestRunId,
      page: Page,
      only: "worse" | "better" | "different" | "failed" | undefined,
    ) {
      yield* get(chatbot, run)
      const own = sql`r.run_id = ${run} and r.organization_id = ${yield* CurrentOrganization}
        ${only === undefined ? sql`` : only === "failed" ? sql`and r.outcome <> 'passed'` : sql`and r.change = ${only}`}`
      const results = yield* decodeResults(sql`
        select r.test_id, r.run_id, t.question, t.tags, r.outcome, r.change, r.created_at,
          r.details, b.details || jsonb_build_object('run_id', b.run_id, 'outcome', b.outcome) as before
        from test_results r join tests t on t.id = r.test_id left join lateral (
          select run_id, outcome, details from test_results
          where test_id = r.test_id and tier = r.tier and test_version = r.test_version and outcome <> 'error'
            and created_at < r.created_at order by created_at desc limit 1
        ) b on true
        where ${own}
        order by case when r.change = 'worse' then 0 when r.outcome <> 'passed' then 1 when r.change = 'better' then 2
          when r.change = 'different' then 3 else 4 end, t.created_at, t.id
        limit ${page.limit} offset ${offset(page)}`)
      const total = yield* counted(sql`select count(*)::int as count from test_results r where ${own}`)
      return { data: results.map(({ details, ...row }) => ({ ...row, ...details })), total }
    }, withoutSqlErrors),
  }
}) {}
