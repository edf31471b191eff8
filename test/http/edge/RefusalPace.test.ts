import { expect, test } from "bun:test"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeRefusalPace } from "../../../src/http/edge/RefusalPace.ts"

test("a hundred refusals are answered at once, the following ones at a pace, and none after more than a second", () =>
  Effect.gen(function* () {
    const pace = makeRefusalPace()
    const isAtOnce = Effect.fnUntraced(function* (status: number) {
      const fiber = yield* Effect.forkChild(pace(status), { startImmediately: true })
      const exit = fiber.pollUnsafe()
      return { isDone: exit !== undefined && Exit.isSuccess(exit), fiber }
    })
    const burst = yield* Effect.forEach(Array.from({ length: 100 }), () => isAtOnce(429))
    expect(burst.every(({ isDone }) => isDone)).toBe(true)
    const flood = yield* Effect.forEach(Array.from({ length: 1_000 }), () => isAtOnce(401))
    expect(flood.filter(({ isDone }) => !isDone).length).toBeGreaterThan(900)
    expect((yield* isAtOnce(200)).isDone).toBe(true)
    expect((yield* isAtOnce(404)).isDone).toBe(true)
    yield* TestClock.adjust("1 second")
    yield* Effect.forEach(flood, ({ fiber }) => Fiber.join(fiber))
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
