import { type PgConnection, PgClient, type PgPool } from "@effect/sql-pg"
import { Clock, Context, Duration, Effect, Predicate, Scope } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Pipeline } from "./Pipeline.ts"
import { SilenceWatch } from "./SilenceWatch.ts"
import { TimeLimited } from "./TimeLimit.ts"
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
const ASSUME = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false),
  set_config('statement_timeout', $3, false)`

/** An organization's id, or this for the system. */
const SYSTEM = ""

type TransactionService = Context.Service<SqlClient.TransactionConnection, SqlClient.TransactionConnection.Service>
const TenantTransaction: TransactionService = Context.Service("parley/storage/sql/TenantTransaction")
const SystemTransaction: TransactionService = Context.Service("parley/storage/sql/SystemTransaction")

/** A physical connection, and whom it acts for: unknown while new, while that changes, and after a change that failed. */
interface Session {
  readonly physical: PgConnection.PgConnection
  readonly connection: SqlConnection.Connection
  identity: string | undefined
  isLimited: boolean
}

/** Whom a statement acts for, and whether it may take only so long. */
interface Identity {
  readonly organization: string
  readonly isLimited: boolean
}

/** Connections that are lent to one borrower each, in which so many statements may be under way together. */
export interface Connections {
  readonly pool: PgPool.PgPool
  readonly pipeline: number
}

/**
 * The database ends a statement at this part of the time limit, so that it usually says itself how the statement ended,
 * before the connection is given up.
 */
const SERVER_PART = 0.9

/**
 * Builds both clients, which live as long as their pools. Those may be one and the same.
 *
 * @param timeLimit how long a statement may take, and how long it may wait for a connection; absent: as long as it does
 */
export const makeClients = Effect.fnUntraced(function* (
  connections: { readonly tenant: Connections; readonly system: Connections },
  timeLimit?: Duration.Duration,
) {
  const clock = yield* Clock.Clock
  const watch = new SilenceWatch()
  const statementTimeout = timeLimit === undefined ? 0 : Math.ceil(Duration.toMillis(timeLimit) * SERVER_PART)
  const sessions = new WeakMap<PgConnection.PgConnection, Session>()
  const sessionOf = (physical: PgConnection.PgConnection): Session => {
    const known = sessions.get(physical)
    if (known !== undefined) return known
    const session: Session = { physical, connection: makeConnection(physical), identity: undefined, isLimited: true }
    sessions.set(physical, session)
    return session
  }

  const makeClient = (
    { pool, pipeline: most }: Connections,
    ownTransaction: TransactionService,
    otherTransaction: TransactionService,
    identityIn: (context: Context.Context<never>) => string | undefined,
  ) => {
    /** Of each organization, the one that may be joined. */
    const limited = new Map<string, Pipeline>()
    const unlimited = new Map<string, Pipeline>()
    const waitForTurn = turnWait(pool, timeLimit)

    /** Never called inside of `ownTransaction`, whose connection the client goes on using. */
    const withIdentity = <A, E, R>(use: (identity: Identity) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (Context.getOrUndefined(fiber.context, otherTransaction) !== undefined) return dieOfMixedTransactions
        const organization = identityIn(fiber.context)
        if (organization === undefined) return dieOfMissingOrganization
        return use({ organization, isLimited: timeLimit === undefined || fiber.getRef(TimeLimited) })
      })

    const lend = (identity: Identity) =>
      Effect.flatMap(identity.isLimited ? waitForTurn : pool.get, (physical) => {
        const session = sessionOf(physical)
        return Effect.as(assume(session, identity), session)
      })

    const watched = <A, E>(session: Session, statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const work = { waitingSince: monotonicMillis(clock) }
        watch.add(work, session.physical)
        return Effect.onExit(statement, () => Effect.sync(() => watch.remove(work)))
      })

    /** Only the borrower of the session may call this. */
    const assume = (session: Session, { isLimited, organization }: Identity): Effect.Effect<void, SqlError.SqlError> =>
      Effect.suspend(() => {
        if (session.identity === organization && session.isLimited === isLimited) return Effect.void
        session.identity = undefined
        const role = organization === SYSTEM ? SYSTEM_ROLE : TENANT_ROLE
        const timeout = String(isLimited ? statementTimeout : 0)
        const assumed = session.connection.executeRaw(ASSUME, [role, organization, timeout])
        return Effect.map(isLimited ? watched(session, assumed) : assumed, () => {
          session.identity = organization
          session.isLimited = isLimited
        })
      })

    /** Gets a connection for all in the pipeline. */
    const open = (pipeline: Pipeline, identity: Identity) =>
      Effect.suspend(() => {
        pipeline.opening()
        return Effect.onExit(
          Effect.map(Scope.provide(lend(identity), pipeline.scope), (session) => {
            if (identity.isLimited) watch.add(pipeline, session.physical)
            return session.connection
          }),
          (exit) => Effect.sync(() => pipeline.opened(exit, monotonicMillis(clock))),
        )
      })

    /** The connection of a session that is not shared. Pinned, or it is the session's own. */
    const exclusive = (session: Session, physical: PgConnection.PgConnection, { isLimited }: Identity) => {
      const connection = makeConnection(physical)
      const execute = <A>(sql: string, statement: Effect.Effect<A, SqlError.SqlError>, nothing: A) => {
        const bounded = isLimited ? watched(session, statement) : statement
        return UNDOING.test(sql) ? Effect.catch(bounded, () => Effect.as(discard(session), nothing)) : bounded
      }
      return {
        ...connection,
        execute: (sql, params, transform) => execute(sql, connection.execute(sql, params, transform), []),
        executeUnprepared: (sql, params, transform) =>
          execute(sql, connection.executeUnprepared(sql, params, transform), []),
        executeRaw: (sql, params) => execute(sql, connection.executeRaw(sql, params), undefined),
        executeValues: (sql, params) => execute(sql, connection.executeValues(sql, params), []),
        executeValuesUnprepared: (sql, params) => execute(sql, connection.executeValuesUnprepared(sql, params), []),
      } satisfies SqlConnection.Connection
    }

    const discard = ({ physical }: Session) =>
      Effect.andThen(
        Effect.logDebug("A transaction could not be undone in its connection, which ends with it"),
        pool.invalidate(physical),
      )

    const borrower: SqlConnection.Borrower = (use) =>
      withIdentity((identity) =>
        // Nothing may come between joining and what makes sure of leaving.
        Effect.uninterruptibleMask((restore) => {
          const pipelines = identity.isLimited ? limited : unlimited
          const current = pipelines.get(identity.organization)
          const joined = current?.tryJoin(monotonicMillis(clock)) === true ? current : undefined
          const pipeline = joined ?? new Pipeline(most)
          if (joined === undefined) pipelines.set(identity.organization, pipeline)
          const connection =
            joined === undefined
              ? open(pipeline, identity)
              : Effect.filterOrElse(joined.connection, Predicate.isNotUndefined, () => open(joined, identity))
          const used = Effect.flatMap(connection, (connection) => Effect.flatMap(turnEnd, () => use(connection)))
          return Effect.onExit(restore(used), (exit) => {
            const left = pipeline.leave(exit, monotonicMillis(clock))
            if (pipeline.isOver) {
              watch.remove(pipeline)
              if (pipelines.get(identity.organization) === pipeline) pipelines.delete(identity.organization)
            }
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
        Effect.flatMap(lend(identity), (session) =>
          Effect.map(session.physical.pin, (pinned) => exclusive(session, pinned, identity)),
        ),
      ),
      borrower,
    })
  }

  return {
    tenant: yield* makeClient(connections.tenant, TenantTransaction, SystemTransaction, organizationIn),
    system: yield* makeClient(connections.system, SystemTransaction, TenantTransaction, () => SYSTEM),
    /** Gives up connections in which a statement has had no answer for the time limit. To be done again and again. */
    giveUpSilent: Effect.sync(() => {
      if (timeLimit !== undefined) watch.giveUpSilent(monotonicMillis(clock), Duration.toMillis(timeLimit))
    }),
  }
})

/**
 * A statement that undoes, or ends, what a transaction has done. When it fails, the connection is lost, or about to be:
 * the database undoes the transaction with it. So the failure adds nothing to the one that it follows.
 */
const UNDOING = /^(?:ROLLBACK|RELEASE)\b/

/** A connection of the pool, which is waited for only so long. */
const turnWait = (pool: PgPool.PgPool, timeLimit: Duration.Duration | undefined) => {
  if (timeLimit === undefined) return pool.get
  /** As far as is known; nobody has to wait for these, and a time limit costs more than to get one. */
  let idle = 0
  const got = Effect.tap(pool.get, () => {
    idle = Math.max(0, idle - 1)
    return Effect.addFinalizer(() => Effect.sync(() => void idle++))
  })
  const limited = Effect.timeoutOrElse(got, { duration: timeLimit, orElse: () => Effect.fail(noConnection) })
  return Effect.suspend(() => (idle > 0 ? got : limited))
}

const noConnection = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("No connection to the database was free in time"),
    operation: "acquire",
  }),
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
