import { type Clock, Effect } from "effect"

/*
 * A clock that only goes on, whatever happens to the time of day: for deadlines, and for how long something may be
 * kept. Its readings mean nothing to another process.
 */

const NANOS_PER_MILLI = 1e6

/** Milliseconds. */
export const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MILLI

/** Milliseconds. */
export const currentMonotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(monotonicMillis(clock)),
)
