import { Duration, Effect, Schedule } from "effect"
import type { Lifecycle } from "../edge/Lifecycle.ts"

/** How long readiness is down before new requests are refused: load balancers check about once a second. */
const LEAVE_GRACE = Duration.seconds(1)
/**
 * How often a draining server checks whether requests are still running. It polls, so that requests need not report
 * their ends to anybody while the server runs.
 */
const DRAIN_POLL = Duration.millis(20)
/** How long interrupted requests may take to end their responses, and to store replies as far as they got. */
const CLOSING_TIMEOUT = Duration.seconds(3)

const idleWithin = (lifecycle: Lifecycle["Service"], wait: Duration.Duration) =>
  Effect.sync(() => lifecycle.running.size === 0).pipe(
    Effect.repeat({ until: (idle) => idle, schedule: Schedule.spaced(DRAIN_POLL) }),
    Effect.timeoutOption(wait),
  )

/**
 * Stops the server gracefully: announces it to load balancers, refuses new requests, gives the running ones
 * `drainTimeout` to finish, and interrupts those that remain.
 */
export const drain = Effect.fn("Draining.drain")(function* (
  lifecycle: Lifecycle["Service"],
  drainTimeout: Duration.Duration,
) {
  lifecycle.phase = "leaving"
  yield* Effect.logInfo("The server is stopping", {
    reason: lifecycle.stoppedBy ?? "its work ended",
    running_requests: lifecycle.running.size,
  })
  if (lifecycle.running.size > 0) yield* Effect.sleep(LEAVE_GRACE)
  lifecycle.phase = "draining"
  yield* idleWithin(lifecycle, drainTimeout)
  lifecycle.phase = "closing"
  const given_up = lifecycle.running.size
  for (const fiber of lifecycle.running) fiber.interruptUnsafe()
  yield* idleWithin(lifecycle, CLOSING_TIMEOUT)
  yield* Effect.logInfo("Requests are drained", { given_up })
})
