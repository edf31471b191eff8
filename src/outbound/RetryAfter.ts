import { Duration } from "effect"

/** Longer waits, up to infinity, are mistakes of a server's clock or of its arithmetic. */
const LONGEST = Duration.days(1)

/**
 * Time that a response asks its client to wait before the next request: `retry-after-ms` in milliseconds, which is more
 * exact and which only some servers send, or else `Retry-After` in seconds or as a date. At least nothing and at most a
 * day; `undefined` where the response does not say. `header` reads a header by its name in lower case, and `now` is in
 * milliseconds since the epoch.
 */
export const retryAfterOf = (
  header: (name: string) => string | null | undefined,
  now: number,
): Duration.Duration | undefined => {
  const milliseconds = Number.parseFloat(header("retry-after-ms") ?? "")
  const wait = milliseconds >= 0 ? milliseconds : millisecondsOf(header("retry-after") ?? "", now)
  return Number.isNaN(wait)
    ? undefined
    : Duration.clamp(Duration.millis(wait), { minimum: Duration.zero, maximum: LONGEST })
}

/** Not by `Headers.parseRetryAfter`, which takes whole seconds only: some servers send fractions. */
const millisecondsOf = (value: string, now: number): number => {
  const seconds = Number.parseFloat(value)
  return Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1_000
}
