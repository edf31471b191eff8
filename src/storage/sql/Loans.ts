import type { PgPool } from "@effect/sql-pg"
import { type Duration, Effect } from "effect"
import { SqlError } from "effect/sql"
import { database as metrics } from "../../observability/Metrics.ts"
import { atClose } from "../../system/AtClose.ts"
import type { Places, PlaceWait } from "../../system/Places.ts"

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

/**
 * Makes two functions that borrow a connection from a pool for an organization; `getInTime` fails when none is free
 * within the time limit. Each organization has places of its own: in the queue of the pool, one that waits with a hundred
 * statements would be served a hundred times before the next one.
 */
export const lender = (
  pool: PgPool.PgPool,
  placesOf: (organization: string) => Places,
  timeLimit: Duration.Duration | undefined,
  loans: Loans,
) => {
  /** Number of connections known to be idle. Without a wait, a time limit would cost more than borrowing does. */
  let idle = 0
  const returned = atClose(
    Effect.sync(() => {
      idle++
      loans.used--
    }),
  )
  // Each is counted down as surely as it is counted up.
  const counted = Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(pool.get), () => {
      idle = Math.max(0, idle - 1)
      loans.used++
      return returned
    }),
  )
  const get = (organization: string) => Effect.andThen(placesOf(organization).hold(noLimit), counted)
  const waiting = <A, E, R>(borrow: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => loans.waiting++),
      () => borrow,
      () => Effect.sync(() => loans.waiting--),
    )
  const limited = (organization: string) =>
    timeLimit === undefined
      ? get(organization)
      : Effect.timeoutOrElse(get(organization), { duration: timeLimit, orElse: () => Effect.fail(noConnection) })
  const isAtHand = (organization: string) => idle > 0 && placesOf(organization).isFree
  return {
    get: (organization: string) =>
      Effect.suspend(() => (isAtHand(organization) ? get(organization) : waiting(get(organization)))),
    getInTime: (organization: string) =>
      Effect.suspend(() => (isAtHand(organization) ? get(organization) : waiting(limited(organization)))),
  }
}

/** The failure of a statement for which no connection was free. */
const noConnection = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("No connection to the database was free in time"),
    operation: "acquire",
  }),
})

const noLimit: PlaceWait<SqlError.SqlError> = { millis: Number.POSITIVE_INFINITY, refuse: () => noConnection }
