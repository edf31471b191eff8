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

/** The places of organizations at a pool. */
export interface Places {
  /** Whether an organization has a free place, and `take` does not wait. */
  readonly isFree: (organization: string) => boolean
  /** Waits for a place of an organization, and keeps it until the scope closes. */
  readonly take: (organization: string) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Makes places at a pool, so many for each organization. In the pool's own queue, one that waits with a hundred statements
 * would be served a hundred times before the next one.
 */
export const makePlaces = (most: number): Places => {
  const organizations = new Map<string, { readonly places: Semaphore.Semaphore; users: number }>()
  const take = (organization: string) =>
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
  return { isFree: (organization) => (organizations.get(organization)?.users ?? 0) < most, take }
}

/**
 * Makes two functions that borrow a connection from a pool for an organization; `getInTime` fails when none is free
 * within the time limit.
 */
export const lender = (pool: PgPool.PgPool, places: Places, timeLimit: Duration.Duration | undefined, loans: Loans) => {
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
  const get = (organization: string) => Effect.andThen(places.take(organization), counted)
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
  const isAtHand = (organization: string) => idle > 0 && places.isFree(organization)
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
