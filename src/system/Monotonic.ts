import { type Clock, Effect } from "effect"

/*
 * The monotonic clock, for deadlines and times to live: it never goes back, even if the time of day does. Its
 * readings mean nothing to another process.
 */

const NANOS_PER_MILLI = 1e6

/** The reading of a clock, in whole milliseconds. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Math.floor(Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MILLI)

/** The reading of the current clock, in whole milliseconds. */
export const currentMonotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(monotonicMillis(clock)),
)
