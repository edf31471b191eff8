import { Duration, Effect, Random } from "effect"
import { currentMonotonicMillis } from "../system/Monotonic.ts"

export interface RetryLimits {
  /** The wait before the second attempt, randomized by a fifth. It doubles with each further attempt. */
  readonly retryDelay: Duration.Input
  /** The longest wait that a service may ask for. A call that would have to wait longer fails at once. */
  readonly retryAfterMax: Duration.Input
  /** The time after the first attempt in which further ones may begin. */
  readonly retryWindow: Duration.Input
  /** The most attempts of one call, including the first. */
  readonly attemptsMax: number
}

interface Failure {
  readonly retryable: boolean
  /** The wait that the service asks for, in milliseconds. */
  readonly retryAfter?: number
}

const JITTER = 0.2

/**
 * Retries an attempt that fails for a temporary reason. It stands in place of a `Schedule`, which takes more processor
 * time than the rest of a call, even when the first attempt succeeds.
 *
 * @param mayRetry called after each failure; it returns false once a part of the answer was passed on
 */
export const retrying = <A, E extends Failure, R>(
  attempt: Effect.Effect<A, E, R>,
  limits: RetryLimits,
  mayRetry: () => boolean = () => true,
): Effect.Effect<A, E, R> => {
  const tryFrom = (begin: number, number: number): Effect.Effect<A, E, R> =>
    Effect.catch(attempt, (failure) =>
      Effect.gen(function* () {
        const { retryAfter = 0, retryable } = failure
        if (
          !retryable ||
          !mayRetry() ||
          number >= limits.attemptsMax ||
          retryAfter > Duration.toMillis(limits.retryAfterMax)
        ) {
          return yield* Effect.fail(failure)
        }
        const jitter = yield* Random.nextBetween(1 - JITTER, 1 + JITTER)
        const wait = Math.max(retryAfter, Duration.toMillis(limits.retryDelay) * 2 ** (number - 1) * jitter)
        const elapsed = (yield* currentMonotonicMillis) - begin
        if (elapsed + wait > Duration.toMillis(limits.retryWindow)) return yield* Effect.fail(failure)
        return yield* Effect.delay(tryFrom(begin, number + 1), wait)
      }),
    )
  return Effect.flatMap(currentMonotonicMillis, (now) => tryFrom(now, 1))
}
