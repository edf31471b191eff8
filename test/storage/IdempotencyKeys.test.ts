import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Duration, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { hashKey } from "../../src/domain/keys/ApiKey.ts"
import { ApiKeyId, type OrganizationId } from "../../src/domain/Ids.ts"
import { type Attempt, IdempotencyKeys } from "../../src/storage/IdempotencyKeys.ts"
import { deadServer, idWithin, Servers, type TakeOver } from "../../src/storage/servers/Servers.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { claimOf, keyedOf } from "../lib/FilledTenant.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

let organization: OrganizationId
beforeAll(async () => {
  ;({ organization } = await run(makeTenant))
})

const apiKey = ApiKeyId.make(crypto.randomUUID())
const answerOf = (text: string) => ({ status: 200, answer: Buffer.from(text), session: undefined })
const textOf = (bytes: Uint8Array | null | undefined) =>
  bytes === null || bytes === undefined ? undefined : Buffer.from(bytes).toString()
const newAttempt = (name: string): Attempt => ({
  ...keyedOf(organization, apiKey, crypto.randomUUID()),
  name: hashKey(name),
})
const mine = <A, E, R>(effect: Effect.Effect<A, E, R>) => as(organization)(effect)

/** Lets the lease of a key lapse, or the key itself expire. */
const lapse = (name: string, column: "expires_at" | "lease_until") =>
  SystemSql.use(
    (sql) =>
      sql`update idempotency_keys set ${sql(column)} = now() - interval '1 second' where name = ${hashKey(name)}`,
  )

type Step =
  | { readonly type: "claim"; readonly request: string }
  | { readonly type: "complete" | "forget" | "release"; readonly attempt: number }
  | { readonly type: "expires_at" | "lease_until" }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("claim"), request: fc.constantFrom("a", "b") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("complete", "forget", "release"),
      attempt: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("expires_at", "lease_until") }) },
)

/** What the row of a key holds, if there is one. */
interface Model {
  request: string
  operation: string
  lease: string
  isLapsed: boolean
  isExpired: boolean
  answer: string | undefined
}

describe("a key", () => {
  test("has one attempt or one answer at a time, whatever lapses, expires or is given up in between", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) =>
        run(
          Effect.gen(function* () {
            const keys = yield* IdempotencyKeys
            const name = crypto.randomUUID()
            const attempts: Array<Attempt> = []
            let model: Model | undefined
            for (const one of steps) {
              switch (one.type) {
                case "claim": {
                  const attempt = newAttempt(name)
                  attempts.unshift(attempt)
                  const outcome = yield* mine(keys.claim(claimOf(attempt, { fingerprint: hashKey(one.request) })))
                  const isFree =
                    model === undefined || (model.isExpired && (model.answer !== undefined || model.isLapsed))
                  const isLeft =
                    model?.answer === undefined && model?.isLapsed === true && model.request === one.request
                  expect(outcome?.is_claimed).toBe(isFree || isLeft)
                  if (isFree || isLeft) {
                    const isNew: boolean = model === undefined || model.isExpired
                    const operation: string = isNew ? attempt.lease : (model?.operation ?? "")
                    expect(outcome?.operation_id).toBe(operation)
                    model = {
                      request: one.request,
                      operation,
                      lease: attempt.lease,
                      isLapsed: false,
                      isExpired: false,
                      answer: undefined,
                    }
                  } else {
                    expect(outcome?.is_same).toBe(model?.request === one.request)
                    expect(textOf(outcome?.answer)).toBe(model?.answer)
                    expect(outcome?.status).toBe(model?.answer === undefined ? null : 200)
                  }
                  break
                }
                case "expires_at":
                case "lease_until":
                  yield* lapse(name, one.type)
                  if (model !== undefined) model[one.type === "expires_at" ? "isExpired" : "isLapsed"] = true
                  break
                default: {
                  const attempt = attempts[one.attempt]
                  if (attempt === undefined) break
                  const isRunning = model?.lease === attempt.lease && model.answer === undefined
                  if (one.type === "complete") {
                    const kept = yield* mine(keys.complete("tenant", attempt, answerOf(attempt.lease)))
                    expect(kept).toBe(isRunning)
                    if (isRunning && model !== undefined) model.answer = attempt.lease
                  } else {
                    yield* mine(keys[one.type](attempt))
                    if (isRunning && model !== undefined) {
                      if (one.type === "release") model.isLapsed = true
                      else model = undefined
                    }
                  }
                }
              }
            }
          }),
        ),
      ),
      {
        numRuns: 60,
        // Another request with the key of an attempt that was cut off, which chance misses now and then.
        examples: [[[{ type: "claim", request: "a" }, { type: "lease_until" }, { type: "claim", request: "b" }]]],
      },
    ))

  it("that is claimed many times at once is given to one", function* () {
    const keys = yield* IdempotencyKeys
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 12 }, () => newAttempt("at once")),
      (attempt) => mine(keys.claim(claimOf(attempt))),
      { concurrency: "unbounded" },
    )
    expect(outcomes.filter((outcome) => outcome?.is_claimed === true)).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome?.status === null && outcome.is_same)).toHaveLength(12)
  })

  it("whose lease is renewed is not given to another, and one that is not renewed is", function* () {
    const keys = yield* IdempotencyKeys
    const [renewed, lapsed] = [newAttempt("renewed"), newAttempt("lapsed")]
    for (const attempt of [renewed, lapsed]) yield* mine(keys.claim(claimOf(attempt)))
    for (const name of ["renewed", "lapsed"]) yield* lapse(name, "lease_until")
    yield* keys.renew([renewed], Duration.minutes(1))
    const again = (name: string) => mine(keys.claim(claimOf(newAttempt(name))))
    expect((yield* again("renewed"))?.is_claimed).toBe(false)
    expect((yield* again("lapsed"))?.is_claimed).toBe(true)
    yield* keys.releaseAll
    expect((yield* again("renewed"))?.is_claimed).toBe(true)
  })
})

it("an operation is undone if its answer is not kept, and its answer if the operation is undone", function* () {
  const keys = yield* IdempotencyKeys
  const sql = yield* SqlClient.SqlClient
  const attempt = newAttempt("together")
  yield* mine(keys.claim(claimOf(attempt)))
  const change = sql`update idempotency_keys set expires_at = now() where name = ${attempt.name}`
  const operation = Effect.andThen(change, keys.complete("tenant", attempt, answerOf("a")))
  const exit = yield* Effect.exit(mine(keys.commit("tenant")(Effect.andThen(operation, Effect.fail("undo")))))
  expect(Exit.isFailure(exit)).toBe(true)
  expect(yield* mine(keys.claim(claimOf(newAttempt("together"))))).toMatchObject({
    is_claimed: false,
    status: null,
  })
  expect(yield* mine(keys.commit("tenant")(keys.complete("tenant", attempt, answerOf("a"))))).toBe(true)
  expect(yield* mine(keys.claim(claimOf(newAttempt("together"))))).toMatchObject({ status: 200 })
})

test("the keys of a server that has ended can be claimed at once, and those of others stay taken", () => {
  const [dead, alive] = [crypto.randomUUID(), crypto.randomUUID()]
  const takeOvers: Array<TakeOver> = []
  const servers = Layer.succeed(Servers, {
    id: alive,
    hasOthers: () => true,
    idOf: (random) => idWithin(alive, random),
    onDeath: (takeOver) => Effect.sync(() => void takeOvers.push(takeOver)),
  })
  return run(
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      const claim = (name: string, server: string) =>
        mine(keys.claim(claimOf({ ...newAttempt(name), lease: idWithin(server, crypto.randomUUID()) })))
      yield* claim("of the dead", dead)
      yield* claim("of the living", alive)
      for (const takeOver of takeOvers) yield* takeOver(deadServer(dead))
      expect(yield* claim("of the dead", alive)).toMatchObject({ is_claimed: true })
      expect(yield* claim("of the living", alive)).toMatchObject({ is_claimed: false })
      expect(keys.leaseOf(crypto.randomUUID())).toStartWith(alive.slice(0, 18))
    }).pipe(Effect.provide(Layer.provide(Layer.fresh(IdempotencyKeys.layer), servers))),
  )
})

it("expired rows are swept, but for those of running requests", function* () {
  const keys = yield* IdempotencyKeys
  const [answered, running, kept] = [newAttempt("answered"), newAttempt("running"), newAttempt("kept")]
  for (const attempt of [answered, running, kept]) yield* mine(keys.claim(claimOf(attempt)))
  yield* mine(keys.complete("tenant", answered, answerOf("a")))
  for (const name of ["answered", "running"]) yield* lapse(name, "expires_at")
  yield* keys.sweep
  const left = yield* SystemSql.use((sql) => sql<{ lease_id: string }>`select lease_id from idempotency_keys`)
  const leases = left.map(({ lease_id }) => lease_id)
  expect(leases).not.toContain(answered.lease)
  expect(leases).toEqual(expect.arrayContaining([running.lease, kept.lease]))
})

it("the oldest answers of an organization beyond its bytes are dropped, and their keys stay taken", function* () {
  const keys = yield* IdempotencyKeys
  const { organization: own } = yield* makeTenant
  const names = ["oldest", "middle", "newest"]
  for (const name of names) {
    const attempt = newAttempt(name)
    yield* as(own)(keys.claim(claimOf(attempt)))
    yield* as(own)(keys.complete("tenant", attempt, answerOf("x".repeat(100))))
  }
  yield* keys.trim(1_000)
  const answers = Effect.forEach(names, (name) =>
    Effect.map(as(own)(keys.claim(claimOf(newAttempt(name)))), (outcome) => [
      outcome?.is_claimed,
      outcome?.answer?.length,
    ]),
  )
  expect(yield* answers).toEqual(names.map(() => [false, 100]))
  yield* keys.trim(250)
  expect(yield* answers).toEqual([
    [false, undefined],
    [false, 100],
    [false, 100],
  ])
})
