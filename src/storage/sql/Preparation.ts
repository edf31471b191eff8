import { Effect, Predicate, Schedule, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { TENANT_ROLE } from "./TenantConnections.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { sqlState } from "./SqlErrors.ts"
import { nothingThere, StartupError } from "../../system/StartupError.ts"
import { knownWords } from "../../system/SystemError.ts"
import type { VectorOids } from "./SqlValues.ts"
import { DATABASE_URL } from "../../system/Variables.ts"

/** The oldest Postgres that is supported, in the form of `server_version_num`. */
const OLDEST_POSTGRES = 150_000
const OLDEST_PGVECTOR = [0, 7] as const

/** The advisory lock under which a process prepares and migrates the database: an arbitrary number of Parley's own. */
export const ADVISORY_LOCK = 7_242_015_531

/** Versions, extensions and rights that the server offers before anything is installed. */
const ServerState = Schema.Struct({
  version: Schema.Int,
  version_text: Schema.String,
  login: Schema.String,
  pgvector: Schema.NullOr(Schema.String),
  vector_oid: Schema.NullOr(Schema.Int),
  vectors_oid: Schema.NullOr(Schema.Int),
  may_become_tenant: Schema.Boolean,
})
export type ServerState = typeof ServerState.Type

/**
 * Prepares what the schema needs of the server, which no migration can do: checks the versions, and installs the
 * extension and the tenant's role where they are missing. It takes one round trip when there is nothing to do.
 */
export const prepareDatabase = Effect.fn("Preparation.prepareDatabase")(function* (
  sql: SqlClient.SqlClient,
  /** The place of a database that has to be there already, so that nothing is installed. */
  existing?: string,
): Effect.fn.Return<VectorOids, StartupError | SqlError.SqlError> {
  const inspect = inspectionOf(sql)
  let state = yield* inspect
  yield* refuseOldServer(state)
  if (state.pgvector === null || !state.may_become_tenant) {
    if (existing !== undefined) return yield* nothingThere(existing)
    yield* install(sql, state.login)
    state = yield* inspect
  }
  return yield* vectorOidsIn(state)
})

export const refuseOldServer = (state: ServerState): Effect.Effect<void, StartupError> =>
  state.version >= OLDEST_POSTGRES
    ? Effect.void
    : Effect.fail(
        new StartupError({
          what: `The database is PostgreSQL ${state.version_text}, which is too old.`,
          doThis: "Parley needs PostgreSQL 15 or later.",
        }),
      )

export const vectorOidsIn = (state: ServerState): Effect.Effect<VectorOids, StartupError> => {
  if (state.pgvector === null || !isRecent(state.pgvector)) {
    return Effect.fail(
      new StartupError({
        what: `The database has pgvector ${state.pgvector ?? "in no version"}, which is too old.`,
        doThis: `Install pgvector ${OLDEST_PGVECTOR.join(".")} or later and run: ALTER EXTENSION vector UPDATE`,
      }),
    )
  }
  return state.vector_oid === null || state.vectors_oid === null
    ? Effect.fail(
        new StartupError({
          what: "The extension pgvector is in a schema that the database user does not search.",
          doThis: `Add that schema to its search path: ALTER ROLE "${state.login}" SET search_path = …`,
        }),
      )
    : Effect.succeed({ vector: state.vector_oid, vectors: state.vectors_oid })
}

const decodeState = decodeRows(ServerState)

const inspectionOf = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(
    decodeState(sql`
      with server as (select current_setting('server_version_num')::int as version)
      select version,
        current_setting('server_version') as version_text,
        session_user::text as login,
        (select extversion from pg_extension where extname = 'vector') as pgvector,
        to_regtype('vector')::oid as vector_oid,
        to_regtype('vector[]')::oid as vectors_oid,
        coalesce((
          select pg_has_role(session_user, oid, case when version >= 160000 then 'SET' else 'MEMBER' end)
          from pg_roles where rolname = ${TENANT_ROLE}
        ), false) as may_become_tenant
      from server`),
    onlyRow,
  )

const isRecent = (pgvector: string): boolean => {
  const [major = 0, minor = 0] = pgvector.split(".").map(Number)
  return major > OLDEST_PGVECTOR[0] || minor >= OLDEST_PGVECTOR[1]
}

/** Roles belong to the whole server, so that another database's Parley may be creating the same one at this moment. */
const CREATE_ROLE = `do $$ begin
  create role ${TENANT_ROLE} nologin;
exception when duplicate_object or unique_violation then null;
end $$`

/** From Postgres 16 on, membership alone does not allow `set role`. */
const GRANT_ROLE = `do $$ begin
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant ${TENANT_ROLE} to current_user with set true, inherit false';
  else
    grant ${TENANT_ROLE} to current_user;
  end if;
exception when unique_violation then null;
end $$`

const install = (sql: SqlClient.SqlClient, login: string) =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
        yield* Effect.catchIf(sql`create extension if not exists vector`, isRefusal, (error) =>
          Effect.fail(
            new StartupError({
              what: `The database has no pgvector, and it cannot be added: ${serverMessage(error)}.`,
              doThis:
                sqlState(error) === "42501"
                  ? "As a superuser, run in this database: CREATE EXTENSION vector"
                  : `Install pgvector ${OLDEST_PGVECTOR.join(".")} or later on the database server.`,
            }),
          ),
        )
        yield* Effect.catchIf(Effect.andThen(sql.unsafe(CREATE_ROLE), sql.unsafe(GRANT_ROLE)), isRefusal, (error) =>
          Effect.fail(
            new StartupError({
              what: `The role ${TENANT_ROLE} cannot be made: ${serverMessage(error)}.`,
              doThis: `As a superuser, run: CREATE ROLE ${TENANT_ROLE} NOLOGIN; GRANT ${TENANT_ROLE} TO "${login}"`,
            }),
          ),
        )
      }),
    )
    .pipe(
      Effect.retry({
        while: isConcurrentUpdate,
        schedule: Schedule.spaced("50 millis"),
        times: 20,
      }),
    )

/** Whether the server did not answer at all. */
export const isUnreachable = (error: SqlError.SqlError): boolean => Predicate.isTagged(error.reason, "ConnectionError")

/** Whether the server refused a statement, as opposed to not answering. */
const isRefusal = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && !isUnreachable(error) && !isConcurrentUpdate(error)

/** Whether Postgres reports "tuple concurrently updated", because two grants of one role met. */
const isConcurrentUpdate = (error: unknown): boolean => SqlError.isSqlError(error) && sqlState(error) === "XX000"

/** The server's own message; or, when it cannot be reached, the reason in words, with the system's message. */
export const serverMessage = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  const message = cause instanceof Error ? cause.message : error.message
  const words = knownWords(cause)
  return words === undefined ? message : `${words} (${message})`
}

/** Explains the failure of the first statement, which concerns the database as a whole. */
export const connectionFailure = (error: SqlError.SqlError): StartupError =>
  new StartupError({ what: `The database cannot be used: ${serverMessage(error)}.`, doThis: adviceOn(error) })

const adviceOn = (error: SqlError.SqlError): string => {
  const state = sqlState(error)
  if (Predicate.isTagged(error.reason, "AuthenticationError")) {
    return `Check the user and the password in ${DATABASE_URL}.`
  }
  // PgBouncer refuses parameters of a connection that it cannot hand on.
  if (serverMessage(error).includes("unsupported startup parameter")) {
    return `Between Parley and Postgres is a PgBouncer: let ${DATABASE_URL} name Postgres itself, which each server asks for few connections.`
  }
  if (state === "3D000") return `Create the database, or correct its name in ${DATABASE_URL}.`
  if (state === "42501") {
    return `Let the user in ${DATABASE_URL} own the database: as a superuser, run: ALTER DATABASE … OWNER TO …`
  }
  if (isUnreachable(error)) return `Check that the database runs and that ${DATABASE_URL} points to it.`
  return "See the log of the database for the reason."
}
