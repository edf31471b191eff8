import { describe, expect, test } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/Errors.ts"
import { exposition } from "../../src/observability/Exposition.ts"
import * as QueueFigures from "../../src/services/system/QueueFigures.ts"
import { Inspection, type Queues } from "../../src/storage/inspection/Inspection.ts"

const idle = { waiting: 0, underWay: 0, delayed: 0, overdue_seconds: null }
const busy: Queues = {
  mail_queue: idle,
  ingestions: { waiting: 7, underWay: 2, delayed: 1, overdue_seconds: 12.5 },
  reembeddings: idle,
  source_queue: idle,
  test_queue: idle,
  webhook_deliveries: idle,
}

/** Reads the metrics with a database that gives this answer to each question in turn, and the last one from then on. */
const withDatabase = <A>(
  answers: ReadonlyArray<Effect.Effect<Queues, Unavailable>>,
  use: (asked: () => number) => Effect.Effect<A>,
) => {
  let asked = 0
  const queues = Effect.suspend(() => answers[Math.min(asked++, answers.length - 1)] ?? Effect.never)
  const state = Layer.mock(Inspection)({ queues })
  return Effect.runPromise(
    Effect.scoped(
      Effect.andThen(
        Layer.build(Layer.provide(QueueFigures.layer, state)),
        use(() => asked),
      ),
    ).pipe(Effect.provide(TestClock.layer())),
  )
}

const dead = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 1 })

describe("the figures of the queues", () => {
  test("are those of the database", async () => {
    const text = await withDatabase([Effect.succeed(busy)], () => exposition)
    expect(text).toContain("parley_database_up 1\n")
    expect(text).toContain('parley_queue_jobs{queue="ingestion",state="waiting"} 7\n')
    expect(text).toContain('parley_queue_oldest_seconds{queue="ingestion"} 12.5\n')
    expect(text).toContain('parley_queue_oldest_seconds{queue="embedding"} 0\n')
  })

  test("are asked for once by all who read the metrics within five seconds", async () => {
    const asked = await withDatabase([Effect.succeed(busy)], (asked) =>
      Effect.gen(function* () {
        yield* Effect.all([exposition, exposition, exposition], { concurrency: "unbounded" })
        yield* TestClock.adjust("4 seconds")
        yield* exposition
        const before = asked()
        yield* TestClock.adjust("2 seconds")
        yield* exposition
        return [before, asked()]
      }),
    )
    expect(asked).toEqual([1, 2])
  })

  test.each([
    ["fails", Effect.fail(dead)],
    ["hangs", Effect.never],
  ])("are absent while the database %s, and the other metrics are there", async (_, answer) => {
    const text = await withDatabase([Effect.succeed(busy), answer], () =>
      Effect.gen(function* () {
        yield* exposition
        yield* TestClock.adjust("6 seconds")
        const reading = yield* Effect.forkChild(exposition)
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(reading)
      }),
    )
    expect(text).toContain("parley_database_up 0\n")
    expect(text).not.toContain("parley_queue_")
    expect(text).toContain("# TYPE")
  })
})
