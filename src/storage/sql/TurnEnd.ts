import { Effect } from "effect"

/**
 * Waits until whatever else has happened at this moment has been seen to. Statements that begin then leave in one write
 * for each connection, and a write costs as much as the statement: many requests arrive in one turn of the event loop,
 * but Bun runs the microtask in which `@effect/sql-pg` writes after each of them.
 */
export const turnEnd: Effect.Effect<void> = Effect.callback<void>((resume) => {
  if (waiting.length === 0) setImmediate(goOn)
  waiting.push(() => resume(Effect.void))
  if (waiting.length >= ENOUGH) goOn()
})

/** So many are worth a write: in a turn that sees to hundreds of requests, the database need not wait for its end. */
const ENOUGH = 16

let waiting: Array<() => void> = []

const goOn = (): void => {
  const goers = waiting
  waiting = []
  for (const go of goers) go()
}
