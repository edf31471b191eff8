import { hostname } from "node:os"
import { type PgConnection, PgPool } from "@effect/sql-pg"
import { Clock, Deferred, Duration, Effect, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { type SqlClient, SqlError } from "effect/sql"
import manifest from "../../../package.json" with { type: "json" }
import { regularly } from "../../system/Background.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { Seat } from "../../system/Seat.ts"
import { StartupError } from "../../system/StartupError.ts"
import { DATABASE_URL } from "../../system/Variables.ts"
import { deadServer, idWithin, type ServersShape, type TakeOver } from "./Servers.ts"
import { decodeRows } from "../Rows.ts"

/** The first key of the advisory locks of servers, an arbitrary number of Parley's own; the second is a server's. */
export const LOCK_CLASS = 724_201_554
/** Time between two looks at the locks of the other servers. */
const LOOK_EVERY = Duration.seconds(1)
/** Time between two looks while one of the locks is free, whose server may have it again soon. */
const LOOK_AGAIN_AFTER = Duration.millis(250)
/** Time between two looks while there is no other server, to see one that arrives. */
const LOOK_ALONE_EVERY = Duration.seconds(2)
/**
 * Time for which a lock is free before its server counts as dead. A server that has only lost its connection has it
 * again sooner, also after a restart of Postgres, which frees all locks at once.
 */
const DEAD_AFTER = Duration.millis(2_500)
/** Pause of a server that has lost the connection, before it opens another one. */
const RECONNECT_AFTER = Duration.millis(250)
/** Longest time that a statement of this connection may take. */
const ANSWER_WITHIN = Duration.seconds(5)
/** Longest time that a stopping server tries to say so. Others find it out by its lock. */
const SIGN_OUT_WITHIN = Duration.seconds(1)
/** The number of looks for a pooler, which may give statements of one client to several connections only now and then. */
const POOLER_LOOKS = 3

/**
 * Lets Postgres notice within some ten seconds that a server's machine is gone, which does not close the connection.
 * They have no effect on a Unix socket.
 */
const KEEP_ALIVE = `select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false)`

const SIGN_IN = `insert into servers (id, number, version, host, pid, worker, connections)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`

/** A transaction of its own, so that the locks are given back at once. A shared lock is in nobody's way. */
const OTHERS = `select id::text, number, version, host, pid, worker,
    pg_try_advisory_xact_lock_shared(${LOCK_CLASS}, number) as is_free
  from servers where number <> $1`

const Found = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    number: Schema.Int,
    version: Schema.String,
    host: Schema.String,
    pid: Schema.Int,
    worker: Schema.NullOr(Schema.Int),
    is_free: Schema.Boolean,
  }),
)
const decodeFound = Schema.decodeUnknownEffect(Found)

const Pid = Schema.Tuple([Schema.Struct({ pid: Schema.Int })])
const decodePid = Schema.decodeUnknownEffect(Pid)
const OWN_PID = "select pg_backend_pid() as pid"

const pooler = new StartupError({
  what: "Between Parley and Postgres is a pooler, such as PgBouncer, that gives the statements of one connection to several.",
  doThis: `Let ${DATABASE_URL} name Postgres itself, or a pool in session mode: each server has few connections and shares them among its requests.`,
})

const decodeNumber = decodeRows(Schema.Struct({ number: Schema.Finite }))

/**
 * Refuses a pooler that pools transactions or statements, behind which the identity of a connection would be that of
 * any client: one connection must not have the process of another, nor change its own.
 */
export const refusePooler = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  system: SqlClient.SqlClient,
) {
  const pidOf = Effect.flatMap(connection.query(OWN_PID, [], false), ({ rows }) => Effect.orDie(decodePid(rows)))
  for (let look = 0; look < POOLER_LOOKS; look++) {
    const [{ pid }] = yield* pidOf
    yield* system.withTransaction(
      Effect.gen(function* () {
        const [other] = yield* Effect.orDie(Effect.flatMap(system.unsafe(OWN_PID).unprepared, decodePid))
        // A pool of one connection has none left for this one.
        const [own] = yield* Effect.timeoutOrElse(pidOf, { duration: ANSWER_WITHIN, orElse: () => Effect.fail(pooler) })
        if (other.pid === pid || own.pid !== pid) return yield* pooler
      }),
    )
  }
})

/**
 * Shows the other servers that this one is there, for as long as the scope is open: by a row, and by a lock that ends
 * with its connection. Tells the dead by their free locks, and has their work taken over.
 *
 * @param config of a pool of connections
 * @param connections of this process to the database, at most
 */
export const makePresence = Effect.fnUntraced(function* (
  config: PgPool.Config,
  system: SqlClient.SqlClient,
  connections: number,
) {
  const clock = yield* Clock.Clock
  const seat = yield* Seat
  const id = crypto.randomUUID()
  const pool = yield* Effect.provide(PgPool.make({ ...config, maxConnections: 1 }), Reactivity.layer)
  const takeOvers: Array<TakeOver> = []
  let number: number | undefined
  let hasOthers = false
  const arrived = yield* Deferred.make<void>()

  /** Since when the locks of servers are seen to be free, by their ids, in milliseconds. */
  const freeSince = new Map<string, number>()

  const look = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
    const { rows } = yield* Effect.timeoutOrElse(connection.query(OTHERS, [number]), {
      duration: ANSWER_WITHIN,
      orElse: () => Effect.fail(noAnswer),
    })
    const others = yield* Effect.orDie(decodeFound(rows))
    hasOthers = others.length > 0
    const found = others.filter(({ is_free }) => is_free)
    const now = monotonicMillis(clock)
    for (const known of freeSince.keys()) if (found.every((one) => one.id !== known)) freeSince.delete(known)
    for (const { id, is_free: _, ...about } of found) {
      const since = freeSince.get(id) ?? now
      freeSince.set(id, since)
      if (now - since < Duration.toMillis(DEAD_AFTER)) continue
      const dead = deadServer(id)
      yield* Effect.forEach(takeOvers, (takeOver) => takeOver(dead), { discard: true })
      const gone = yield* system`delete from servers where id = ${id} returning id`
      if (gone.length > 0) yield* Effect.logWarning("A server has ended, and its work is taken over", about)
    }
  })

  /** Holds the lock until the connection is lost. */
  const hold = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* pool.get
      yield* connection.query(KEEP_ALIVE, [])
      if (number === undefined) {
        const [row] = yield* decodeNumber(system`select nextval('server_numbers')::int as number`)
        number = row?.number
      }
      yield* connection.query(`select pg_advisory_lock(${LOCK_CLASS}, $1)`, [number])
      // Others may have taken it for dead while the connection was lost.
      yield* connection.query(SIGN_IN, [
        id,
        number,
        manifest.version,
        hostname(),
        process.pid,
        seat?.number ?? null,
        connections + 1,
      ])
      yield* Deferred.succeed(arrived, undefined)
      freeSince.clear()
      return yield* look(connection).pipe(
        Effect.catchTag("Unavailable", (error) => Effect.logWarning("Work could not be taken over", error)),
        Effect.andThen(
          Effect.suspend(() =>
            Effect.sleep(freeSince.size > 0 ? LOOK_AGAIN_AFTER : hasOthers ? LOOK_EVERY : LOOK_ALONE_EVERY),
          ),
        ),
        Effect.forever,
        Effect.onError(() => pool.invalidate(connection)),
      )
    }),
  )

  return {
    /** Fails where the connections are those of a pooler. */
    check: Effect.scoped(Effect.flatMap(pool.get, (connection) => refusePooler(connection, system))),
    /** Begins, once the database has the current schema, and waits until the others can see this server. */
    begin: Effect.gen(function* () {
      yield* Effect.addFinalizer(() =>
        Effect.ignore(
          Effect.timeoutOption(Effect.interruptible(system`delete from servers where id = ${id}`), SIGN_OUT_WITHIN),
        ),
      )
      yield* Effect.forkScoped(
        regularly(RECONNECT_AFTER, "The connection that shows this server to others is lost", hold),
      )
      yield* Effect.timeoutOption(Deferred.await(arrived), ANSWER_WITHIN)
    }),
    servers: {
      id,
      hasOthers: () => hasOthers,
      idOf: (random) => idWithin(id, random),
      onDeath: (takeOver) => Effect.sync(() => void takeOvers.push(takeOver)),
    } satisfies ServersShape,
  }
})

const noAnswer = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("Postgres did not answer in time"), operation: "execute" }),
})
