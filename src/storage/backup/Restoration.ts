import { Effect, type FileSystem, Stream } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { COMMAND_LINE } from "../../domain/Caller.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { Secrets } from "../../system/Secrets.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { Service } from "../../domain/Service.ts"
import { StartupError } from "../../system/StartupError.ts"
import { migrationsDirectory } from "../MigrationFiles.ts"
import { SystemSql } from "../sql/Database.ts"
import { migrate } from "../sql/Migrations.ts"
import { serverMessage } from "../sql/Preparation.ts"
import { sqlState, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"
import { type CatalogTable, readMigration, readTables } from "./Catalog.ts"
import { sealAgain } from "./Resealing.ts"
import { blobColumns, tableRules } from "./Tables.ts"

/** The SQLSTATE of a row that violates a unique index. */
const UNIQUE_VIOLATION = "23505"

export interface RestoredTable<E, R> {
  readonly name: string
  readonly pages: Stream.Stream<ReadonlyArray<string>, E, R>
}

/** Ids and salt for the import of an organization. */
export interface Import {
  /** The id in the export. */
  readonly from: OrganizationId
  /** The id that it has here. */
  readonly organization: OrganizationId
  /** The keys of its blobs are derived from those in the export and this text, see `importedKey`. */
  readonly salt: string
}

/** Writes the rows of backups into the database. */
export class Restoration extends Service<Restoration>()("parley/storage/backup/Restoration", function* () {
  const sql = yield* SystemSql
  const secrets = yield* Secrets

  /** Inserts rows, given as lines of JSON, with these expressions in place of some columns. */
  const insertRows = (
    { columns, name }: CatalogTable,
    lines: ReadonlyArray<string>,
    replaced: Readonly<Record<string, Statement.Fragment>>,
  ) =>
    sql`insert into ${sql(name)} (${sql.csv(columns.map((column) => sql`${sql(column)}`))})
      overriding system value
      select ${sql.csv(columns.map((column) => replaced[column] ?? sql`${sql(column)}`))}
      from json_populate_recordset(null::${sql(name)}, ${`[${lines.join(",")}]`}::text::json)`.unprepared

  const begin = sql`select set_config('idle_in_transaction_session_timeout', '0', true)`

  const write = <E, R>(
    table: CatalogTable,
    { name, pages }: RestoredTable<E, R>,
    replaced: Readonly<Record<string, Statement.Fragment>>,
  ) =>
    Stream.runForEach(pages, (lines) =>
      Effect.catchIf(insertRows(table, lines, replaced), isRefused, (error) => refused(name, error)),
    )

  /** The tables of a backup together with what the catalog says of them, parents first. */
  const inOrder = Effect.fnUntraced(function* <E, R>(tables: ReadonlyArray<RestoredTable<E, R>>) {
    const catalog = yield* readTables(sql)
    return tableRules.flatMap(({ table: name }) => {
      const rows = tables.find((one) => one.name === name)
      const table = catalog.get(name)
      return rows === undefined || table === undefined ? [] : [{ rows, table }]
    })
  })

  return {
    /**
     * Writes the rows of all tables and the numbers of the sequences as they are, in one transaction, and then brings
     * the database to the current schema. Triggers do not run.
     */
    restore: <E, R>(
      tables: ReadonlyArray<RestoredTable<E, R>>,
      sequences: Readonly<Record<string, string>>,
    ): Effect.Effect<void, Exclude<E, SqlError.SqlError> | StartupError | Unavailable, R | FileSystem.FileSystem> =>
      Effect.gen(function* () {
        yield* begin
        for (const { rows, table } of yield* inOrder(tables)) {
          yield* sql`alter table ${sql(table.name)} disable trigger user`.unprepared
          yield* write(table, rows, {})
          yield* sql`alter table ${sql(table.name)} enable trigger user`.unprepared
        }
        for (const [name, last] of Object.entries(sequences)) {
          yield* sql`select setval(c.oid::regclass, ${last}::text::bigint) from pg_class c
            where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and c.relname = ${name}`
        }
      }).pipe(
        sql.withTransaction,
        Effect.andThen(migrate(sql, migrationsDirectory)),
        Effect.andThen(sql`insert into restorations default values on conflict do nothing`),
        Effect.andThen(sql`analyze`.unprepared),
        withoutTimeLimit,
        withoutSqlErrors,
      ),

    /**
     * Writes the rows of one organization beside all others, in one transaction. Every row becomes one of the
     * organization, not of the one that it names.
     */
    import: <E, R>(
      { from, organization, salt }: Import,
      tables: ReadonlyArray<RestoredTable<E, R>>,
      /** The keys of the organization's blobs, which were announced as garbage until their rows are there. */
      blobs: Stream.Stream<ReadonlyArray<string>, E, R>,
    ): Effect.Effect<void, Exclude<E, SqlError.SqlError> | StartupError | Unavailable, R> =>
      Effect.gen(function* () {
        yield* begin
        const id = sql`${organization}::uuid`
        for (const { rows, table } of yield* inOrder(tables)) {
          const replaced: Record<string, Statement.Fragment> = { organization_id: id }
          for (const blob of blobColumns) {
            if (blob.table === table.name) replaced[blob.key] = importedKeyOf(sql, blob.key, salt)
          }
          if (table.name === "organizations") {
            replaced["id"] = id
            // There is one operator's organization in each database, and an export makes no second one.
            replaced["is_operator"] = sql.literal("false")
          }
          if (table.name === "api_keys") {
            replaced["scopes"] = sql.literal("array_remove(scopes, 'operator')")
            // What a key with this id does would count as done by the operator's commands.
            replaced["id"] = sql`nullif(id, ${COMMAND_LINE}::uuid)`
          }
          // What another server's operator has connected may be in the network of this one.
          if (table.name === "model_connections") replaced["is_trusted"] = sql.literal("false")
          if (table.name === "ingestions") replaced["lease_id"] = sql.literal("null")
          yield* write(table, rows, replaced)
        }
        if (from !== organization) yield* sealAgain(sql, secrets, from, organization)
        yield* Stream.runForEach(blobs, (keys) => sql`delete from blob_garbage where key = any(${keys}::text[])`)
      }).pipe(sql.withTransaction, withoutTimeLimit, withoutSqlErrors),

    /** The name of the last migration that the database has had. */
    migration: withoutSqlErrors(readMigration(sql)),
  }
}) {}

const isRefused = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && /^(?:22|23|42|54)/.test(sqlState(error) ?? "")

const refused = (table: string, error: SqlError.SqlError): Effect.Effect<never, StartupError> =>
  Effect.fail(
    sqlState(error) === UNIQUE_VIOLATION
      ? new StartupError({
          what: `The table ${table} has some of these rows already: ${serverMessage(error)}.`,
          doThis: "Nothing was written. Import into a database that does not have them.",
        })
      : new StartupError({
          what: `The backup is damaged: the database refuses rows of the table ${table}: ${serverMessage(error)}.`,
          doThis: "Nothing was written. Use another backup.",
        }),
  )

/** The key that a blob of an export gets, so that it can be no blob of anybody else's. In SQL; see `importedKey`. */
const importedKeyOf = (sql: SqlClient.SqlClient, column: string, salt: string) =>
  sql`split_part(${sql(column)}, '/', 1) || '/' || md5(${salt}::text || ${sql(column)})::uuid::text
    || coalesce(substring(${sql(column)} from '[.][a-z0-9]+$'), '')`
