import { afterAll, expect } from "bun:test"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { ApiKeyId, MessageId, type OrganizationId, SessionId } from "../../../src/domain/Ids.ts"
import type { UsageGroup } from "../../../src/domain/organizations/Usage.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Usage } from "../../../src/storage/usage/Usage.ts"
import { replyOf } from "../../lib/FilledTenant.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const tokens = { input: 1, output: 10, cacheRead: 100, cacheWrite: 1_000 }
const always = { from: "2000-01-01", to: "9999-12-31", reach: null, page: { page: 1, limit: 100 } }

/** Counts one reply, whose session does not exist. */
const count = Effect.fnUntraced(function* (
  { organization, chatbot }: Effect.Success<typeof makeTenant>,
  apiKeyId = ApiKeyId.make(crypto.randomUUID()),
) {
  const [session, id] = [SessionId.make(yield* newId), MessageId.make(yield* newId)]
  yield* as(organization)(
    (yield* Conversations).reply(session, replyOf(id), {
      apiKeyId,
      chatbotId: chatbot,
      costs: [{ model: "m", provider: "p", tokens }],
    }),
  )
})

const read = (organization: OrganizationId, groups: ReadonlyArray<UsageGroup> = ["day"]) =>
  Usage.use((usage) => as(organization)(usage.read({ ...always, groups })))
const days = SystemSql.use((sql) => sql<{ days: number }>`select count(*)::int as days from usage_days`).pipe(
  Effect.map(([row]) => row?.days),
)

it("reports count every reply exactly once while several fibers fold entries into days", function* () {
  const tenant = yield* makeTenant
  const usage = yield* Usage
  const key = ApiKeyId.make(crypto.randomUUID())
  let done = 0
  const counting = yield* Effect.forkChild(
    Effect.forEach(Array.from({ length: 200 }), () => Effect.tap(count(tenant, key), () => Effect.sync(() => done++)), {
      concurrency: 8,
      discard: true,
    }),
  )
  const folding = yield* Effect.forkChild(Effect.forever(Effect.all([usage.fold, usage.fold], { concurrency: 2 })))
  while (done < 200) {
    const before = done
    const { replies } = (yield* read(tenant.organization)).total
    expect(replies).toBeGreaterThanOrEqual(before)
    // Replies that are being stored may be visible before their fiber goes on.
    expect(replies).toBeLessThanOrEqual(done + 8)
  }
  yield* Fiber.join(counting)
  yield* Fiber.interrupt(folding)
  const total = {
    replies: 200,
    input_tokens: 200,
    output_tokens: 2_000,
    cache_read_tokens: 20_000,
    cache_write_tokens: 200_000,
    total_tokens: 222_200,
  }
  expect(yield* read(tenant.organization, ["key", "model"])).toEqual({
    rows: [{ api_key_id: key, model: "m", ...total }],
    count: 1,
    total,
  })
})

it("a reply that several models made counts once, for the model that it is stored with, folded or not", function* () {
  const { organization, chatbot } = yield* makeTenant
  const [session, id] = [SessionId.make(yield* newId), MessageId.make(yield* newId)]
  const costs = ["first", "m"].map((model) => ({ model, provider: "p", tokens }))
  const spent = { apiKeyId: ApiKeyId.make(yield* newId), chatbotId: chatbot, costs }
  yield* as(organization)((yield* Conversations).reply(session, replyOf(id), spent))
  const sum = { input_tokens: 1, output_tokens: 10, cache_read_tokens: 100, cache_write_tokens: 1_000 }
  const each = { ...sum, total_tokens: 1_111 }
  for (const step of [Effect.void, (yield* Usage).fold]) {
    yield* step
    const { rows, total } = yield* read(organization, ["model"])
    expect(rows).toEqual([
      { model: "first", replies: 0, ...each },
      { model: "m", replies: 1, ...each },
    ])
    expect(total).toMatchObject({ replies: 1, total_tokens: 2_222 })
  }
})

it("a reply counts for its day in UTC, and old days are deleted", function* () {
  const tenant = yield* makeTenant
  const usage = yield* Usage
  const sql = yield* SystemSql
  for (const ago of [400, 401]) {
    yield* count(tenant)
    yield* sql`update usage_entries set day = day - ${ago}::int`
    yield* usage.fold
  }
  yield* count(tenant)
  const [today] = yield* sql<{ day: string }>`select (now() at time zone 'utc')::date::text as day`
  expect((yield* read(tenant.organization)).rows.at(-1)?.day).toBe(today?.day ?? "")
  expect((yield* read(tenant.organization)).total.replies).toBe(3)
  yield* usage.forget(400)
  expect((yield* read(tenant.organization)).total.replies).toBe(2)
})

it("the usage of an organization is deleted with it", function* () {
  const tenant = yield* makeTenant
  const usage = yield* Usage
  const sql = yield* SystemSql
  yield* usage.fold
  const before = yield* days
  yield* count(tenant)
  yield* sql`delete from organizations where id = ${tenant.organization}`
  yield* usage.fold
  expect(yield* sql`select from usage_entries`).toEqual([])
  expect(yield* days).toBe(before)
})
