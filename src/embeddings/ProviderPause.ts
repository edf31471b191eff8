import { Duration, Effect, Ref } from "effect"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import type { EmbeddingsFailure } from "./EmbeddingsFailure.ts"

/** Wait after a failure, when the provider does not say; doubled for each further one in a row, */
const FIRST_WAIT = Duration.seconds(1)
/** up to this, which is the wait for an operator, too. */
const LONGEST_WAIT = Duration.minutes(1)
/** What a provider may ask for; one that asks for nothing is not asked as fast as it answers. */
const ASKED = { minimum: Duration.millis(100), maximum: Duration.hours(1) }

/** A time in which nobody asks the provider: one request was told to wait, and the others need not be told as well. */
export interface ProviderPause {
  /** Milliseconds that it still lasts; 0 when there is none. */
  readonly left: Effect.Effect<number>
  /** Returns once there is none. */
  readonly passed: Effect.Effect<void>
  /** It begins, or is made longer. */
  readonly begin: (failure: EmbeddingsFailure) => Effect.Effect<void>
  /** The provider has answered. */
  readonly end: Effect.Effect<void>
}

export const makeProviderPause: Effect.Effect<ProviderPause> = Effect.gen(function* () {
  /** By the monotonic clock, in milliseconds. */
  const until = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const failures = yield* Ref.make(0)

  const left = Effect.gen(function* () {
    return Math.max(0, (yield* Ref.get(until)) - (yield* currentMonotonicMillis))
  })

  const passed: Effect.Effect<void> = Effect.flatMap(left, (milliseconds) =>
    milliseconds === 0 ? Effect.void : Effect.andThen(Effect.sleep(milliseconds), passed),
  )

  const begin = Effect.fnUntraced(function* ({ kind, reason, retryAfter }: EmbeddingsFailure) {
    // Requests that were under way together fail together, and count as one.
    const isFirst = (yield* left) === 0
    const count = isFirst ? yield* Ref.updateAndGet(failures, (before) => before + 1) : yield* Ref.get(failures)
    const backOff = Duration.min(Duration.times(FIRST_WAIT, 2 ** (Math.max(1, count) - 1)), LONGEST_WAIT)
    const usual = kind === "setting" ? LONGEST_WAIT : backOff
    const wait = retryAfter === undefined ? usual : Duration.clamp(retryAfter, ASKED)
    const end = (yield* currentMonotonicMillis) + Duration.toMillis(wait)
    yield* Ref.update(until, (before) => Math.max(before, end))
    if (isFirst) {
      const log = kind === "setting" ? Effect.logError : Effect.logWarning
      yield* log("The embedding provider is left alone for a while").pipe(
        Effect.annotateLogs({ reason, seconds: Duration.toSeconds(wait) }),
      )
    }
  })

  return { left, passed, begin, end: Ref.set(failures, 0) }
})
