import { type Clock, Effect } from "effect"

/*
 * A clock that only goes on, whatever happens to the time of day: for deadlines, and for how long something may be
 * kept. Its readings mean nothing to another process.
 */

const NANOS_PER_MILLI = 1e6

/** Whole milliseconds. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Math.floor(Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MILLI)

/** Whole milliseconds. */
export const currentMonotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(monotonicMillis(clock)),
)
