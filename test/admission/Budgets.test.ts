import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Exit, Fiber, Latch, Layer, ManagedRuntime } from "effect"
import * as fc from "fast-check"
import type { Budget } from "../../src/domain/organizations/Budget.ts"
import { ApiKeyId, type OrganizationId } from "../../src/domain/Ids.ts"
import type { TokenCounts } from "../../src/domain/organizations/Usage.ts"
import { Budgets as Service } from "../../src/admission/Budgets.ts"
import { Budgets } from "../../src/storage/usage/Budgets.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import {
  budgetSettings,
  chatLayer,
  failed,
  OUTPUT_MAX,
  reset,
  say,
  stepCost,
  stored,
  tellStep,
  type Tenant,
} from "../lib/Chatting.ts"
import { AgentControl, eventually, platform, repositories, replyOf } from "../lib/Layers.ts"
import { noBudget } from "../../src/domain/organizations/Budget.ts"
import { asCaller, makeTenant, newId } from "../lib/Tenants.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

const newKey = () => ApiKeyId.make(crypto.randomUUID())
const limited = (organization: Partial<Budget>, key: Partial<Budget> = {}, apiKeyId = newKey()) => ({
  apiKeyId,
  budgets: { organization: { ...noBudget, ...organization }, key: { ...noBudget, ...key } },
})

/** A reply that took these tokens. */
const replyThatTook = (tokens: TokenCounts) => ({ ...replyOf("ok"), tokens, costs: [{ ...stepCost, tokens }] })
/** A reply that took this number of tokens, some of each kind. */
const taking = (tokens: number) => replyThatTook({ input: 1, output: 2, cacheRead: 3, cacheWrite: tokens - 6 })

/** The tokens and the reservations of an organization, as the tables count them. */
const counted = (organization: OrganizationId) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ tokens: number; reserved: number }>`
        select (select coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), 0)::int from (
            select organization_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens from usage_days
            union all select organization_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens
            from usage_entries
          ) taken where organization_id = ${organization}) as tokens,
          (select count(*)::int from chat_reservations where organization_id = ${organization}) as reserved`,
      ([row]) => row,
    ),
  )

/** Chats `count` times at once, and returns the outcome of each: `ok`, or the tag of the failure. */
/** Asks so often at once. `ended` gets the outcomes as they come. */
const atOnce = (tenant: Tenant, count: number, caller: Parameters<typeof say>[3], ended: Array<string> = []) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => `${index}`),
    (session) =>
      say(tenant, "Hi", session, caller).pipe(
        Effect.match({ onSuccess: () => "ok", onFailure: ({ _tag }) => _tag }),
        Effect.tap((outcome) => Effect.sync(() => ended.push(outcome))),
      ),
    { concurrency: "unbounded" },
  )

const times = (outcomes: ReadonlyArray<string>, outcome: string) => outcomes.filter((one) => one === outcome).length

/** Makes the agent hold all replies until the gate opens, and counts them. */
const holding = Effect.gen(function* () {
  const agent = yield* AgentControl
  const gate = yield* Latch.make(false)
  const state = { running: 0, most: 0 }
  agent.reply = () =>
    Effect.suspend(() => {
      state.most = Math.max(state.most, ++state.running)
      return Effect.ensuring(
        Effect.as(gate.await, taking(OUTPUT_MAX)),
        Effect.sync(() => state.running--),
      )
    })
  return { gate, state }
})

describe("a budget of concurrent chats", () => {
  test.each([
    ["of an organization", limited({ concurrent_chats: 7 })],
    ["of a key", limited({ concurrent_chats: "unlimited" }, { concurrent_chats: 7 })],
  ])("%s admits no more of forty chats than it has, and refuses the others", (_, caller) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const { gate, state } = yield* holding
        const refused: Array<string> = []
        const asking = yield* Effect.forkChild(atOnce(tenant, 40, caller, refused))
        while (state.running + refused.length < 40) yield* Effect.sleep("1 millis")
        expect(state.running).toBe(7)
        yield* gate.open
        const outcomes = yield* Fiber.join(asking)
        expect([times(outcomes, "ok"), times(outcomes, "TooManyChats")]).toEqual([7, 33])
        expect(state.most).toBe(7)
        expect(yield* counted(tenant.organization)).toEqual({ tokens: 7 * OUTPUT_MAX, reserved: 0 })
      }),
    ),
  )

  it("of one key or organization does not limit those of another", function* () {
    const [tenant, other] = [yield* makeTenant, yield* makeTenant]
    const { gate } = yield* holding
    const mine = limited({}, { concurrent_chats: 1 })
    const first = yield* Effect.forkChild(say(tenant, "Hi", "1", mine))
    while ((yield* counted(tenant.organization))?.reserved !== 1) yield* Effect.sleep("1 millis")
    expect((yield* Effect.flip(say(tenant, "Hi", "2", mine)))._tag).toBe("TooManyChats")
    yield* gate.open
    yield* say(tenant, "Hi", "3", limited({}, { concurrent_chats: 1 }))
    yield* say(other, "Hi", "3", limited({ concurrent_chats: 1 }))
    yield* Fiber.join(first)
    yield* say(tenant, "Hi", "4", mine)
  })

  it("that is zero refuses every chat, stores nothing and calls no model", function* () {
    const tenant = yield* makeTenant
    const refused = yield* Effect.flip(say(tenant, "Hi", "s", limited({ concurrent_chats: 0 })))
    expect(refused).toMatchObject({ _tag: "TooManyChats", retry_after_seconds: 5 })
    expect((yield* AgentControl).asked).toEqual([])
    expect((yield* Effect.flip(stored(tenant, "s")))._tag).toBe("NotFound")
  })
})

describe("a budget of tokens per day", () => {
  /** The seconds until the day ends by the clock of the database. */
  const untilMidnight = SystemSql.use((sql) =>
    Effect.map(
      sql<{ seconds: number }>`
        select extract(epoch from date_trunc('day', clock_timestamp() at time zone 'UTC') + interval '1 day'
          - clock_timestamp() at time zone 'UTC')::float8 as seconds`,
      ([row]) => row?.seconds ?? 0,
    ),
  )

  it("counts all tokens, and refuses chats until midnight once it is spent", function* () {
    const tenant = yield* makeTenant
    const agent = yield* AgentControl
    agent.reply = () => Effect.succeed(taking(40))
    const caller = limited({ tokens_per_day: 100 })
    // A day that ends meanwhile would begin the count anew.
    yield* eventually(untilMidnight, (seconds) => seconds > 120)
    for (const session of ["1", "2", "3"]) yield* say(tenant, "Hi", session, caller)
    const most = yield* untilMidnight
    const refused = yield* Effect.flip(say(tenant, "Hi", "4", caller))
    expect(refused._tag).toBe("BudgetSpent")
    const wait = "retry_after_seconds" in refused ? refused.retry_after_seconds : 0
    expect(wait).toBeLessThanOrEqual(Math.ceil(most))
    expect(wait).toBeGreaterThanOrEqual(Math.floor(yield* untilMidnight))
    expect(agent.asked).toHaveLength(3)
    expect(yield* counted(tenant.organization)).toEqual({ tokens: 120, reserved: 0 })
    yield* SystemSql.use((sql) => sql`update usage_days set day = day - 1`)
    yield* say(tenant, "Hi", "4", caller)
  })

  it("of one key does not limit another", function* () {
    const tenant = yield* makeTenant
    ;(yield* AgentControl).reply = () => Effect.succeed(taking(40))
    const caller = limited({ tokens_per_day: 1_000 }, { tokens_per_day: 30 })
    yield* say(tenant, "Hi", "1", caller)
    expect((yield* Effect.flip(say(tenant, "Hi", "2", caller)))._tag).toBe("BudgetSpent")
    yield* say(tenant, "Hi", "3", limited({ tokens_per_day: 1_000 }, { tokens_per_day: 30 }))
  })

  it("counts tokens from before it was set, and those of deleted conversations", function* () {
    const tenant = yield* makeTenant
    ;(yield* AgentControl).reply = () => Effect.succeed(taking(50))
    yield* say(tenant, "Hi", "1")
    yield* SystemSql.use((sql) => sql`delete from sessions where organization_id = ${tenant.organization}`)
    const refused = yield* Effect.flip(say(tenant, "Hi", "2", limited({ tokens_per_day: 50 })))
    expect(refused._tag).toBe("BudgetSpent")
  })

  it("is not exceeded by forty chats at once", function* () {
    const tenant = yield* makeTenant
    ;(yield* AgentControl).reply = () => Effect.as(Effect.sleep("5 millis"), taking(OUTPUT_MAX))
    const outcomes = yield* atOnce(tenant, 40, limited({ tokens_per_day: 20 * OUTPUT_MAX }))
    const { tokens = 0, reserved } = (yield* counted(tenant.organization)) ?? {}
    expect(tokens).toBe(times(outcomes, "ok") * OUTPUT_MAX)
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThanOrEqual(20 * OUTPUT_MAX)
    expect(times(outcomes, "ok") + times(outcomes, "BudgetSpent")).toBe(40)
    expect(reserved).toBe(0)
  })

  it("can be spent to the last token: a single chat may reserve the rest", function* () {
    const tenant = yield* makeTenant
    const { gate, state } = yield* holding
    const caller = limited({ tokens_per_day: 5 })
    const last = yield* Effect.forkChild(say(tenant, "Hi", "1", caller))
    while (state.running < 1) yield* Effect.sleep("1 millis")
    const refused = yield* Effect.flip(say(tenant, "Hi", "2", caller))
    expect(refused).toMatchObject({ _tag: "BudgetSpent", retry_after_seconds: 5 })
    yield* gate.open
    expect((yield* Fiber.join(last)).output).toBe("ok")
  })
})

describe("a chat", () => {
  const spend = limited({ tokens_per_day: 1_000_000, concurrent_chats: 1 })

  it("counts its tokens and frees its place when it fails, is interrupted or has lost its session", function* () {
    const tenant = yield* makeTenant
    const agent = yield* AgentControl
    agent.reply = (input) => Effect.andThen(tellStep(input, "As far as this."), Effect.fail(failed))
    yield* Effect.flip(say(tenant, "Hi", "1", spend))
    expect(yield* counted(tenant.organization)).toEqual({ tokens: 18, reserved: 0 })

    const reached = yield* Latch.make(false)
    agent.reply = (input) => Effect.andThen(tellStep(input, "And this."), Effect.andThen(reached.open, Effect.never))
    const chatting = yield* Effect.forkChild(say(tenant, "Hi", "2", spend))
    yield* reached.await
    expect(yield* counted(tenant.organization)).toEqual({ tokens: 18, reserved: 1 })
    yield* Fiber.interrupt(chatting)
    expect(Exit.hasInterrupts(yield* Fiber.await(chatting))).toBe(true)
    expect(yield* counted(tenant.organization)).toEqual({ tokens: 36, reserved: 0 })

    const sql = yield* SystemSql
    const forget = Effect.orDie(sql`delete from sessions where organization_id = ${tenant.organization}`)
    agent.reply = () => Effect.as(forget, taking(40))
    yield* say(tenant, "Hi", "3", spend)
    expect(yield* counted(tenant.organization)).toEqual({ tokens: 76, reserved: 0 })
  })

  it("frees its place after a while when its server dies", function* () {
    const tenant = yield* makeTenant
    const budgets = yield* Budgets
    const limits = { tokensPerDay: 1_000, concurrentChats: 1 }
    const reserve = (lease: Duration.Input) =>
      Effect.flatMap(newId, (id) =>
        asCaller(tenant.organization)(
          budgets.reserve({
            id,
            apiKeyId: spend.apiKeyId,
            tokens: 1,
            lease: Duration.fromInputUnsafe(lease),
            organization: limits,
            key: limits,
          }),
        ),
      )
    expect(yield* reserve("1 hour")).toBeUndefined()
    expect((yield* Effect.flip(say(tenant, "Hi", "1", spend)))._tag).toBe("TooManyChats")
    yield* SystemSql.use(
      (sql) => sql`update chat_reservations set expires_at = now() - interval '1 second'
          where organization_id = ${tenant.organization}`,
    )
    yield* say(tenant, "Hi", "1", spend)

    expect(yield* reserve("0 seconds")).toBeUndefined()
    expect(yield* counted(tenant.organization)).toMatchObject({ reserved: 1 })
    yield* budgets.drop("expired")
    expect(yield* counted(tenant.organization)).toMatchObject({ reserved: 0 })
  })

  it("counts the tokens that its reply shows, also while usage is folded into days", function* () {
    const agent = yield* AgentControl
    const kind = fc.integer({ min: 0, max: 1_000_000 })
    const tokens = fc.record({ input: kind, output: kind, cacheRead: kind, cacheWrite: kind })
    const budget = fc.constantFrom(noBudget, { ...noBudget, tokens_per_day: 1_000_000_000 })
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.record({ tokens, budget, fails: fc.boolean() }), { maxLength: 12 }), (chats) =>
          run(
            Effect.gen(function* () {
              const tenant = yield* makeTenant
              for (const { tokens, budget, fails } of chats) {
                agent.reply = (input) =>
                  fails
                    ? Effect.andThen(
                        tellStep(input, "Some", { model: "m", provider: "p", tokens }),
                        Effect.fail(failed),
                      )
                    : Effect.succeed(replyThatTook(tokens))
                yield* Effect.exit(say(tenant, "Hi", "s", limited(budget)))
              }
              const sum = yield* SystemSql.use(
                (sql) => sql<{ sum: number }>`select coalesce(sum(tokens_used), 0)::int as sum from messages
                      where organization_id = ${tenant.organization}`,
              )
              expect((yield* counted(tenant.organization))?.tokens).toBe(sum[0]?.sum ?? -1)
              yield* SystemSql.use((sql) => sql`select fold_usage(${tenant.organization}::uuid)`)
              expect((yield* counted(tenant.organization))?.tokens).toBe(sum[0]?.sum ?? -1)
            }),
          ),
        ),
        { numRuns: 15 },
      ),
    )
  })

  it("without a budget executes no statement on budgets", function* () {
    const tenant = yield* makeTenant
    yield* SystemSql.use((sql) => sql`alter function reserve_chat rename to away`)
    yield* say(tenant, "Hi", "s")
    yield* SystemSql.use((sql) => sql`alter function away rename to reserve_chat`)
  })
})

test("a server that is alone with its database drops all reservations when it starts", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const tenant = yield* makeTenant
      const budgets = yield* Budgets
      const limits = { tokensPerDay: 1_000, concurrentChats: 1 }
      const id = yield* newId
      const reservation = {
        id,
        apiKeyId: newKey(),
        tokens: 1,
        lease: Duration.hours(1),
        organization: limits,
        key: limits,
      }
      yield* asCaller(tenant.organization)(budgets.reserve(reservation))
      const start = (isAlone: boolean) =>
        Service.layer(budgetSettings).pipe(Layer.provide(databaseTraits({ isAlone })), Layer.build, Effect.scoped)
      yield* start(false)
      expect(yield* counted(tenant.organization)).toMatchObject({ reserved: 1 })
      yield* start(true)
      expect(yield* counted(tenant.organization)).toMatchObject({ reserved: 0 })
    }).pipe(Effect.provide(repositories.pipe(Layer.provideMerge(TestDatabase.layer), Layer.merge(platform)))),
  ))
