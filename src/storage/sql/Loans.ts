import type { PgPool } from "@effect/sql-pg"
import { type Duration, Effect } from "effect"
import { SqlError } from "effect/sql"
import { database as metrics } from "../../observability/Metrics.ts"

/** The connections that are lent, and who waits for one. */
export interface Loans {
  used: number
  waiting: number
}

/** Begins to count the loans of a pool. */
export const noLoans = (): Loans => ({ used: 0, waiting: 0 })

/** Shows the connections of a pool in the metrics, until the scope closes. */
export const showLoans = Effect.fnUntraced(function* (name: string, connections: number, loans: Loans) {
  metrics.limit(name).set(connections)
  yield* metrics.used(name).read(() => loans.used)
  yield* metrics.waiting(name).read(() => loans.waiting)
})

/** Makes two effects that borrow a connection from a pool; `getInTime` fails when none is free within the time limit. */
export const lender = (pool: PgPool.PgPool, timeLimit: Duration.Duration | undefined, loans: Loans) => {
  /** Number of connections known to be idle. Without a wait, a time limit would cost more than borrowing does. */
  let idle = 0
  const returned = Effect.addFinalizer(() =>
    Effect.sync(() => {
      idle++
      loans.used--
    }),
  )
  // Each is counted down as surely as it is counted up.
  const get = Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(pool.get), () => {
      idle = Math.max(0, idle - 1)
      loans.used++
      return returned
    }),
  )
  const waiting = <A, E, R>(borrow: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => loans.waiting++),
      () => borrow,
      () => Effect.sync(() => loans.waiting--),
    )
  const limited =
    timeLimit === undefined
      ? get
      : Effect.timeoutOrElse(get, { duration: timeLimit, orElse: () => Effect.fail(noConnection) })
  return {
    get: Effect.suspend(() => (idle > 0 ? get : waiting(get))),
    getInTime: Effect.suspend(() => (idle > 0 ? get : waiting(limited))),
  }
}

/** The failure of a statement for which no connection was free. */
const noConnection = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("No connection to the database was free in time"),
    operation: "acquire",
  }),
})
