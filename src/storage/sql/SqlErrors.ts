import { Effect, Predicate } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { diskFull } from "../../system/Disk.ts"
import { Unavailable } from "../../domain/Errors.ts"

const unreachable = new Unavailable({ detail: "The database cannot be reached right now.", retry_after_seconds: 2 })
const readOnly = new Unavailable({ detail: "Nothing can be stored right now.", retry_after_seconds: 10 })

/** SQLSTATE classes that say "not now": connection, resources, operator intervention (shutdown, failover), system. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"])
/** Its disk is full; it may only be read: its disk is nearly full, or it is a standby. */
const DISK_FULL = "53100"
const READ_ONLY = "25006"

/** The SQLSTATE of a failure, when the server sent one. */
export const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/** Whether the same request may succeed later, with nothing changed. */
const isPassing = (error: SqlError.SqlError): boolean =>
  error.reason.isRetryable ||
  error.reason._tag === "AuthenticationError" ||
  sqlState(error) === READ_ONLY ||
  PASSING_CLASSES.has(sqlState(error)?.slice(0, 2) ?? "")

/**
 * What every repository ends with, so that `SqlError` never leaves `storage`: an unreachable or overloaded database is
 * `Unavailable`, and anything else is a fault in our SQL, so a defect.
 */
export const withoutSqlErrors = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | Unavailable> => {
    if (isOther(error)) return Effect.fail(error)
    return SqlError.isSqlError(error) && isPassing(error) ? unavailable(error) : Effect.die(error)
  })

const isOther = <E>(error: E): error is Exclude<E, SqlError.SqlError> => !SqlError.isSqlError(error)

const unavailable = Effect.fnUntraced(function* (error: SqlError.SqlError) {
  const [warning, failure] = explain(sqlState(error))
  yield* Effect.logWarning(warning, error)
  return yield* failure
})

const explain = (state: string | undefined): readonly [warning: string, failure: Unavailable] => {
  switch (state) {
    case DISK_FULL:
      return ["The disk of the database is full:", diskFull]
    case READ_ONLY:
      return ["The database can only be read:", readOnly]
    default:
      return ["The database cannot be reached:", unreachable]
  }
}

/** Turns the violation of the named unique constraint (or index) into a failure that the domain knows. */
export const onUniqueViolation =
  <E2>(constraint: string, failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.catchIf(effect, violates(constraint), () => Effect.fail(failure()))

const violates =
  (constraint: string) =>
  (error: unknown): error is SqlError.SqlError =>
    SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Turns a reference to a row that is not there into a failure that the domain knows. */
export const onForeignKeyViolation =
  <E2>(failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.catchIf(
      effect,
      (error) => SqlError.isSqlError(error) && sqlState(error) === "23503",
      () => Effect.fail(failure()),
    )

/** Deadlock, serialization failure: Postgres chose this transaction to give way to another. */
const GAVE_WAY: ReadonlySet<string> = new Set(["40P01", "40001"])
const GAVE_WAY_TRIES = 5

/** One transaction, or a statement that is one by itself, done again when it had to give way to another. */
export const unlessItGivesWay = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: (error) => SqlError.isSqlError(error) && GAVE_WAY.has(sqlState(error) ?? ""),
    times: GAVE_WAY_TRIES,
  })

export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    unlessItGivesWay(sql.withTransaction(effect))
