import { Cause, Duration, Effect, Schedule } from "effect"

/*
 * Work that nobody waits for. A fault must not end it: it would never come back, and nobody would hear of it.
 */

/** After a fault that may last. */
export const FAULT_DELAY = Duration.minutes(1)

/** Again and again, with so long in between. `warning` is what the log says of a time that failed. */
export const regularly = <A, E, R>(
  interval: Duration.Duration,
  warning: string,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<void, never, R> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(warning, Cause.squash(cause))),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.asVoid,
  )

/** Until it has succeeded once. `warning` is what the log says of a try that failed. */
export const persistently = <A, E, R>(warning: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  work.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.tapError((error) => Effect.logWarning(warning, error)),
    Effect.retry(Schedule.spaced(FAULT_DELAY)),
    Effect.orDie,
  )
