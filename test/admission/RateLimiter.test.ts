import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/Errors.ts"
import { ApiKeyId, OrganizationId } from "../../src/domain/Ids.ts"
import { noRateLimit, type RateLimits } from "../../src/domain/organizations/RateLimit.ts"
import { RateLimiter } from "../../src/admission/RateLimiter.ts"
import { type RateCount, RateCounts, type RateReport } from "../../src/storage/RateCounts.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { quiet } from "../lib/Layers.ts"

const limits: RateLimits = {
  key: { quota: 100, seconds: 10 },
  organization: { quota: 150, seconds: 10 },
  address: noRateLimit,
}
const organizationId = OrganizationId.make(crypto.randomUUID())
const newCaller = () => ({ apiKeyId: ApiKeyId.make(crypto.randomUUID()), organizationId })

/** Counts that servers share, in memory. */
interface Shared {
  /** How often servers have reported. */
  statements: number
  /** What happens before each report. */
  before: Effect.Effect<void, Unavailable>
  /** The units by the ids of limits. */
  readonly used: Map<string, number>
}

const makeShared = (): Shared => ({ statements: 0, before: Effect.void, used: new Map() })

const countsOf = (shared: Shared) => {
  const count = ({ debt, id, quota, want }: RateReport): RateCount => {
    const before = shared.used.get(id) ?? 0
    const granted = Math.max(0, Math.min(want, quota - debt - before))
    shared.used.set(id, before + debt + granted)
    return { id, at: 0, slot: 0, counts: [before + debt + granted], granted }
  }
  return RateCounts.of({
    count: (reports) =>
      Effect.andThen(
        Effect.suspend(() => shared.before),
        Effect.sync(() => {
          shared.statements++
          return reports.map(count)
        }),
      ),
    sweep: Effect.void,
  })
}

const server = (shared = makeShared(), isAlone = false, settings = limits) =>
  RateLimiter.layer(settings, { visitor: noRateLimit, address: noRateLimit, key: noRateLimit }).pipe(
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

describe("a server that is alone", () => {
  test("grants as many requests as the limit of a key, and says when the next one is granted", () =>
    alone(
      Effect.gen(function* () {
        const caller = newCaller()
        expect(yield* granted(130, caller)).toBe(100)
        const { refusal, standings } = yield* (yield* RateLimiter).decide(caller, 1)
        expect(refusal?.detail).toBe("This API key may send 100 requests in 10 seconds.")
        expect(standings[0]).toEqual({ name: "key", limit: limits.key, remaining: 0, resetSeconds: 10 })
        yield* TestClock.adjust(`${(refusal?.retry_after_seconds ?? 0) - 1} seconds`)
        expect(yield* granted(1, caller)).toBe(0)
        yield* TestClock.adjust("1 second")
        expect(yield* granted(130, caller)).toBe(100)
      }),
    ))

  test("never grants more than the limit within any window, and nearly all of it when all of it is asked for", () =>
    alone(
      Effect.gen(function* () {
        const caller = newCaller()
        const grants: Array<number> = []
        for (let tick = 0; tick < 500; tick++) {
          grants.push(yield* granted(tick % 7, caller))
          yield* TestClock.adjust("100 millis")
        }
        const within = grants.map((_, tick) => grants.slice(tick, tick + 100).reduce((sum, one) => sum + one, 0))
        expect(Math.max(...within)).toBeLessThanOrEqual(100)
        expect(grants.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(5 * 95)
      }),
    ))

  test("limits the keys of an organization together", () =>
    alone(
      Effect.gen(function* () {
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
      }),
    ))

  test("takes more of the limit for a request that costs more, and grants one that costs more than all of it", () =>
    alone(
      Effect.gen(function* () {
        expect(yield* granted(130, newCaller(), 5)).toBe(20)
        expect(yield* granted(3, newCaller(), 1_000)).toBe(0)
        yield* TestClock.adjust("11 seconds")
        expect(yield* granted(3, newCaller(), 1_000)).toBe(1)
      }),
    ))
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
        expect(Array.from(shared.used)).toContainEqual([`key ${caller.apiKeyId} 200`, 1])
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
