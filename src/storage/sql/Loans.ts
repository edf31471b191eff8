import type { PgPool } from "@effect/sql-pg"
import { type Duration, Effect, type Scope, Semaphore } from "effect"
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

/** Waits for a place at a pool on behalf of an organization, and keeps it until the scope closes. */
export type Places = (organization: string) => Effect.Effect<unknown, never, Scope.Scope>

/**
 * Makes places at a pool, so many for each organization. In the pool's own queue, one that waits with a hundred statements
 * would be served a hundred times before the next one.
 */
export const makePlaces = (most: number): Places => {
  const organizations = new Map<string, { readonly places: Semaphore.Semaphore; users: number }>()
  return (organization) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const entry = organizations.get(organization) ?? { places: Semaphore.makeUnsafe(most), users: 0 }
        organizations.set(organization, entry)
        entry.users++
        return entry
      }),
      (entry) =>
        Effect.sync(() => {
          if (--entry.users === 0) organizations.delete(organization)
        }),
    ).pipe(Effect.flatMap(({ places }) => places.takeScoped(1)))
}

/**
 * Makes two functions that borrow a connection from a pool for an organization; `getInTime` fails when none is free
 * within the time limit.
 */
export const lender = (
  pool: PgPool.PgPool,
  placeFor: Places,
  timeLimit: Duration.Duration | undefined,
  loans: Loans,
) => {
  /** Number of connections known to be idle. Without a wait, a time limit would cost more than borrowing does. */
  let idle = 0
  const returned = Effect.addFinalizer(() =>
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
  const get = (organization: string) => Effect.andThen(placeFor(organization), counted)
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
  return {
    get: (organization: string) => Effect.suspend(() => (idle > 0 ? get(organization) : waiting(get(organization)))),
    getInTime: (organization: string) =>
      Effect.suspend(() => (idle > 0 ? get(organization) : waiting(limited(organization)))),
  }
}

/** The failure of a statement for which no connection was free. */
const noConnection = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("No connection to the database was free in time"),
    operation: "acquire",
  }),
})
