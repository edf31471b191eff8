import { Duration, Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import type { Wire } from "./Wire.ts"

/** How often to look whether something is due. */
const LOOK_EVERY = Duration.seconds(30)
/** Write-ahead log since the last checkpoint, above which one is due: without, the log grows for ever. */
const CHECKPOINT_AFTER_BYTES = 64 * 1024 * 1024
/** As Postgres's autovacuum: so many rows, and that part of the table, dead or changed. */
const VACUUM_AFTER_ROWS = 50
const VACUUM_AFTER_FRACTION = 0.2

/** Each piece of work waits until nobody has used the database for so long, */
const QUIET = Duration.seconds(1)
/** but not for longer than this. */
const PATIENCE = Duration.minutes(5)
const LOOK_FOR_QUIET_EVERY = Duration.millis(200)

/**
 * Does what a Postgres server has background processes for, and the embedded one does not: checkpoints, and autovacuum
 * with its statistics. Table by table, in the pauses of the traffic, because nothing else can run meanwhile.
 */
export const maintain = (
  sql: SqlClient.SqlClient,
  wire: Wire,
  isDiskLow: Effect.Effect<boolean>,
): Effect.Effect<never> =>
  Effect.sleep(LOOK_EVERY).pipe(
    // It writes, in a session that may only read, too.
    Effect.andThen(Effect.flatMap(isDiskLow, (isLow) => (isLow ? Effect.void : runDueWork(sql, inAPause(wire))))),
    Effect.catchCause((cause) => Effect.logWarning("The maintenance of the embedded database failed", cause)),
    Effect.forever,
  )

/** One look, and all that is due. */
export const runDueWork = Effect.fn("Maintenance.runDueWork")(function* (
  sql: SqlClient.SqlClient,
  wait: Effect.Effect<void>,
) {
  for (const { table } of yield* findTables(sql)) {
    yield* wait
    yield* sql`vacuum (analyze) ${sql(table)}`.unprepared
  }
  const { bytes } = yield* measureLog(sql)
  if (bytes > CHECKPOINT_AFTER_BYTES) {
    yield* wait
    yield* sql`checkpoint`.unprepared
  }
})

const inAPause = (wire: Wire): Effect.Effect<void> => {
  const pause: Effect.Effect<void> = Effect.suspend(() =>
    wire.idleMillis() >= Duration.toMillis(QUIET)
      ? Effect.void
      : Effect.andThen(Effect.sleep(LOOK_FOR_QUIET_EVERY), pause),
  )
  return Effect.ignore(Effect.timeout(pause, PATIENCE))
}

const Table = Schema.Struct({ table: Schema.String })

const findTables = (sql: SqlClient.SqlClient) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Table,
    execute: () => sql`
      select relname as table from pg_stat_user_tables
      where greatest(n_dead_tup, n_mod_since_analyze) > ${VACUUM_AFTER_ROWS} + ${VACUUM_AFTER_FRACTION} * n_live_tup
      order by relname`,
  })(undefined)

const Log = Schema.Struct({ bytes: Schema.Finite })

const measureLog = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOne({
    Request: Schema.Void,
    Result: Log,
    execute: () => sql`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
  })(undefined)
