import { Duration, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { regularly } from "../../system/Background.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import type { Wire } from "./Wire.ts"

/** Time between two checks whether maintenance is due. */
const LOOK_EVERY = Duration.seconds(30)
/** A checkpoint is due after this many bytes of write-ahead log, which would otherwise grow without limit. */
const CHECKPOINT_AFTER_BYTES = 64 * 1024 * 1024
/**
 * As for Postgres's autovacuum, a table is due when more rows are dead or changed than this number and this fraction of
 * its rows together.
 */
const VACUUM_AFTER_ROWS = 50
const VACUUM_AFTER_FRACTION = 0.2

/** Each piece of work waits until the database has not been used for this long. */
const QUIET = Duration.seconds(1)
/** The longest wait for such a pause. */
const PATIENCE = Duration.minutes(5)
const LOOK_FOR_QUIET_EVERY = Duration.millis(200)

/**
 * Does for ever what background processes do on a Postgres server, and the embedded engine lacks: checkpoints, and
 * autovacuum with its statistics. It works table by table in pauses of the traffic, because no statement can run
 * meanwhile.
 */
export const maintain = (
  sql: SqlClient.SqlClient,
  wire: Wire,
  isDiskLow: Effect.Effect<boolean>,
): Effect.Effect<never> =>
  regularly(
    LOOK_EVERY,
    "The maintenance of the embedded database failed",
    // Maintenance writes, even in a session that is read-only because the disk is nearly full.
    Effect.flatMap(isDiskLow, (isLow) => (isLow ? Effect.void : runDueWork(sql, inAPause(wire)))),
  ).pipe(Effect.delay(LOOK_EVERY))

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

const decodeTables = decodeRows(Schema.Struct({ table: Schema.String }))

const findTables = (sql: SqlClient.SqlClient) =>
  decodeTables(sql`
    select relname as table from pg_stat_user_tables
    where greatest(n_dead_tup, n_mod_since_analyze) > ${VACUUM_AFTER_ROWS} + ${VACUUM_AFTER_FRACTION} * n_live_tup
    order by relname`)

const decodeSizes = decodeRows(Schema.Struct({ bytes: Schema.Finite }))

const measureLog = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(
    decodeSizes(sql`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`),
    onlyRow,
  )
