import { type PgConnection, PgClient, type PgPool } from "@effect/sql-pg"
import { Clock, Context, Effect, Predicate, Scope } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Pipeline } from "./Pipeline.ts"
import { turnEnd } from "./TurnEnd.ts"

/**
 * Two SQL clients, told apart by the session identity of the connection they borrow:
 *
 * - the tenant: role `parley_tenant` and `parley.organization_id`, by which row-level security shows only the rows of the
 *   fiber's `CurrentOrganization`. No organization in context is a defect, so a forgotten one shows nothing;
 * - the system: the login role, which owns the tables and sees them all.
 *
 * The identity sticks to the physical connection and is remembered here, so it is set only when it changes: one round
 * trip, outside of any transaction, where `SET LOCAL` would cost four for every query. On a server, each client has
 * connections of its own, because changing between them for every request measured half of the requests per second.
 *
 * A pooler that hands each transaction to another connection (PgBouncer in transaction mode) breaks this memory and is
 * not supported. Should one be there, a statement may meet the identity of another organization: its own filter and
 * that one's policy then have no row in common. Session mode works.
 *
 * A tenant's statement could itself set the role back. Row-level security stands behind our own filters and guards
 * against our forgetting one; SQL made by strangers is never run.
 */
export const TENANT_ROLE = "parley_tenant"
const ORGANIZATION_SETTING = "parley.organization_id"

/** `none` is Postgres's word for the login role. */
const SYSTEM_ROLE = "none"
const ASSUME = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false)`

/** An organization's id, or this for the system. */
const SYSTEM = ""

type TransactionService = Context.Service<SqlClient.TransactionConnection, SqlClient.TransactionConnection.Service>
const TenantTransaction: TransactionService = Context.Service("parley/storage/TenantTransaction")
const SystemTransaction: TransactionService = Context.Service("parley/storage/SystemTransaction")

/** A physical connection, and whom it acts for: unknown while new, while that changes, and after a change that failed. */
interface Session {
  readonly physical: PgConnection.PgConnection
  readonly connection: SqlConnection.Connection
  identity: string | undefined
}

/** Connections that are lent to one borrower each, in which so many statements may be under way together. */
export interface Connections {
  readonly pool: PgPool.PgPool
  readonly pipeline: number
}

/** Builds both clients, which live as long as their pools. Those may be one and the same. */
export const makeClients = Effect.fnUntraced(function* (connections: {
  readonly tenant: Connections
  readonly system: Connections
}) {
  const clock = yield* Clock.Clock
  const sessions = new WeakMap<PgConnection.PgConnection, Session>()
  const sessionOf = (physical: PgConnection.PgConnection): Session => {
    const known = sessions.get(physical)
    if (known !== undefined) return known
    const session: Session = { physical, connection: makeConnection(physical), identity: undefined }
    sessions.set(physical, session)
    return session
  }

  const makeClient = (
    { pool, pipeline: most }: Connections,
    ownTransaction: TransactionService,
    otherTransaction: TransactionService,
    identityIn: (context: Context.Context<never>) => string | undefined,
  ) => {
    /** Of each identity, the one that may be joined. */
    const pipelines = new Map<string, Pipeline>()

    /** Never called inside of `ownTransaction`, whose connection the client goes on using. */
    const withIdentity = <A, E, R>(use: (identity: string) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (Context.getOrUndefined(fiber.context, otherTransaction) !== undefined) return dieOfMixedTransactions
        const identity = identityIn(fiber.context)
        return identity === undefined ? dieOfMissingOrganization : use(identity)
      })

    const lend = (identity: string) =>
      Effect.flatMap(pool.get, (physical) => {
        const session = sessionOf(physical)
        return Effect.as(assume(session, identity), session)
      })

    /** Gets a connection for all in the pipeline. */
    const open = (pipeline: Pipeline, identity: string) =>
      Effect.suspend(() => {
        pipeline.opening()
        return Effect.onExit(
          Effect.map(Scope.provide(lend(identity), pipeline.scope), ({ connection }) => connection),
          (exit) => Effect.sync(() => pipeline.opened(exit, clock.currentTimeMillisUnsafe())),
        )
      })

    const borrower: SqlConnection.Borrower = (use) =>
      withIdentity((identity) =>
        // Nothing may come between joining and what makes sure of leaving.
        Effect.uninterruptibleMask((restore) => {
          const current = pipelines.get(identity)
          const joined = current?.tryJoin(clock.currentTimeMillisUnsafe()) === true ? current : undefined
          const pipeline = joined ?? new Pipeline(most)
          if (joined === undefined) pipelines.set(identity, pipeline)
          const connection =
            joined === undefined
              ? open(pipeline, identity)
              : Effect.filterOrElse(joined.connection, Predicate.isNotUndefined, () => open(joined, identity))
          const used = Effect.flatMap(connection, (connection) => Effect.flatMap(turnEnd, () => use(connection)))
          return Effect.onExit(restore(used), (exit) => {
            const left = pipeline.leave(exit, clock.currentTimeMillisUnsafe())
            if (pipeline.isOver && pipelines.get(identity) === pipeline) pipelines.delete(identity)
            return left
          })
        }),
      )

    return SqlClient.make({
      driver: "pg",
      compiler: PgClient.makeCompiler(),
      spanAttributes: [["db.system.name", "postgresql"]],
      prepareTransactionControls: true,
      transactionService: ownTransaction,
      commit,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      acquirer: withIdentity((identity) => Effect.map(lend(identity), ({ connection }) => connection)),
      // Pinned, so that a fiber which outlives its transaction cannot go on in a connection lent to somebody else.
      transactionAcquirer: withIdentity((identity) =>
        Effect.flatMap(lend(identity), ({ physical }) => Effect.map(physical.pin, makeConnection)),
      ),
      borrower,
    })
  }

  return {
    tenant: yield* makeClient(connections.tenant, TenantTransaction, SystemTransaction, organizationIn),
    system: yield* makeClient(connections.system, SystemTransaction, TenantTransaction, () => SYSTEM),
  }
})

/** By who has borrowed the session. */
const assume = (session: Session, identity: string): Effect.Effect<void, SqlError.SqlError> =>
  Effect.suspend(() => {
    if (session.identity === identity) return Effect.void
    session.identity = undefined
    const role = identity === SYSTEM ? SYSTEM_ROLE : TENANT_ROLE
    return Effect.map(session.connection.executeRaw(ASSUME, [role, identity]), () => void (session.identity = identity))
  })

const organizationIn = (context: Context.Context<never>): string | undefined =>
  Context.getOrUndefined(context, CurrentOrganization)

const dieOfMissingOrganization = Effect.die(
  new Error("A tenant statement ran without CurrentOrganization: provide it, or use SystemSql"),
)

/** On the embedded database's one connection it would wait for itself; on a server it would not see the open rows. */
const dieOfMixedTransactions = Effect.die(
  new Error("A statement of the tenant ran inside a transaction of the system, or the other way round"),
)

/** Postgres answers COMMIT in an aborted transaction with ROLLBACK and no error. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("COMMIT rolled back an aborted transaction"),
              operation: "commit",
            }),
          }),
        )
      : Effect.void,
  )

/** The clients are made without row transforms, so none arrive here. */
const makeConnection = (physical: PgConnection.PgConnection): SqlConnection.Connection => ({
  execute: (sql, params) => Effect.map(physical.query(sql, params), rowsOf),
  executeUnprepared: (sql, params) => Effect.map(physical.query(sql, params, false), rowsOf),
  executeRaw: (sql, params) => physical.query(sql, params),
  executeValues: (sql, params) => physical.queryValues(sql, params),
  executeValuesUnprepared: (sql, params) => physical.queryValues(sql, params, false),
  executeStream: (sql, params) => physical.stream(sql, params),
})

const rowsOf = (result: PgConnection.Result): ReadonlyArray<PgConnection.Row> => result.rows
