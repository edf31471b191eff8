import { Duration, Effect, Random } from "effect"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"

/** When the next attempt is made. */
export interface RetryTimes {
  /** Wait before the second attempt, give or take a fifth; it doubles from there. */
  readonly retryDelay: Duration.Duration
  /** The longest wait that a provider may ask for; a call that would wait longer fails at once. */
  readonly retryAfterMax: Duration.Duration
  /** No attempt is begun later than this after the first. */
  readonly retryWindow: Duration.Duration
}

export const retryTimes: RetryTimes = {
  retryDelay: Duration.millis(500),
  retryAfterMax: Duration.seconds(20),
  retryWindow: Duration.seconds(60),
}

export interface RetryLimits extends RetryTimes {
  /** Attempts at one call, the first included. */
  readonly attemptsMax: number
}

interface Failure {
  readonly retryable: boolean
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter?: number
}

const JITTER = 0.2

/**
 * Tries again what failed for a reason that may pass. By hand, because a `Schedule` takes more of the processor than the
 * rest of a call does, also when the first attempt succeeds.
 *
 * @param mayRetry asked after a failure: what was told already cannot be taken back
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
