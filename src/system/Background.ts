import { Cause, Duration, Effect, type Latch, Schedule } from "effect"
import { currentMonotonicMillis } from "./Monotonic.ts"

/*
 * Background work, for which no caller waits. It goes on after a defect, which would otherwise end it silently for the
 * rest of the process's life. Every loop in the background is one of these.
 */

/** The wait after a failure that may last, such as that of a database which is not there. */
export const FAULT_DELAY = Duration.minutes(1)

/** Least time before a loop logs a failure again that was over meanwhile: many loops run several times a second. */
const WARN_EVERY = Duration.minutes(1)
/** The most failures of a loop that are known. Those that differ each time are all logged. */
const FAILURES_MAX = 20

/** Logs the failures of work that is repeated: one that lasts once, and one that comes and goes once a minute at most. */
const failureLog = (warning: string) => {
  /** Until when each failure that was logged is not logged again, in milliseconds. */
  const logged = new Map<string, number>()
  return {
    add: (error: unknown) =>
      Effect.flatMap(currentMonotonicMillis, (now) => {
        const text = String(error)
        if (logged.has(text)) return Effect.logDebug(warning, error)
        if (logged.size === FAILURES_MAX) logged.clear()
        logged.set(text, now + Duration.toMillis(WARN_EVERY))
        return Effect.logWarning(warning, error)
      }),
    succeeded: Effect.map(currentMonotonicMillis, (now) => {
      for (const [text, until] of logged) if (until <= now) logged.delete(text)
    }),
  }
}

/**
 * Makes a function that keeps failures and defects from ending a loop. They are logged as `warning`, and the work returns
 * undefined after the pause that the error calls for.
 */
export const surviving = (warning: string, pauseAfter: (error: unknown) => Duration.Duration = () => Duration.zero) => {
  const log = failureLog(warning)
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, never, R> =>
    Effect.catchCause(
      Effect.tap(work, () => log.succeeded),
      (cause) => {
        const error = Cause.squash(cause)
        return Effect.andThen(log.add(error), Effect.as(Effect.sleep(pauseAfter(error)), undefined))
      },
    )
}

/**
 * Repeats work for ever, with `interval` after each run, or less when somebody opens `bell`, which a run closes when it
 * begins. A run that fails or dies is logged as `warning`, and the next one follows.
 */
export const regularly = <A, E, R>(
  interval: Duration.Duration,
  warning: string,
  work: Effect.Effect<A, E, R>,
  bell?: Latch.Latch,
): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    const run = surviving(warning)(bell === undefined ? work : Effect.andThen(bell.close, work))
    const wait = bell === undefined ? Effect.sleep(interval) : Effect.timeoutOption(bell.await, interval)
    return Effect.forever(Effect.andThen(run, wait))
  })

/** Retries work until it has succeeded once. Each attempt that fails is logged as `warning`. */
export const persistently = <A, E, R>(warning: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.suspend(() => {
    const log = failureLog(warning)
    return work.pipe(
      Effect.catchDefect(Effect.fail),
      Effect.tapError(log.add),
      Effect.retry(Schedule.spaced(FAULT_DELAY)),
      Effect.orDie,
    )
  })
