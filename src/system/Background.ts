import { Cause, Duration, Effect, Latch, Schedule } from "effect"

/*
 * Background work, for which no caller waits. It goes on after a defect, which would otherwise end it silently for the
 * rest of the process's life.
 */

/** The wait after a failure that may last, such as that of a database which is not there. */
export const FAULT_DELAY = Duration.minutes(1)

/**
 * Repeats work for ever, with `interval` after each run, or less when somebody opens `bell`, which a run closes when it
 * begins. A run that fails is logged as `warning`, and the next one follows.
 */
export const regularly = <A, E, R>(
  interval: Duration.Duration,
  warning: string,
  work: Effect.Effect<A, E, R>,
  bell: Latch.Latch = Latch.makeUnsafe(false),
): Effect.Effect<never, never, R> =>
  bell.close.pipe(
    Effect.andThen(work),
    Effect.catchCause((cause) => Effect.logWarning(warning, Cause.squash(cause))),
    Effect.andThen(Effect.timeoutOption(bell.await, interval)),
    Effect.forever,
  )

/** Retries work until it has succeeded once. Each attempt that fails is logged as `warning`. */
export const persistently = <A, E, R>(warning: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  work.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.tapError((error) => Effect.logWarning(warning, error)),
    Effect.retry(Schedule.spaced(FAULT_DELAY)),
    Effect.orDie,
  )
