import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { memoryBlobs } from "../../lib/Layers.ts"
import { Health } from "../../../src/services/system/Health.ts"
import { Inspection } from "../../../src/storage/inspection/Inspection.ts"

const down = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

/** A database that answers a ping always, and the question for missing vectors with these in turn. */
const withAnswers = (answers: Array<boolean | Unavailable>) =>
  Health.layer.pipe(
    Layer.provide(memoryBlobs),
    Layer.provide(
      Layer.mock(Inspection, {
        isReadOnly: Effect.succeed(false),
        areVectorsMissing: Effect.suspend(() => {
          const answer = answers.shift() ?? false
          return answer instanceof Unavailable ? Effect.fail(answer) : Effect.succeed(answer)
        }),
      }),
    ),
  )

test("a server whose database has recovered is ready at the next check", () =>
  Effect.gen(function* () {
    const { check } = yield* Health
    expect(yield* Effect.flip(check)).toBe(down)
    expect(yield* check).toEqual({ areVectorsMissing: true, isReadOnly: false })
  }).pipe(Effect.provide(withAnswers([down, true])), Effect.runPromise))

test("whether vectors are missing is not asked at every check", () => {
  const answers = [true, false, false]
  return Effect.gen(function* () {
    const { check } = yield* Health
    expect(yield* check).toEqual({ areVectorsMissing: true, isReadOnly: false })
    expect(yield* check).toEqual({ areVectorsMissing: true, isReadOnly: false })
    expect(answers).toEqual([false, false])
  }).pipe(Effect.provide(withAnswers(answers)), Effect.runPromise)
})
