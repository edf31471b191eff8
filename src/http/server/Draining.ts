import { Context, Duration, Effect, Schedule } from "effect"
import type { Lifecycle } from "../edge/Lifecycle.ts"

/** Times of a server that leaves: the longest that it goes on listening, and the silence after which it stops. */
interface Leaving {
  readonly grace: Duration.Input
  readonly silence: Duration.Input
}

/** Load balancers check about once a second. */
export const Departure: Context.Reference<Leaving> = Context.Reference<Leaving>("parley/http/server/Departure", {
  defaultValue: () => ({ grace: "1 second", silence: "200 millis" }),
})
/**
 * Interval at which a draining server checks whether requests are still running. It polls, so that requests need not report
 * their ends to anybody while the server runs.
 */
const DRAIN_POLL = Duration.millis(20)
/** Time for interrupted requests to end their responses, and to store replies as far as they got. */
const CLOSING_TIMEOUT = Duration.seconds(3)

const idleWithin = (lifecycle: Lifecycle["Service"], isIdle: () => boolean, wait: Duration.Duration) =>
  Effect.sync(() => lifecycle.running.size === 0 && isIdle()).pipe(
    Effect.repeat({ until: (idle) => idle, schedule: Schedule.spaced(DRAIN_POLL) }),
    Effect.timeoutOption(wait),
  )

/** Waits until nothing is running and nothing has been received for a while. */
const silenceOf = (lifecycle: Lifecycle["Service"], silence: Duration.Input) => {
  const looksMax = Duration.toMillis(silence) / Duration.toMillis(DRAIN_POLL)
  let seen = lifecycle.received
  let looks = 0
  return Effect.sync(() => {
    looks = lifecycle.running.size > 0 || lifecycle.received > seen ? 0 : looks + 1
    seen = lifecycle.received
    return looks > looksMax
  }).pipe(Effect.repeat({ until: (isOver) => isOver, schedule: Schedule.spaced(DRAIN_POLL) }))
}

/**
 * Stops the server gracefully: announces it to load balancers and clients, closes the listener, gives running
 * requests `drainTimeout` to finish, and interrupts those that remain. New requests are answered until the listener is
 * closed, so that the only refusal is that of a connection, after which proxies ask another server.
 */
export const drain = Effect.fn("Draining.drain")(function* (
  lifecycle: Lifecycle["Service"],
  listener: {
    readonly close: Effect.Effect<void>
    /** Whether the listener has no request that `Lifecycle` does not know of. */
    readonly isIdle: () => boolean
    /** Whether another process listens in the place of this one. */
    readonly isReplaced: boolean
  },
  drainTimeout: Duration.Duration,
) {
  lifecycle.phase = "leaving"
  lifecycle.isReplaced = listener.isReplaced
  yield* Effect.logInfo("The server is stopping", {
    reason: lifecycle.stoppedBy ?? "its work ended",
    running_requests: lifecycle.running.size,
  })
  // A server without a reason to stop is one of a test or a program, whose clients know that it ends.
  const { grace, silence } = yield* Departure
  if (lifecycle.stoppedBy !== undefined) yield* Effect.timeoutOption(silenceOf(lifecycle, silence), grace)
  yield* listener.close
  lifecycle.phase = "draining"
  yield* idleWithin(lifecycle, listener.isIdle, drainTimeout)
  lifecycle.phase = "closing"
  const given_up = lifecycle.running.size
  for (const fiber of lifecycle.running) fiber.interruptUnsafe()
  yield* idleWithin(lifecycle, listener.isIdle, CLOSING_TIMEOUT)
  yield* Effect.logInfo("Requests are drained", { given_up })
})
