import { describe, expect, test } from "bun:test"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/Errors.ts"
import { ApiKeyId, OrganizationId } from "../../src/domain/Ids.ts"
import { noRateLimit, type RateLimit, type RateLimits } from "../../src/domain/organizations/RateLimit.ts"
import { COUNTED_SLOTS } from "../../src/admission/RateCounter.ts"
import { RateLimiter } from "../../src/admission/RateLimiter.ts"
import { RateCounts } from "../../src/storage/RateCounts.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { quiet } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const limits: RateLimits = {
  key: { quota: 100, seconds: 10 },
  organization: { quota: 150, seconds: 10 },
  address: noRateLimit,
}
const organizationId = OrganizationId.make(crypto.randomUUID())
const newCaller = () => ({ apiKeyId: ApiKeyId.make(crypto.randomUUID()), organizationId })

/** Counts that servers share, in memory. */
interface Shared {
  /** How often servers have exchanged counts. */
  statements: number
  /** What happens before each exchange. */
  before: Effect.Effect<void, Unavailable>
  /** What happens before the answer. */
  after: Effect.Effect<void>
  /** The units by the ids of limits and slots. */
  readonly used: Map<string, Map<number, number>>
}

const makeShared = (): Shared => ({ statements: 0, before: Effect.void, after: Effect.void, used: new Map() })

const countsOf = (shared: Shared) => {
  const add = (id: string, units: number, now: number) => {
    const slots = shared.used.get(id) ?? new Map<number, number>()
    shared.used.set(id, slots)
    const slotMillis = Number(id.split(" ")[2])
    const slot = Math.floor(now / slotMillis)
    slots.set(slot, (slots.get(slot) ?? 0) + units)
    const counts = Array.from({ length: COUNTED_SLOTS }, (_, age) => slots.get(slot - age) ?? 0)
    return [id, { id, counts, age: now % slotMillis }] as const
  }
  return RateCounts.of({
    add: Effect.fnUntraced(function* (counts) {
      yield* shared.before
      shared.statements++
      // Its slots begin at other moments than those of the servers.
      const now = (yield* Clock.currentTimeMillis) + 12_345
      const answer = new Map(counts.map(({ id, units }) => add(id, units, now)))
      yield* shared.after
      return answer
    }),
    sweep: Effect.void,
  })
}

const server = (shared = makeShared(), isAlone = false, settings = limits) =>
  RateLimiter.layer(settings, { visitor: noRateLimit, address: noRateLimit }).pipe(
    Layer.provide([Layer.succeed(RateCounts, countsOf(shared)), databaseTraits({ isAlone }), quiet]),
  )

/** Sends requests of one cost at the same moment, and returns how many are granted. */
const granted = (requests: number, caller = newCaller(), cost = 1) =>
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const decisions = yield* Effect.all(
      Array.from({ length: requests }, () => limiter.decide(caller, cost)),
      { concurrency: "unbounded" },
    )
    return decisions.filter(({ refusal }) => refusal === undefined).length
  })

const alone = <A, E>(effect: Effect.Effect<A, E, RateLimiter>, settings = limits) =>
  Effect.runPromise(
    Effect.provide(effect, server(makeShared(), true, settings).pipe(Layer.provideMerge(TestClock.layer()))),
  )
const it = effectTests(alone)

describe("a server that is alone", () => {
  it("grants as many requests as the limit of a key, and says when the next one is granted", function* () {
    const caller = newCaller()
    expect(yield* granted(130, caller)).toBe(100)
    const { refusal, standings } = yield* (yield* RateLimiter).decide(caller, 1)
    expect(refusal?.detail).toBe("This API key may send 100 requests in 10 seconds.")
    expect(standings[0]).toEqual({ name: "key", limit: limits.key, remaining: 0, resetSeconds: 10 })
    yield* TestClock.adjust(`${(refusal?.retry_after_seconds ?? 0) - 1} seconds`)
    expect(yield* granted(1, caller)).toBe(0)
    yield* TestClock.adjust("1 second")
    expect(yield* granted(130, caller)).toBe(100)
  })

  it("never grants more than the limit within any window, and nearly all of it when all of it is asked for", function* () {
    const caller = newCaller()
    const grants: Array<number> = []
    for (let tick = 0; tick < 500; tick++) {
      grants.push(yield* granted(tick % 7, caller))
      yield* TestClock.adjust("100 millis")
    }
    const within = grants.map((_, tick) => grants.slice(tick, tick + 100).reduce((sum, one) => sum + one, 0))
    expect(Math.max(...within)).toBeLessThanOrEqual(100)
    expect(grants.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(5 * 95)
  })

  it("limits the keys of an organization together", function* () {
    expect(yield* granted(100)).toBe(100)
    expect(yield* granted(100)).toBe(50)
    const { refusal } = yield* (yield* RateLimiter).decide(newCaller(), 1)
    expect(refusal?.detail).toBe(
      "The people and API keys of the organization together may send 150 requests in 10 seconds.",
    )
    expect(
      yield* granted(1, {
        apiKeyId: newCaller().apiKeyId,
        organizationId: OrganizationId.make(crypto.randomUUID()),
      }),
    ).toBe(1)
  })

  it("takes more of the limit for a request that costs more, and grants one that costs more than all of it", function* () {
    expect(yield* granted(130, newCaller(), 5)).toBe(20)
    expect(yield* granted(3, newCaller(), 1_000)).toBe(0)
    yield* TestClock.adjust("11 seconds")
    expect(yield* granted(3, newCaller(), 1_000)).toBe(1)
  })
})

/** Runs an effect on a server that shares its counts with others. */
const sharing = <A, E>(use: (shared: Shared) => Effect.Effect<A, E, RateLimiter>) => {
  const shared = makeShared()
  return Effect.runPromise(Effect.provide(use(shared), server(shared, false, { ...limits, organization: noRateLimit })))
}

describe("servers that share their counts", () => {
  test("grant one limit, of which each may exceed a fiftieth, also when all is asked of all at the same moment", async () => {
    const shared = makeShared()
    const caller = newCaller()
    const each = Effect.provide(granted(200, caller), Layer.fresh(server(shared)))
    const counts = await Effect.runPromise(Effect.all([each, each], { concurrency: "unbounded" }))
    const sum = counts.reduce((one, other) => one + other, 0)
    expect(sum).toBeGreaterThanOrEqual(100)
    expect(sum).toBeLessThanOrEqual(104)
  })

  test("answer requests that wait at the same moment by one statement, and refuse without any", () =>
    sharing((shared) =>
      Effect.gen(function* () {
        const caller = newCaller()
        expect(yield* granted(90, caller)).toBe(90)
        expect(shared.statements).toBe(1)
        expect(yield* granted(500, caller)).toBe(10)
        const after = shared.statements
        expect(yield* granted(500, caller)).toBe(0)
        expect(shared.statements).toBe(after)
      }),
    ))

  test("answer a lone request without waiting, and report it later", () =>
    sharing((shared) =>
      Effect.gen(function* () {
        const caller = newCaller()
        expect(yield* granted(1, caller)).toBe(1)
        expect(shared.statements).toBe(0)
        yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => shared.statements > 0 })
        expect(Array.from(shared.used.get(`key ${caller.apiKeyId} 200`)?.values() ?? [])).toEqual([1])
      }),
    ))

  test.each([
    ["cannot be reached", Effect.fail(new Unavailable({ detail: "", retry_after_seconds: 1 }))],
    ["does not answer", Effect.never],
  ])("go on alone, each within the limit, when the database %s", (_, before) =>
    sharing((shared) =>
      Effect.gen(function* () {
        shared.before = before
        const caller = newCaller()
        expect(yield* granted(150, caller)).toBe(100)
        expect(yield* granted(150, caller)).toBe(0)
      }),
    ),
  )
})

/** Servers that share their counts by a database that answers after some milliseconds. */
const cluster = (size: number, key: RateLimit, organization = noRateLimit) =>
  Effect.gen(function* () {
    const shared = makeShared()
    shared.before = Effect.sleep("2 millis")
    shared.after = Effect.sleep("2 millis")
    const layer = Layer.fresh(server(shared, false, { key, organization, address: noRateLimit }))
    const contexts = yield* Effect.all(Array.from({ length: size }, () => Layer.build(layer)))
    return contexts.map((context) => Context.get(context, RateLimiter))
  })

/**
 * Sends requests to all servers in steps of 100 ms, as many to each as `each` says of the step and the server. Returns
 * the most that were granted within any window of the limit, in percent of the limit, and the share of the limit that was
 * granted over all windows, in percent.
 */
const measure = (size: number, limit: RateLimit, windows: number, each: (step: number, server: number) => number) =>
  Effect.gen(function* () {
    const caller = newCaller()
    const servers = yield* cluster(size, limit)
    const steps = limit.seconds * 10
    const grants = Array.from({ length: windows * steps }, () => 0)
    for (const step of grants.keys()) {
      for (const [number, limiter] of servers.entries()) {
        for (let request = each(step, number); request > 0; request--) {
          yield* Effect.forkScoped(
            Effect.map(limiter.decide(caller, 1), ({ refusal }) => {
              if (refusal === undefined) grants[step] = (grants[step] ?? 0) + 1
            }),
          )
        }
      }
      yield* TestClock.adjust("100 millis")
    }
    let [within, most] = [0, 0]
    for (const [step, one] of grants.entries()) {
      within += one - (grants[step - steps] ?? 0)
      most = Math.max(most, within)
    }
    const all = grants.reduce((sum, one) => sum + one, 0)
    return { most: (100 * most) / limit.quota, all: (100 * all) / limit.quota / windows }
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

describe.each([2, 4])("%i servers that share their counts", (size) => {
  test.each([10, 60, 600])("stay within 10 %% of a limit of %i a minute", async (quota) => {
    const limit = { quota, seconds: 60 }
    // In each step, one server after the other gets twice as much as may be granted.
    const perStep = (2 * quota) / 600
    const steady = await measure(size, limit, 3, (step, number) =>
      step % size === number ? Math.floor((step + 1) * perStep) - Math.floor(step * perStep) : 0,
    )
    // Every 20 seconds, all servers get all of the limit at the same moment.
    const burst = await measure(size, limit, 3, (step) => (step % 200 === 0 ? quota : 0))
    // All servers get all of the limit, and then always a little more than is left.
    const flood = await measure(size, limit, 3, (step) => (step === 0 ? quota : step % 3 === 0 ? 1 + quota / 50 : 0))
    const one = await measure(size, limit, 1, (step, number) => (step === 0 && number === 0 ? quota : 0))
    for (const { most } of [steady, burst, flood, one]) expect(most).toBeLessThanOrEqual(110)
    expect(steady.all).toBeGreaterThanOrEqual(90)
    expect(one.most).toBe(100)
  })
})

test("the keys of an organization get what is left of its limit after much was refused to one of them by all servers", () =>
  Effect.gen(function* () {
    const servers = yield* cluster(4, { quota: 100, seconds: 10 }, { quota: 250, seconds: 10 })
    const burst = Effect.gen(function* () {
      const caller = newCaller()
      const decisions = yield* Effect.forkScoped(
        Effect.forEach(
          servers.flatMap((limiter) => Array.from({ length: 200 }, () => limiter.decide(caller, 1))),
          (decision) => decision,
          { concurrency: "unbounded" },
        ),
      )
      yield* TestClock.adjust("300 millis")
      return (yield* Fiber.join(decisions)).filter(({ refusal }) => refusal === undefined).length
    })
    const [first, second, third] = [yield* burst, yield* burst, yield* burst]
    expect(first).toBeGreaterThanOrEqual(100)
    expect(second).toBeGreaterThanOrEqual(100)
    expect(first + second + third).toBeGreaterThanOrEqual(250)
    expect(first + second + third).toBeLessThanOrEqual(275)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))

test("a server that refuses hears within a moment that others have taken units back", () =>
  Effect.gen(function* () {
    const shared = makeShared()
    const limiter = Context.get(yield* Layer.build(server(shared)), RateLimiter)
    const others = countsOf(shared)
    const caller = newCaller()
    const id = `key ${caller.apiKeyId} 200`
    const isGranted = Effect.map(limiter.decide(caller, 1), ({ refusal }) => refusal === undefined)
    yield* others.add([{ id, units: 500 }])
    expect(yield* isGranted).toBe(true)
    yield* TestClock.adjust("200 millis")
    expect(yield* isGranted).toBe(false)
    yield* others.add([{ id, units: -500 }])
    yield* TestClock.adjust("200 millis")
    expect(yield* isGranted).toBe(true)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))
