import { PgPool, type PgTypes } from "@effect/sql-pg"
import { Context, Duration, Effect, type FileSystem, Layer, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { type EmbeddedSettings, openEmbedded, poolOver } from "../embedded/Embedded.ts"
import { regularly } from "../../system/Background.ts"
import { freeBytes } from "../../system/Disk.ts"
import { watchDisk } from "../embedded/DiskWatch.ts"
import { maintain } from "../embedded/Maintenance.ts"
import { migrationsDirectory } from "../MigrationFiles.ts"
import { showLoans } from "./Loans.ts"
import { migrate, refuseOutdated } from "./Migrations.ts"
import { connectionFailure, prepareDatabase } from "./Preparation.ts"
import { makeClients, TenantUse } from "./TenantConnections.ts"
import { makeRegistry, registerVector, type VectorOids } from "./SqlValues.ts"
import { withoutTimeLimit } from "./TimeLimit.ts"
import { makePresence } from "../servers/ServerPresence.ts"
import { makePulse, Pulse } from "./Pulse.ts"
import { Servers } from "../servers/Servers.ts"
import { DatabaseTraits } from "../../system/DatabaseTraits.ts"
import type { StartupError } from "../../system/StartupError.ts"

/**
 * The SQL client that acts as the login role, which owns the tables, so that row-level security does not apply. It is
 * for work before an organization is known, or for all of them: finding a key, claiming a job, migrations.
 *
 * Its counterpart is `SqlClient`, which acts as the fiber's `CurrentOrganization` and sees only the rows of that one.
 * See `TenantConnections.ts` for how the two are kept apart.
 */
export class SystemSql extends Context.Service<SystemSql, SqlClient.SqlClient>()("parley/storage/sql/SystemSql") {}

/**
 * The loss of the database. `lost` fails when the embedded engine has ended by itself, after which the server has to
 * end too. A Postgres server that cannot be reached may come back, so for one `lost` never ends.
 */
export class DatabaseLoss extends Context.Service<
  DatabaseLoss,
  { readonly lost: Effect.Effect<never, StartupError> }
>()("parley/storage/sql/DatabaseLoss") {}

/** The OIDs of pgvector's types, which differ from database to database. The parameter type `vectors` needs them. */
export class VectorTypes extends Context.Service<VectorTypes, VectorOids>()("parley/storage/sql/VectorTypes") {}

/** The services that a database provides. */
export type Database = SqlClient.SqlClient | SystemSql | DatabaseLoss | DatabaseTraits | VectorTypes

export interface PostgresSettings {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: Redacted.Redacted
  /** The most connections open at once; at least two. */
  readonly maxConnections: number
  /** Time that a statement may take, and may wait for a connection, except within `withoutTimeLimit`. */
  readonly timeLimit?: Duration.Duration
  /** Time for which a transaction may wait for its next statement before Postgres ends it together with its connection. */
  readonly idleTransactionLimit?: Duration.Duration
  /** Time that one attempt to connect may take. */
  readonly connectTimeout?: Duration.Input
  /** Whether other servers do not see this process: it takes no work over, and is none that they could take over. */
  readonly isHidden?: boolean
  /** Whether there has to be a database already. Nothing is made where there is none. */
  readonly mustExist?: boolean
}

/** The settings of the database that a server uses. */
export interface DatabaseSettings extends Omit<PostgresSettings, "url">, EmbeddedSettings {
  /** The Postgres server; undefined for the embedded database. */
  readonly url: Redacted.Redacted | undefined
}

/** The system's share of the connections: its statements are few, and short. */
const SYSTEM_SHARE = 0.25
/**
 * Most statements of one organization under way in one connection. They share writes to and reads from the socket, which
 * are the most expensive part of a short statement.
 */
const PIPELINE = 32
/** Far above what any statement of a request takes; work that rightly takes long is exempt, such as building indexes. */
const TIME_LIMIT = Duration.seconds(10)
/** Ends the transactions of a server that hangs or cannot be reached, and frees their locks. */
const IDLE_TRANSACTION_LIMIT = Duration.seconds(30)
const CONNECT_TIMEOUT = Duration.seconds(5)
/** Connections are checked for silence this many times within the time limit. */
const LOOKS_PER_TIME_LIMIT = 20
/** Closes an idle connection after this long. It is worth keeping, because it has prepared statements. */
const IDLE_TIMEOUT = Duration.minutes(10)
/** The longest time limit that Postgres takes, in milliseconds. */
const LONGEST_LIMIT = 2 ** 31 - 1
/** The interval of TCP keep-alive, which detects a peer that vanished without closing the connection. */
const KEEP_ALIVE = Duration.seconds(30)

/**
 * The parameters of every new connection. Vectors and indexes are read at random and mostly from memory, which the
 * default cost of 4 does not expect; and compiling a plan by JIT takes longer than any of the queries runs.
 */
const STARTUP_PARAMETERS = {
  random_page_cost: "1.1",
  jit: "off",
  // A search without an index in memory ranks some 4,500 text vectors, which the default of 4 MB would sort on disk.
  work_mem: "16MB",
  // An index search goes on until it has found enough vectors of the one chatbot, and visits enough of them to be
  // exact.
  "hnsw.iterative_scan": "strict_order",
  "hnsw.ef_search": "120",
}

/** Brings a database to the schema that the program needs, when it has been opened. */
export type Migrating = (
  sql: SqlClient.SqlClient,
) => Effect.Effect<void, StartupError | SqlError.SqlError, FileSystem.FileSystem>

const toLatest: Migrating = (sql) => migrate(sql, migrationsDirectory)

/** The settings that say where a database is. */
export type DatabasePlace = Pick<DatabaseSettings, "directory" | "url">

/** Names the place of a database: a directory, or a Postgres server with the database on it. */
export const placeOf = ({ directory, url }: DatabasePlace): string => {
  if (url === undefined) return directory
  const { host, pathname, searchParams } = new URL(Redacted.value(url))
  return `Postgres at ${host || searchParams.get("host") || "this machine"}${pathname}`
}

/** Leaves a database that has the current schema as it is, and refuses any other. */
export const unchanged =
  (place: string): Migrating =>
  (sql) =>
    refuseOutdated(sql, migrationsDirectory, place)

/** Connects to Postgres 15 or later with pgvector 0.7 or later, and brings the database to the current schema. */
export const layerPostgres = (
  settings: PostgresSettings,
  migrating = toLatest,
): Layer.Layer<Database, StartupError, FileSystem.FileSystem> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const types = makeRegistry()
      const config: PgPool.Config = {
        url: settings.url,
        connectTimeout: settings.connectTimeout ?? CONNECT_TIMEOUT,
        idleTimeout: IDLE_TIMEOUT,
        keepAlive: KEEP_ALIVE,
        applicationName: "parley",
        startupParameters: {
          ...STARTUP_PARAMETERS,
          idle_in_transaction_session_timeout: String(
            Math.min(
              Math.ceil(Duration.toMillis(settings.idleTransactionLimit ?? IDLE_TRANSACTION_LIMIT)),
              LONGEST_LIMIT,
            ),
          ),
        },
        types,
      }
      const { maxConnections, timeLimit = TIME_LIMIT } = settings
      const forSystem = Math.max(1, Math.floor(maxConnections * SYSTEM_SHARE))
      const forTenants = Math.max(1, maxConnections - forSystem)
      const system = PgPool.make({ ...config, maxConnections: forSystem })
      const tenant = PgPool.make({
        ...config,
        maxConnections: forTenants,
        multiplex: true,
        // `TenantConnections.ts` decides which statements share a connection.
        multiplexConcurrency: 1,
      })
      const connections = Effect.all({
        tenant: Effect.map(tenant, (pool) => ({ pool, pipeline: PIPELINE, connections: forTenants })),
        system: Effect.map(system, (pool) => ({ pool, pipeline: 1, connections: forSystem })),
      })
      const { context, giveUpSilent } = yield* openClients(types, connections, {
        migrating,
        lost: Effect.never,
        traits: { isAlone: false, answersWhileIndexing: true },
        existing: settings.mustExist === true ? placeOf({ directory: "", url: settings.url }) : undefined,
        shown: settings.isHidden === true ? undefined : { config, connections: maxConnections },
        timeLimit,
      })
      const interval = Duration.divideUnsafe(timeLimit, LOOKS_PER_TIME_LIMIT)
      yield* Effect.forkScoped(regularly(interval, "Silent connections could not be closed", giveUpSilent))
      return context
    }),
  )

/** Free bytes of the disk below which the embedded database is only read, so that it can go on once there is space again. */
const DISK_RESERVE = 64 * 1024 * 1024

/** Opens Postgres inside this process, with a directory of its own, and brings it to the current schema. */
export const layerEmbedded = (
  settings: EmbeddedSettings,
  migrating = toLatest,
): Layer.Layer<Database, StartupError, FileSystem.FileSystem> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const engine = yield* openEmbedded({ isBare: migrating !== toLatest, ...settings })
      const types = makeRegistry()
      const pool = PgPool.make({ ...poolOver(engine), types })
      const connections = Effect.map(pool, (pool) => {
        const only = { pool, pipeline: 1, connections: 1 }
        return { tenant: only, system: only }
      })
      const { context, system } = yield* openClients(types, connections, {
        migrating,
        lost: engine.lost,
        traits: { isAlone: true, answersWhileIndexing: false },
      })
      const { directory } = settings
      const disk = yield* watchDisk(system, { directory, free: freeBytes(directory), reserve: DISK_RESERVE })
      yield* Effect.forkScoped(maintain(system, engine.wire, disk.isLow))
      return context
    }),
  )

/** Opens the database that the settings name. */
export const layer = (
  { url, ...settings }: DatabaseSettings,
  migrating = toLatest,
): Layer.Layer<Database, StartupError, FileSystem.FileSystem> =>
  url === undefined ? layerEmbedded(settings, migrating) : layerPostgres({ url, ...settings }, migrating)

/** Facts about a database that is opened. */
interface Opening {
  readonly migrating: Migrating
  readonly lost: Effect.Effect<never, StartupError>
  readonly traits: DatabaseTraits["Service"]
  /** The place of a database that has to be there already. */
  readonly existing?: string | undefined
  /** The settings by which a server shows itself to the others; undefined for a process that stays hidden. */
  readonly shown?: { readonly config: PgPool.Config; readonly connections: number } | undefined
  readonly timeLimit?: Duration.Duration
}

const openClients = Effect.fn("Database.openClients")(
  function* (
    types: PgTypes.Registry,
    connections: Effect.Effect<Parameters<typeof makeClients>[0], SqlError.SqlError, Scope.Scope>,
    { existing, lost, migrating, shown, timeLimit, traits }: Opening,
  ) {
    const pools = yield* connections
    const { giveUpSilent, loans, system, tenant, tenantUse } = yield* makeClients(pools, timeLimit)
    yield* showLoans("tenant", pools.tenant.connections, loans.tenant)
    yield* showLoans("system", pools.system.connections, loans.system)
    const presence = shown === undefined ? undefined : yield* makePresence(shown.config, system, shown.connections)
    if (presence !== undefined) yield* withoutTimeLimit(presence.check)
    const vectorTypes = yield* withoutTimeLimit(prepareDatabase(system, existing))
    registerVector(types, vectorTypes)
    yield* withoutTimeLimit(migrating(system))
    if (presence !== undefined) yield* presence.begin
    const context: Context.Context<Database> = Context.make(SqlClient.SqlClient, tenant).pipe(
      Context.add(SystemSql, system),
      Context.add(DatabaseLoss, { lost }),
      Context.add(DatabaseTraits, traits),
      Context.add(VectorTypes, vectorTypes),
      Context.add(Pulse, yield* makePulse(system, presence?.servers.hasOthers ?? (() => false))),
      Context.add(TenantUse, tenantUse),
    )
    return {
      context: presence === undefined ? context : Context.add(context, Servers, presence.servers),
      system,
      giveUpSilent,
    }
  },
  Effect.provide(Reactivity.layer),
  Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(connectionFailure(error))),
)
