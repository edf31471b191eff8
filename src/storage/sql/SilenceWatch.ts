import { Duplex } from "node:stream"
import type { PgConnection } from "@effect/sql-pg"
import { Predicate } from "effect"

/** One or more statements that wait for an answer in one connection. */
export interface Waiting {
  /** The time since which none of them was answered, in milliseconds; undefined while none is under way. */
  readonly waitingSince: number | undefined
}

/**
 * Knows the connections in which statements wait, so that a silent one can be closed: its server has stopped or cannot
 * be reached, and the connection does not show it. A timeout for each statement would cost as much as the statement.
 */
export class SilenceWatch {
  private readonly waiting = new Map<Waiting, PgConnection.PgConnection>()

  add(waiting: Waiting, connection: PgConnection.PgConnection): void {
    this.waiting.set(waiting, connection)
  }

  remove(waiting: Waiting): void {
    this.waiting.delete(waiting)
  }

  /** Closes the connections that have been silent for `limit`. Times are in milliseconds. */
  giveUpSilent(now: number, limit: number): void {
    for (const [{ waitingSince = now }, connection] of this.waiting) {
      if (now - waitingSince >= limit) giveUp(connection, limit)
    }
  }
}

/**
 * Closes a connection by its socket, because the driver has no method for it: interrupting a statement waits until the
 * server confirms the cancellation. All statements under way in the connection fail, and the pool opens another one.
 */
const giveUp = (connection: PgConnection.PgConnection, limit: number): void => {
  if (!Predicate.hasProperty(connection, "session")) return
  const { session } = connection
  if (!Predicate.hasProperty(session, "socket") || !(session.socket instanceof Duplex)) return
  session.socket.destroy(new Error(`The database did not answer within ${limit} ms`))
}
