import { Effect, Predicate } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { diskFull } from "../../system/Disk.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { Unavailable } from "../../domain/Errors.ts"
import { withoutTimeLimit } from "./TimeLimit.ts"

const unreachable = new Unavailable({ detail: "The database cannot be reached right now.", retry_after_seconds: 2 })
const tooSlow = new Unavailable({
  detail: "The database took too long for this. Ask for less, such as for fewer days, or try again later.",
  retry_after_seconds: 10,
})
const readOnly = new Unavailable({ detail: "Nothing can be stored right now.", retry_after_seconds: 10 })

/** SQLSTATE classes of passing failures: connection, resources, operator intervention (shutdown, failover), system. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"])
/** The SQLSTATE of a full disk. */
const DISK_FULL = "53100"
/** The SQLSTATE of a write where only reads are allowed: the disk is nearly full, or the server is a standby. */
const READ_ONLY = "25006"
/** The SQLSTATE with which a transaction was ended because its next statement came too late. */
const IDLE_TRANSACTION = "25P03"

/** The SQLSTATE of a statement that was ended: by its time limit, where somebody still waits for its answer. */
const CANCELED = "57014"

/** The SQLSTATE of a failure; undefined when the server sent none. */
export const sqlState = (error: SqlError.SqlError): string | undefined => {
  const cause = error.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/** Whether a write failed because only reads are allowed. */
export const isReadOnly = (error: SqlError.SqlError): boolean => sqlState(error) === READ_ONLY

/** Whether the same statement may succeed later, although nobody has changed anything. */
const isPassing = (error: SqlError.SqlError): boolean =>
  error.reason.isRetryable ||
  error.reason._tag === "AuthenticationError" ||
  isReadOnly(error) ||
  sqlState(error) === IDLE_TRANSACTION ||
  PASSING_CLASSES.has(sqlState(error)?.slice(0, 2) ?? "")

/**
 * Ends every method of a repository, so that `SqlError` never leaves `storage`: an unreachable or overloaded database
 * becomes `Unavailable`, and any other SQL error becomes a defect, because it is a fault of the statement.
 */
export const withoutSqlErrors = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | Unavailable> => {
    if (isOther(error)) return Effect.fail(error)
    return SqlError.isSqlError(error) && isPassing(error) ? unavailable(error) : Effect.die(error)
  })

const isOther = <E>(error: E): error is Exclude<E, SqlError.SqlError> => !SqlError.isSqlError(error)

/** Every statement that writes finds that nothing can be stored, which is logged again when it has not for this long. */
const LASTING_MILLIS = 60_000
/** Monotonic time at which it was last found that nothing can be stored, by the SQLSTATE that says why. */
const foundAt = new Map<string, number>()

const unavailable = Effect.fnUntraced(function* (error: SqlError.SqlError) {
  const state = sqlState(error)
  const [warning, failure] = explain(state)
  const now = yield* currentMonotonicMillis
  const isKnown = state !== undefined && Math.abs(now - (foundAt.get(state) ?? Infinity)) < LASTING_MILLIS
  if (state === READ_ONLY || state === DISK_FULL) foundAt.set(state, now)
  yield* isKnown ? Effect.logDebug(warning, error) : Effect.logWarning(warning, error)
  return yield* failure
})

const explain = (state: string | undefined): readonly [warning: string, failure: Unavailable] => {
  switch (state) {
    case DISK_FULL:
      return ["The disk of the database is full:", diskFull]
    case CANCELED:
      return ["A statement took too long:", tooSlow]
    case READ_ONLY:
      return ["The database can only be read:", readOnly]
    default:
      return ["The database cannot be reached:", unreachable]
  }
}

/** Turns a violation of the named unique constraint or index into a failure of the domain. */
export const onUniqueViolation =
  <E2>(constraint: string, failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.catchIf(effect, violates(constraint), () => Effect.fail(failure()))

const violates =
  (constraint: string) =>
  (error: unknown): error is SqlError.SqlError =>
    SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Turns a violation of the named check, which a function may raise, into a failure of the domain. */
export const onCheckViolation =
  <E2>(constraint: string, failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.catchIf(
      effect,
      (error) =>
        SqlError.isSqlError(error) &&
        Predicate.hasProperty(error.reason.cause, "constraint") &&
        error.reason.cause.constraint === constraint,
      () => Effect.fail(failure()),
    )

/** Turns a violation of a foreign key, which refers to a row that does not exist, into a failure of the domain. */
export const onForeignKeyViolation =
  <E2>(failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.catchIf(
      effect,
      (error) => SqlError.isSqlError(error) && sqlState(error) === "23503",
      () => Effect.fail(failure()),
    )

/**
 * The SQLSTATEs of a deadlock and of a serialization failure: Postgres aborted this transaction in favour of another.
 */
const CONFLICTS: ReadonlySet<string> = new Set(["40P01", "40001"])
const CONFLICT_RETRIES = 5

/** Retries a transaction, or a single statement, that Postgres aborted because of a conflict with another. */
export const retryConflicts = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: (error) => SqlError.isSqlError(error) && CONFLICTS.has(sqlState(error) ?? ""),
    times: CONFLICT_RETRIES,
  })

/** Runs an effect as one transaction, which is retried after a conflict with another. */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    retryConflicts(sql.withTransaction(effect))

/** Ends a method of a repository that is one transaction. `refine` changes the transaction, such as its failures. */
export const committing =
  <E2 = never>(
    sql: SqlClient.SqlClient,
    refine: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R> = (effect) => effect,
  ) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E | E2, SqlError.SqlError> | Unavailable, R> =>
    withoutSqlErrors(refine(transaction(sql)(effect)))

/** Ends a method of a repository that takes long by its nature. */
export const lengthy = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable, R> => withoutSqlErrors(withoutTimeLimit(effect))
