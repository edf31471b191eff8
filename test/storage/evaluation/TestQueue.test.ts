import { afterAll, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { TestId } from "../../../src/domain/evaluation/ChatbotTest.ts"
import { type TestPlan, TestRunId } from "../../../src/domain/evaluation/TestRun.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { ChatbotCopies } from "../../../src/storage/chatbots/ChatbotCopies.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { TestPlans } from "../../../src/storage/evaluation/TestPlans.ts"
import { TestQueue } from "../../../src/storage/evaluation/TestQueue.ts"
import { Tests } from "../../../src/storage/evaluation/Tests.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const it = effectTests(runtime.runPromise)
afterAll(() => runtime.dispose())

const lease = { id: "00000000-0000-7000-8000-000000000001", duration: Duration.seconds(30) }

it("a run that a server of one version leaves is gone on with by a server of the next", function* () {
  const tenant = yield* makeTenant
  const sql = yield* SystemSql
  const queue = yield* TestQueue
  yield* sql`insert into tests (id, organization_id, chatbot_id, question, expectations)
    values (gen_random_uuid(), ${tenant.organization}, ${tenant.chatbot}, 'Why?', '{}')`
  yield* sql`insert into test_runs (id, organization_id, chatbot_id, tier, trigger, status, server_version)
    values (gen_random_uuid(), ${tenant.organization}, ${tenant.chatbot}, 'search', 'manual', 'finished', '0.9.0')`
  yield* sql`delete from test_queue`
  expect(yield* queue.queueVersion("1.0.0")).toBe(1)
  const job = yield* Effect.flatMap(queue.claim("1.0.0")(lease), Effect.fromNullishOr)
  const id = TestRunId.make(Bun.randomUUIDv7())
  yield* as(tenant.organization)(queue.begin(job, id, { setup_hash: "a", server_version: "1.0.0" }))
  yield* as(tenant.organization)(queue.release(job, Duration.zero, false))
  yield* queue.queueVersion("2.0.0")
  const next = yield* Effect.flatMap(queue.claim("2.0.0")(lease), Effect.fromNullishOr)
  const run = yield* as(tenant.organization)(
    queue.begin(next, TestRunId.make(Bun.randomUUIDv7()), { setup_hash: "a", server_version: "2.0.0" }),
  )
  expect(run?.id).toBe(id)
})

it("a planned run stays planned when a chatbot changes whose changes start none", function* () {
  const { chatbot, organization } = yield* makeTenant
  const sql = yield* SystemSql
  const queued = Effect.map(
    sql<{ trigger: string }>`select trigger from test_queue where chatbot_id = ${chatbot}`,
    (rows) => rows.map(({ trigger }) => trigger),
  )
  const plan = (change: Partial<TestPlan>) =>
    as(organization)(
      TestPlans.use(({ modify }) => modify(chatbot, ({ plan }) => Effect.succeed({ ...plan, ...change }))),
    )
  const rename = (name: string) =>
    as(organization)(Chatbots.use(({ modify }) => modify(chatbot, () => Effect.succeed({ name }))))
  yield* plan({ schedule: "daily", on_change: false })
  yield* as(organization)(
    Tests.use(({ insert }) =>
      insert(TestId.make(Bun.randomUUIDv7()), chatbot, {
        question: "Why?",
        history: [],
        expectations: {},
        tags: [],
      }),
    ),
  )
  yield* rename("Another")
  expect(yield* queued).toEqual(["schedule"])
  const copy = yield* as(organization)(
    (yield* ChatbotCopies).copy(chatbot, { name: "Copy", slug: `copy-${chatbot}`, avatar: null }),
  )
  expect(yield* sql`select trigger from test_queue where chatbot_id = ${copy}`).toEqual([{ trigger: "schedule" }])
  yield* plan({ on_change: true })
  yield* rename("A third")
  expect(yield* queued).toEqual(["change"])
})
