import { type PgConnection, PgClient, type PgPool } from "@effect/sql-pg"
import { Clock, Context, Duration, Effect, type Exit, Latch, Predicate } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { outcomeOf, secondsSince } from "../../observability/Border.ts"
import { database as metrics } from "../../observability/Metrics.ts"
import { turn } from "../../system/LoopTurns.ts"
import { atClose } from "../../system/AtClose.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { placesByOwner } from "../../system/Places.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { endAbandoned } from "./AbandonedStatements.ts"
import { lender, noLoans } from "./Loans.ts"
import { Pipeline } from "./Pipeline.ts"
import { SilenceWatch } from "./SilenceWatch.ts"
import { isReadOnly } from "./SqlErrors.ts"
import { TimeLimited } from "./TimeLimit.ts"
import { turnEnd } from "./TurnEnd.ts"

/*
 * There are two SQL clients, which differ by the identity of the session that they borrow:
 *
 * - the tenant: role `parley_tenant` and the setting `parley.organization_id`, by which row-level security shows only
 *   the rows of the fiber's `CurrentOrganization`. A fiber without an organization dies, so that it sees nothing;
 * - the system: the login role, which owns the tables and sees all rows.
 *
 * The identity belongs to the physical connection and is remembered here, so that it is set only when it changes: one
 * round trip, outside of any transaction, where `SET LOCAL` would cost four for every query. On a server, each client
 * has connections of its own, because changing the identity for every request halved the requests per second
 * (measured).
 *
 * A pooler that gives each transaction another connection (PgBouncer in transaction mode) is not supported, because the
 * remembered identity would be wrong. With one, a statement may meet the identity of another organization; its own
 * filter and that organization's policy then have no row in common. Session mode works.
 *
 * A tenant's statement could itself set the role back: row-level security is a second guard behind the filters of the
 * statements, and not one against foreign SQL, which is never run.
 */

/** The role that tenants' statements run as. */
export const TENANT_ROLE = "parley_tenant"
const ORGANIZATION_SETTING = "parley.organization_id"

/** `none` is Postgres's word for the login role. */
const SYSTEM_ROLE = "none"
const ASSUME = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false),
  set_config('statement_timeout', $3, false)`

/** Stands for the system in place of an organization's id. */
const SYSTEM = ""

type TransactionService = Context.Service<SqlClient.TransactionConnection, SqlClient.TransactionConnection.Service>
const TenantTransaction: TransactionService = Context.Service("parley/storage/sql/TenantTransaction")
const SystemTransaction: TransactionService = Context.Service("parley/storage/sql/SystemTransaction")

/**
 * A physical connection with its identity, which is undefined while the connection is new, while the identity is being
 * changed, and after a change that failed.
 */
interface Session {
  readonly physical: PgConnection.PgConnection
  readonly connection: SqlConnection.Connection
  /** The monotonic time at which it was borrowed first, in milliseconds. */
  readonly since: number
  identity: string | undefined
  isLimited: boolean
}

/** The organization that a statement acts for, and whether the time limit holds for it. */
interface Identity {
  readonly organization: string
  readonly isLimited: boolean
}

/** A pool of connections, in each of which at most `pipeline` statements of one organization are under way together. */
export interface Connections {
  readonly pool: PgPool.PgPool
  /** The most connections of the pool. */
  readonly connections: number
  readonly pipeline: number
}

/** The part of the connections that one organization may have or wait for, so that another one finds some free. */
const ORGANIZATION_PART = 0.75

/**
 * The database cancels a statement at this part of the time limit, so that it usually reports the cancellation before
 * the connection is given up.
 */
const SERVER_PART = 0.9

/**
 * A session takes `default_transaction_read_only` of its database over when it begins, and keeps it. One in which nothing
 * can be stored ends with the next failure once it is this old, so that a change is noticed by sessions that begin later.
 */
const READ_ONLY_MILLIS = 5_000

/**
 * Opens whenever tenants have given a connection back, and so may have stored something. Who waits for it closes it.
 */
export const TenantUse = Context.Reference<Latch.Latch>("parley/storage/sql/TenantUse", {
  defaultValue: () => Latch.makeUnsafe(false),
})

/**
 * Builds both clients, which live as long as their pools. The two pools may be the same one.
 *
 * @param timeLimit how long a statement may take, and how long it may wait for a connection; absent for no limit
 */
export const makeClients = Effect.fnUntraced(function* (
  connections: { readonly tenant: Connections; readonly system: Connections },
  timeLimit?: Duration.Duration,
) {
  const clock = yield* Clock.Clock
  const now = () => monotonicMillis(clock)
  const watch = new SilenceWatch()
  const tenantUse = yield* Latch.make(false)
  const noteUse = atClose(tenantUse.open)
  const loans = { tenant: noLoans(), system: noLoans() }
  const tenantPlaces = placesByOwner(Math.max(1, Math.floor(connections.tenant.connections * ORGANIZATION_PART)))
  const isShared = connections.system.pool === connections.tenant.pool
  const places = {
    tenant: tenantPlaces,
    system: isShared ? tenantPlaces : placesByOwner(connections.system.connections),
  }
  const statementTimeout = timeLimit === undefined ? 0 : Math.ceil(Duration.toMillis(timeLimit) * SERVER_PART)
  const sessions = new WeakMap<PgConnection.PgConnection, Session>()

  const makeClient = (
    name: "system" | "tenant",
    { pool, pipeline: most }: Connections,
    ownTransaction: TransactionService,
    otherTransaction: TransactionService,
    identityIn: (context: Context.Context<never>) => string | undefined,
  ) => {
    const seconds = metrics.statements(name)
    const failures = metrics.failures(name)
    const count = (begin: number, exit: Exit.Exit<unknown, unknown>): void => {
      seconds.observe(secondsSince(begin))
      if (outcomeOf(exit) === "failed") failures.add()
    }
    /** The pipeline of each organization that the next statement may join. */
    const limited = new Map<string, Pipeline<Session>>()
    const unlimited = new Map<string, Pipeline<Session>>()
    const { get, getInTime } = lender(pool, places[name], timeLimit, loans[name])

    const sessionOf = (physical: PgConnection.PgConnection): Session => {
      const known = sessions.get(physical)
      if (known !== undefined) return known
      const since = now()
      const connection = makeConnection(physical, untilReadOnly(physical, since))
      const session: Session = { physical, connection, since, identity: undefined, isLimited: true }
      sessions.set(physical, session)
      return session
    }

    /** Ends an old session in which nothing can be stored. The only one of an embedded database is not ended. */
    const untilReadOnly =
      (physical: PgConnection.PgConnection, since: number) =>
      <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
        isShared
          ? statement
          : Effect.tapError(statement, (error) =>
              isReadOnly(error) && now() - since >= READ_ONLY_MILLIS ? pool.invalidate(physical) : Effect.void,
            )

    /**
     * Passes on the fiber's identity. It is never called within `ownTransaction`, whose connection the client keeps.
     */
    const withIdentity = <A, E, R>(use: (identity: Identity) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (Context.getOrUndefined(fiber.context, otherTransaction) !== undefined) return dieOfMixedTransactions
        const organization = identityIn(fiber.context)
        if (organization === undefined) return dieOfMissingOrganization
        return use({ organization, isLimited: timeLimit === undefined || fiber.getRef(TimeLimited) })
      })

    const lend = (identity: Identity) =>
      Effect.flatMap((identity.isLimited ? getInTime : get)(identity.organization), (physical) => {
        const session = sessionOf(physical)
        const assumed = Effect.as(assume(session, identity), session)
        return identity.organization === SYSTEM ? assumed : Effect.andThen(noteUse, assumed)
      })

    const watched = <A, E>(session: Session, statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const begin = performance.now()
        const work = { waitingSince: now() }
        watch.add(work, session.physical)
        return Effect.onExit(statement, (exit) => {
          watch.remove(work)
          count(begin, exit)
          return Effect.void
        })
      })

    /** Gives the session this identity. Only the borrower of the session may call this. */
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

    /** Makes the connection of a transaction, which shares the session with nothing else. */
    const exclusive = (session: Session, physical: PgConnection.PgConnection, { isLimited }: Identity) => {
      const checked = untilReadOnly(session.physical, session.since)
      const connection = makeConnection(
        physical,
        isLimited ? (statement) => checked(watched(session, statement)) : checked,
      )
      return {
        ...connection,
        execute: (sql, params, transform) => {
          const statement = connection.execute(sql, params, transform)
          return UNDOING.test(sql) ? Effect.catch(statement, () => Effect.as(discard(session), [])) : statement
        },
      } satisfies SqlConnection.Connection
    }

    const discard = ({ physical }: Session) =>
      Effect.andThen(
        Effect.logDebug("A transaction could not be undone in its connection, which ends with it"),
        pool.invalidate(physical),
      )

    const borrower: SqlConnection.Borrower = (use) =>
      withIdentity((identity) =>
        // Not interruptible between joining the pipeline and registering the exit from it.
        Effect.uninterruptibleMask((restore) => {
          const begin = performance.now()
          const pipelines = identity.isLimited ? limited : unlimited
          const current = pipelines.get(identity.organization)
          const joined = current?.tryJoin(now()) === true ? current : undefined
          const pipeline = joined ?? new Pipeline<Session>(most)
          if (joined === undefined) pipelines.set(identity.organization, pipeline)
          const session = pipeline.connection(
            () =>
              Effect.tap(lend(identity), ({ physical }) => {
                if (identity.isLimited) watch.add(pipeline, physical)
                return Effect.void
              }),
            now,
          )
          const used = Effect.flatMap(session, ({ connection }) => Effect.flatMap(turnEnd, () => use(connection)))
          return Effect.onExit(restore(used), (exit) => {
            count(begin, exit)
            const left = pipeline.leave(exit, now())
            if (!pipeline.isOver) return left
            watch.remove(pipeline)
            if (pipelines.get(identity.organization) === pipeline) pipelines.delete(identity.organization)
            const { abandoned } = pipeline
            // What interrupted the statement does not wait until it has ended.
            return abandoned === undefined
              ? left
              : Effect.forkDetach(Effect.ensuring(watched(abandoned, endAbandoned(abandoned.physical)), left))
          }).pipe(Effect.tap(() => restore(turn)))
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
      // Pinned, so that a fiber which outlives its transaction cannot use the connection after it was lent again.
      transactionAcquirer: withIdentity((identity) =>
        Effect.flatMap(lend(identity), (session) =>
          Effect.map(session.physical.pin, (pinned) => exclusive(session, pinned, identity)),
        ),
      ),
      borrower,
    })
  }

  return {
    tenant: yield* makeClient("tenant", connections.tenant, TenantTransaction, SystemTransaction, organizationIn),
    system: yield* makeClient("system", connections.system, SystemTransaction, TenantTransaction, () => SYSTEM),
    tenantUse,
    /** The loans of both pools. */
    loans,
    /** Closes the connections in which no statement has been answered for the time limit. It has to be repeated. */
    giveUpSilent: Effect.sync(() => {
      if (timeLimit !== undefined) watch.giveUpSilent(now(), Duration.toMillis(timeLimit))
    }),
  }
})

/**
 * Matches a statement that rolls back a transaction, or ends a savepoint. When it fails, the connection is lost or
 * about to be, and the database rolls back the transaction, so that its failure adds nothing to the one before it.
 */
const UNDOING = /^(?:ROLLBACK|RELEASE)\b/

const organizationIn = (context: Context.Context<never>): string | undefined =>
  Context.getOrUndefined(context, CurrentOrganization)

const dieOfMissingOrganization = Effect.die(
  new Error("A tenant statement ran without CurrentOrganization: provide it, or use SystemSql"),
)

/**
 * Such a statement would wait for itself on the embedded database's one connection, and would not see the uncommitted
 * rows on a server.
 */
const dieOfMixedTransactions = Effect.die(
  new Error("A statement of the tenant ran inside a transaction of the system, or the other way round"),
)

/** Commits a transaction. Postgres answers COMMIT in an aborted one with ROLLBACK and no error. */
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

/**
 * Adapts a driver's connection, with something around each statement. The clients are made without row transforms, so
 * that none is passed here.
 */
const makeConnection = (
  physical: PgConnection.PgConnection,
  around: <A>(statement: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>,
): SqlConnection.Connection => ({
  execute: (sql, params) => around(Effect.map(physical.query(sql, params), rowsOf)),
  executeUnprepared: (sql, params) => around(Effect.map(physical.query(sql, params, false), rowsOf)),
  executeRaw: (sql, params) => around(physical.query(sql, params)),
  executeValues: (sql, params) => around(physical.queryValues(sql, params)),
  executeValuesUnprepared: (sql, params) => around(physical.queryValues(sql, params, false)),
  executeStream: (sql, params) => physical.stream(sql, params),
})

const rowsOf = (result: PgConnection.Result): ReadonlyArray<PgConnection.Row> => result.rows
