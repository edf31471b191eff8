import { Duplex } from "node:stream"
import type { PgConnection } from "@effect/sql-pg"
import { Predicate } from "effect"

/** Statements that wait for an answer in one connection. */
export interface Waiting {
  /** Since when nothing has come of them, in milliseconds; undefined while nothing is asked. */
  readonly waitingSince: number | undefined
}

/**
 * Knows which connections are waited for, so that one that has fallen silent can be given up: its server has stopped, or
 * cannot be reached, without saying so. A time-out of its own for each statement would cost as much as the statement.
 */
export class SilenceWatch {
  readonly #waiting = new Map<Waiting, PgConnection.PgConnection>()

  add(waiting: Waiting, connection: PgConnection.PgConnection): void {
    this.#waiting.set(waiting, connection)
  }

  remove(waiting: Waiting): void {
    this.#waiting.delete(waiting)
  }

  /** Times are in milliseconds. */
  giveUpSilent(now: number, limit: number): void {
    for (const [{ waitingSince = now }, connection] of this.#waiting) {
      if (now - waitingSince >= limit) giveUp(connection, limit)
    }
  }
}

/**
 * The driver has no method for this: to interrupt a statement is to wait until the server confirms that it was cancelled.
 * Whatever is under way in the connection fails when its socket is destroyed, and the pool makes another one.
 */
const giveUp = (connection: PgConnection.PgConnection, limit: number): void => {
  if (!Predicate.hasProperty(connection, "session")) return
  const { session } = connection
  if (!Predicate.hasProperty(session, "socket") || !(session.socket instanceof Duplex)) return
  session.socket.destroy(new Error(`The database did not answer within ${limit} ms`))
}
