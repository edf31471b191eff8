import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { Places } from "../../src/system/Places.ts"

const refused = "refused" as const
const wait = { millis: Number.POSITIVE_INFINITY, refuse: () => refused }
/** Places, and the most work that waits for them. */
const [PLACES, QUEUE] = [3, 2]

/** Lets all other fibers go on as far as they can. */
const settled = Effect.forEach(Array.from({ length: 8 }), () => Effect.yieldNow, { discard: true })

test("whoever begins and ends in whatever order, limits hold, nothing waits for a free place, and all are free in the end", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.nat()), { maxLength: 60 }), (ends) =>
      Effect.runPromise(
        Effect.gen(function* () {
          let idle = 0
          const running = new Set<number>()
          const places = new Places(PLACES, QUEUE, () => idle++)
          const work: Array<Fiber.Fiber<unknown, typeof refused>> = []
          for (const [number, end] of ends.entries()) {
            if (end === null) {
              const occupy = Effect.acquireUseRelease(
                Effect.sync(() => running.add(number)),
                () => Effect.never,
                () => Effect.sync(() => running.delete(number)),
              )
              const fiber = yield* Effect.forkChild(places.within(wait)(occupy))
              yield* settled
              const isRefused = fiber.pollUnsafe() !== undefined
              expect(isRefused).toBe(work.length === PLACES + QUEUE)
              if (!isRefused) work.push(fiber)
            } else {
              for (const fiber of work.splice(end % Math.max(1, work.length), 1)) yield* Fiber.interrupt(fiber)
              yield* settled
            }
            expect(running.size).toBe(Math.min(work.length, PLACES))
          }
          const wasBusy = work.length > 0
          const before = idle
          yield* Effect.forEach(work, Fiber.interrupt)
          expect(idle - before).toBe(wasBusy ? 1 : 0)
        }),
      ),
    ),
    { numRuns: 50 },
  ))
