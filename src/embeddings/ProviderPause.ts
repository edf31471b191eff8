import { Duration, Effect } from "effect"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import type { EmbeddingsFailure } from "./EmbeddingsFailure.ts"

/** The pause after a first failure, when the provider asks for none. It doubles with each further failure in a row. */
const FIRST_WAIT = Duration.seconds(1)
/** The longest pause when the provider asks for none, and the pause while an operator has to correct a setting. */
const LONGEST_WAIT = Duration.minutes(1)
/** The range of pauses that a provider may ask for. The minimum keeps "0 seconds" from becoming a busy loop. */
const REQUESTED = { minimum: Duration.millis(100), maximum: Duration.hours(1) }

/** A pause in which no requests are sent to a provider. The failure of one request pauses all of them. */
export class ProviderPause {
  /** The failures in a row. */
  private failures = 0
  /** The end of the pause by the monotonic clock, in milliseconds. */
  private until = Number.NEGATIVE_INFINITY
  /** Why the last pause began. */
  reason = ""

  /** The rest of the pause in milliseconds, or 0 when there is none. */
  readonly remaining = Effect.map(currentMonotonicMillis, (now) => Math.max(0, this.until - now))

  /** Waits for the end of the pause, also when it is prolonged meanwhile. */
  readonly passed: Effect.Effect<void> = Effect.flatMap(this.remaining, (milliseconds) =>
    milliseconds === 0 ? Effect.void : Effect.andThen(Effect.sleep(milliseconds), this.passed),
  )

  /** Resets the count of failures after a success. A pause that has begun goes on. */
  readonly reset = Effect.sync(() => void (this.failures = 0))

  /** Begins or prolongs the pause after a failure. */
  readonly begin = Effect.fnUntraced(function* (this: ProviderPause, { kind, reason, retryAfter }: EmbeddingsFailure) {
    // Concurrent requests fail together, and count as one failure.
    const isFirst = (yield* this.remaining) === 0
    this.reason = reason
    if (isFirst) this.failures++
    const backOff = Duration.min(Duration.times(FIRST_WAIT, 2 ** (Math.max(1, this.failures) - 1)), LONGEST_WAIT)
    const usual = kind === "setting" ? LONGEST_WAIT : backOff
    const wait = retryAfter === undefined ? usual : Duration.clamp(retryAfter, REQUESTED)
    this.until = Math.max(this.until, (yield* currentMonotonicMillis) + Duration.toMillis(wait))
    if (isFirst) {
      const log = kind === "setting" ? Effect.logError : Effect.logWarning
      yield* log("Requests to the embedding provider are paused").pipe(
        Effect.annotateLogs({ reason, seconds: Duration.toSeconds(wait) }),
      )
    }
  })
}
