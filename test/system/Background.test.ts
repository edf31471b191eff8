import { expect, test } from "bun:test"
import { Duration, Effect, Latch, Logger } from "effect"
import { TestClock } from "effect/testing"
import { regularly } from "../../src/system/Background.ts"

/** Runs a test with a clock of its own, and the messages that are logged meanwhile. */
const run = <A>(test: (logged: ReadonlyArray<string>) => Effect.Effect<A>) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void (logLevel === "Warn" && logged.push(String(message))))
  return Effect.runPromise(test(logged).pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])])))
}

test("a loop in the background goes on after failures, defects and interruptions within it, and says each once a minute", () =>
  run((logged) =>
    Effect.gen(function* () {
      const ends = [Effect.fail("no"), Effect.die(new Error("a fault")), Effect.interrupt, Effect.void]
      let runs = 0
      yield* Effect.forkChild(
        regularly(
          Duration.seconds(1),
          "The work waits",
          Effect.suspend(() => ends[runs++ % ends.length] ?? Effect.void),
        ),
      )
      yield* TestClock.adjust("59 seconds")
      expect(runs).toBe(60)
      expect(logged.map((line) => line.split(",").at(-1))).toEqual([
        "no",
        "Error: a fault",
        expect.stringContaining("nterrupt"),
      ])
      yield* TestClock.adjust("10 seconds")
      expect(runs).toBe(70)
      expect(logged).toHaveLength(6)
    }),
  ))

test("a loop in the background says a failure that lasts once, and again when it comes back", () =>
  run((logged) =>
    Effect.gen(function* () {
      const outcomes = [...Array.from({ length: 100 }, () => "full"), "gone", "gone", "", "gone"]
      const work = Effect.suspend(() => {
        const outcome = outcomes.shift() ?? ""
        return outcome === "" ? Effect.void : Effect.fail(outcome)
      })
      yield* Effect.forkChild(regularly(Duration.minutes(1), "It failed", work))
      yield* TestClock.adjust("2 hours")
      expect(outcomes).toEqual([])
      expect(logged).toEqual(["It failed,full", "It failed,gone", "It failed,gone"])
    }),
  ))

test("a loop in the background whose bell rings during a run begins the next one at once", () =>
  run(() =>
    Effect.gen(function* () {
      const bell = yield* Latch.make(false)
      let runs = 0
      const work = Effect.suspend(() => (++runs < 3 ? bell.open : Effect.die(new Error("a fault"))))
      yield* Effect.forkChild(regularly(Duration.hours(1), "The work waits", work, bell))
      const soon = Effect.replicateEffect(TestClock.adjust("1 second"), 10)
      yield* soon
      expect(runs).toBe(3)
      yield* bell.open
      yield* soon
      expect(runs).toBe(4)
    }),
  ))
