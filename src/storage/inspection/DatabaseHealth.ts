import { Context, Effect, Layer, Schema } from "effect"
import { LEXEME_INDEX } from "../search/LexemeIndexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/** Tables with fewer bytes are read whole in some milliseconds, and are not reported. */
const LARGE_TABLE_BYTES = 64 * 1024 * 1024
/** The rows of one table that are changed before its autovacuum is judged. */
const DEAD_ROWS_MIN = 10_000
/** A statement that runs for longer on average, in milliseconds, is slow. */
const SLOW_MILLISECONDS = 500
const SLOW_CALLS_MIN = 10
const SLOW_STATEMENTS_MAX = 5
const STATEMENT_CHARACTERS_MAX = 160

const Server = Schema.Struct({
  /** The time of the database, in milliseconds since 1970. */
  at: Schema.Finite,
  /** The connections of all programs, to all databases of the server. */
  connections: Schema.Int,
  /** The connections that the server allows to users who are not superusers. */
  connectionsMax: Schema.Int,
  isAutovacuumOn: Schema.Boolean,
  /** The age of the oldest transaction id, and of the oldest multixact id, that is still in use in this database. */
  oldestId: Schema.Finite,
  /** The age at which Postgres vacuums a table, whatever else holds. */
  freezeAge: Schema.Finite,
})

const Name = Schema.Struct({ name: Schema.String })

const Table = Schema.Struct({
  name: Schema.String,
  bytes: Schema.Finite,
  rows: Schema.Finite,
  deadRows: Schema.Finite,
  /** Whether autovacuum should have removed the dead rows long ago. */
  isBehind: Schema.Boolean,
  isAnalyzed: Schema.Boolean,
  /** Full reads of the table per hour, on average since the statistics began; 0 if the mean scan reads at most half. */
  scansPerHour: Schema.Finite,
})

const SlowStatement = Schema.Struct({
  statement: Schema.String,
  calls: Schema.Finite,
  milliseconds: Schema.Finite,
})

/** A large table that needs attention. */
export type TableFacts = typeof Table.Type

const decodeServer = decodeRows(Server)
const decodeNames = decodeRows(Name)
const decodeTables = decodeRows(Table)
const decodeSlowStatements = decodeRows(SlowStatement)

/** Reads from the catalogues and the statistics of Postgres how well the database itself is. It changes nothing. */
export class DatabaseHealth extends Context.Service<DatabaseHealth>()("parley/storage/inspection/DatabaseHealth", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql

    const server = decodeServer(sql`
      select extract(epoch from clock_timestamp())::float8 * 1000 as at,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          as "connectionsMax",
        current_setting('autovacuum')::boolean as "isAutovacuumOn",
        (select greatest(age(datfrozenxid), mxid_age(datminmxid)) from pg_database
          where datname = current_database())::float8 as "oldestId",
        current_setting('autovacuum_freeze_max_age')::float8 as "freezeAge"`).pipe(Effect.flatMap(onlyRow))

    // Indexes of words and vectors are built in the background again, and have findings of their own.
    const invalidIndexes = Effect.map(
      decodeNames(sql`
        select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
        where relnamespace = 'public'::regnamespace and not indisvalid
          and not starts_with(relname, ${LEXEME_INDEX}) and not starts_with(relname, 'chunks_nearest_')
          and not exists (select from pg_stat_progress_create_index p where p.index_relid = indexrelid)
        order by 1`),
      (rows) => rows.map(({ name }) => name),
    )

    const tables = decodeTables(sql`
      select * from (
        select s.relname as name, bytes::float8, reltuples::float8 as rows, n_dead_tup::float8 as "deadRows",
          -- Twice what autovacuum waits for.
          n_dead_tup > greatest(${DEAD_ROWS_MIN}::int, 2 * (
            current_setting('autovacuum_vacuum_threshold')::float8
              + current_setting('autovacuum_vacuum_scale_factor')::float8 * greatest(reltuples, 0)
          )) as "isBehind",
          reltuples >= 0 and coalesce(last_analyze, last_autoanalyze) is not null as "isAnalyzed",
          -- A scan that a limit ends early, or one to build an index, is no sign of a missing index.
          case when seq_scan > 0 and seq_tup_read / seq_scan > reltuples / 2
            then seq_scan / greatest(24, extract(epoch from now() - began) / 3600) else 0 end::float8 as "scansPerHour"
        from pg_stat_user_tables s join pg_class c on c.oid = s.relid
        cross join lateral (select pg_relation_size(c.oid) as bytes) size
        cross join (
          select coalesce(stats_reset, pg_postmaster_start_time()) as began from pg_stat_database
          where datname = current_database()
        ) since
        where s.schemaname = 'public'
      ) found
      where bytes >= ${LARGE_TABLE_BYTES} and ("isBehind" or not "isAnalyzed" or "scansPerHour" > 0)
      order by bytes desc`)

    const slowStatements = Effect.gen(function* () {
      const [place] = yield* decodeNames(sql`
        select extnamespace::regnamespace::text as name from pg_extension where extname = 'pg_stat_statements'`)
      if (place === undefined) return []
      return yield* decodeSlowStatements(sql`
        select left(regexp_replace(query, '\\s+', ' ', 'g'), ${STATEMENT_CHARACTERS_MAX}) as statement,
          calls::float8, mean_exec_time as milliseconds
        from ${sql(place.name)}.pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and calls >= ${SLOW_CALLS_MIN} and mean_exec_time >= ${SLOW_MILLISECONDS}
          and query !~* '^\\s*(create|drop|vacuum|analyze|alter|copy|explain)'
        order by mean_exec_time desc limit ${SLOW_STATEMENTS_MAX}`)
    }).pipe(
      // The extension may be there without the library that it needs.
      Effect.catchTag("SqlError", () => Effect.succeed([])),
    )

    return {
      server: withoutSqlErrors(server),

      /** The names of indexes that Postgres does not use because building them was never finished. */
      invalidIndexes: withoutSqlErrors(invalidIndexes),

      /** The large tables that need attention. */
      tables: tables.pipe(withoutTimeLimit, withoutSqlErrors),

      /** The statements that run for long on average, the longest first; empty without `pg_stat_statements`. */
      slowStatements: slowStatements.pipe(withoutTimeLimit, withoutSqlErrors),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
