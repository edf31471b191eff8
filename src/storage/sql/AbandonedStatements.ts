import type { PgConnection } from "@effect/sql-pg"
import { Duration, Effect, Predicate } from "effect"

/** A cancellation costs a connection and a process of the server, so that short statements may run to their end. */
const CANCEL_AFTER = Duration.millis(100)

/**
 * Waits until all statements in a connection have ended, and cancels those that take long. Nobody waits for their
 * results any more, but they would keep the connection, and the next borrower would wait for them.
 *
 * The connection must not be lent meanwhile: a cancellation ends whichever statement runs when the server receives it.
 * None is on its way any more when this ends, because the server signals its process before it confirms.
 */
export const endAbandoned = (connection: PgConnection.PgConnection): Effect.Effect<void> => {
  // The connection is pinned once nothing runs in it. Each cancellation ends one statement, and others may follow.
  const ended = Effect.scoped(connection.pin)
  const cancelled = Effect.forever(Effect.delay(Effect.uninterruptible(cancel(connection)), CANCEL_AFTER))
  return Effect.asVoid(Effect.raceFirst(ended, cancelled))
}

/**
 * Cancels the statement that runs in a connection. The driver's public `interrupt` does nothing in a connection that
 * statements share, because it does not know that nobody waits for any of them.
 */
const cancel = (connection: PgConnection.PgConnection): Effect.Effect<unknown> =>
  Predicate.hasProperty(connection, "cancel") && isInfallible(connection.cancel) ? connection.cancel : Effect.void

/** The driver promises that its cancellation never fails. */
const isInfallible = (value: unknown): value is Effect.Effect<unknown> => Effect.isEffect(value)
