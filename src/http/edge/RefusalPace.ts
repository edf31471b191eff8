import { Effect } from "effect"

/*
 * A refusal costs a server little, but a client beyond its limits that asks again at once could have thousands a second,
 * and everybody else's requests would wait behind them. So a server answers refusals at a pace, and who asks again in
 * vain waits. `Retry-After` names a second at least, so that a client that heeds it loses nothing.
 */

/** Refusals that a server answers within a second. A refusal takes about a third of a millisecond of the event loop. */
const PER_SECOND = 200
/** Refusals that are answered at once after a pause. */
const BURST = 100
/** The longest wait, in milliseconds: with more clients than places, nobody waits for minutes. */
const WAIT_MAX = 1_000

const INTERVAL = 1_000 / PER_SECOND

/** The statuses of refusals: who sends no valid key, and who is beyond a limit. */
const refusals: ReadonlySet<number> = new Set([401, 429])

/** Makes the wait of a server before it answers with a status. Only refusals wait, and only when there are many. */
export const makeRefusalPace = (): ((status: number) => Effect.Effect<void>) => {
  let due = Number.NEGATIVE_INFINITY
  return (status) => {
    if (!refusals.has(status)) return Effect.void
    const now = performance.now()
    due = Math.min(Math.max(due, now - BURST * INTERVAL) + INTERVAL, now + WAIT_MAX)
    return due > now ? Effect.sleep(due - now) : Effect.void
  }
}
