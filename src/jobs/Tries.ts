import { Duration } from "effect"

/**
 * Times of the attempts after the first one, counted from it, as Standard Webhooks recommends: soon at first, and for as
 * long as somebody may need to notice and mend it.
 */
export const TRIES: ReadonlyArray<Duration.Input> = [
  "5 seconds",
  "5 minutes",
  "30 minutes",
  ...[2, 5, 10, 14, 20, 24].map((hours) => Duration.hours(hours)),
]

/** The delay before the next attempt, by the number of those before the one that failed; undefined after the last. */
export const delayAfter = (
  tries: ReadonlyArray<Duration.Duration>,
  attempts: number,
): Duration.Duration | undefined => {
  const next = tries[attempts]
  return next && Duration.subtract(next, tries[attempts - 1] ?? Duration.zero)
}
