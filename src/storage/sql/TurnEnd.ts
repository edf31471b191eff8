import { Effect } from "effect"

/**
 * Waits until the current turn of the event loop ends, so that the statements of all requests that arrived in this turn
 * leave in one write for each connection. A write costs as much as the statement, and Bun runs the microtask in which
 * `@effect/sql-pg` writes after each request.
 */
export const turnEnd: Effect.Effect<void> = Effect.callback<void>((resume) => {
  if (waiting.length === 0) setImmediate(goOn)
  waiting.push(() => resume(Effect.void))
  if (waiting.length >= ENOUGH) goOn()
})

/** This many statements leave at once, so that in a turn with hundreds of requests the database can begin earlier. */
const ENOUGH = 16

let waiting: Array<() => void> = []

const goOn = (): void => {
  const goers = waiting
  waiting = []
  for (const go of goers) go()
}
