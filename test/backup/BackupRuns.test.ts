import { expect, test } from "bun:test"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Backup } from "../../src/backup/Backup.ts"
import { BackupRuns } from "../../src/backup/BackupRuns.ts"

const nothing = { rows: 0, bytes: 0, files: 0, file_bytes: 0, reused: 0, damaged: [], missing: 0 }

test("a command that asks again gets the backup that has ended meanwhile, and a new command makes its own", () =>
  Effect.gen(function* () {
    let made = 0
    const backup = Layer.mock(Backup)({
      run: () =>
        Effect.delay(
          Effect.sync(() => ({ ...nothing, rows: ++made })),
          "1 minute",
        ),
    })
    const runs = Context.get(yield* Layer.build(Layer.provide(BackupRuns.layer, backup)), BackupRuns)
    const ask = (again: boolean) =>
      Effect.gen(function* () {
        const asking = yield* Effect.forkChild(runs.run({ directory: "/somewhere" }, Duration.seconds(10), again))
        yield* TestClock.adjust("10 seconds")
        return (yield* Fiber.join(asking))?.rows
      })
    expect(yield* ask(false)).toBeUndefined()
    expect(yield* ask(false)).toBeUndefined()
    yield* TestClock.adjust("1 minute")
    expect(yield* ask(true)).toBe(1)

    // The client of this one is cut off, and nobody asks for its end.
    expect(yield* ask(false)).toBeUndefined()
    yield* TestClock.adjust("1 hour")
    expect(yield* ask(false)).toBeUndefined()
    yield* TestClock.adjust("1 minute")
    expect([yield* ask(true), made]).toEqual([3, 3])
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))
