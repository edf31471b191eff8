import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { Unavailable } from "../../domain/Errors.ts"
import { BlobKey } from "../../domain/BlobKey.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"
import { type CatalogTable, readMigration, readSequences, readTables } from "./Catalog.ts"
import { blobColumns, type TableRule, tableRules } from "./Tables.ts"

/** A page of rows has about this many characters. The number of its rows follows from the page before. */
const PAGE_CHARACTERS = 1024 * 1024
/** The number of rows of the first page, and the most of any. */
const PAGE_ROWS = { first: 50, most: 1_000 }

/** Suffix of the names of columns that have the id of the key of an encrypted secret. */
const SEALED_BY = "sealed_by"

/** A blob that a row of a snapshot names. */
export const SnapshotBlob = Schema.Struct({
  key: BlobKey,
  /** SHA-256 of the content in hex; null where the row does not say. */
  sha256: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
})
export type SnapshotBlob = typeof SnapshotBlob.Type

const decodeLines = decodeRows(Schema.Struct({ line: Schema.String }))
const decodeKeys = decodeRows(Schema.Struct({ key: Schema.String }))
const decodeFacts = decodeRows(Schema.Struct({ postgres: Schema.String, at: Schema.String }))

/** The database as it was at one moment. It can be read while the transaction of `take` is open. */
export interface Snapshot {
  readonly migration: string
  readonly postgres: string
  /** The moment, by the clock of the database, in ISO 8601. */
  readonly takenAt: string
  /** The last number of each sequence that has given any. */
  readonly sequences: Readonly<Record<string, string>>
  /** Ids of the keys that encrypted secrets in these tables. */
  readonly secretKeys: ReadonlyArray<string>
  /** The tables whose rows belong into the backup, parents first. */
  readonly tables: ReadonlyArray<string>
  /** Reads the rows of a table in pages, each row as a line of JSON, in the order of the primary key. */
  readonly rows: (table: string) => Stream.Stream<ReadonlyArray<string>, Unavailable>
  /** Lists the blobs that rows name, in pages, each as a line of JSON, a `SnapshotBlob`. */
  readonly blobs: Stream.Stream<ReadonlyArray<string>, Unavailable>
}

/** Reads all rows of the database as of one moment, while others go on writing. */
export class Snapshots extends Service<Snapshots>()("parley/storage/backup/Snapshots", function* () {
  const system = yield* SystemSql
  const tenant = yield* SqlClient.SqlClient

  const snapshotOf = Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    migration: string,
    organization: OrganizationId | undefined,
  ) {
    yield* sql`set transaction isolation level repeatable read, read only`.unprepared
    yield* sql`select set_config(name, value, true) from (values
      ('TimeZone', 'UTC'), ('bytea_output', 'hex'), ('extra_float_digits', '1'),
      ('idle_in_transaction_session_timeout', '0')) settings (name, value)`
    const tables = yield* readTables(sql)
    const [facts] = yield* decodeFacts(sql`select current_setting('server_version') as postgres,
      to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"') as at`)
    const sequences = organization === undefined ? yield* readSequences(sql) : []
    const chosen = tableRules.flatMap((rule) => {
      const table = tables.get(rule.table)
      return table !== undefined && isChosen(rule, organization) ? [table] : []
    })

    const conditionOf = ({ name }: Pick<CatalogTable, "name">): Statement.Fragment =>
      organization === undefined
        ? sql.literal("true")
        : sql`${sql(name === "organizations" ? "id" : "organization_id")} = ${organization}::uuid`

    /** The lines of a query with a column `line`, page by page, through a cursor. */
    const linesOf = (query: Statement.Fragment) => {
      const cursor = sql`declare lines no scroll cursor for ${query}`.unprepared
      const page = (rows: number) =>
        Effect.map(decodeLines(sql`fetch ${sql.literal(String(rows))} from lines`.unprepared), (found) => {
          const lines = found.map(({ line }) => line)
          return [
            lines.length === 0 ? [] : [lines],
            lines.length < rows ? Option.none() : Option.some(nextRows(lines)),
          ] as const
        })
      return Stream.unwrap(
        Effect.as(
          withoutSqlErrors(cursor),
          Stream.paginate<number, ReadonlyArray<string>, Unavailable, never>(PAGE_ROWS.first, (rows) =>
            withoutSqlErrors(page(rows)),
          ),
        ),
      ).pipe(
        // The transaction may be aborted, and then closes its cursors itself.
        Stream.ensuring(Effect.ignore(sql`close lines`.unprepared)),
      )
    }

    const rows = (name: string) => {
      const table = tables.get(name)
      if (table === undefined) return Stream.empty
      const order =
        table.primary.length === 0
          ? sql.literal("t::text")
          : sql.csv(table.primary.map((column) => sql`t.${sql(column)}`))
      return linesOf(sql`select translate(row_to_json(t)::text, E'\r\n', '  ') as line from ${sql(name)} t
        where ${conditionOf({ name })} order by ${order}`)
    }

    const owned = blobColumns.map(
      ({ isHashed, key, table }) => sql`
        select ${sql(key)} as key, ${sql.literal(isHashed ? "sha256" : "null::text")} as sha256,
          ${sql.literal(isHashed ? "size_bytes" : "null::bigint")} as bytes
        from ${sql(table)} where ${sql(key)} is not null and ${conditionOf({ name: table })}`,
    )
    const union = owned.reduce((all, one) => sql`${all} union all ${one}`)
    const blobs = linesOf(sql`
      select row_to_json(b)::text as line from (
        select key, max(sha256) as sha256, max(bytes) as bytes from (${union}) owned
        group by key order by max(sha256) collate "C", key collate "C"
      ) b`)

    const sealed = chosen.flatMap((table) =>
      table.columns.filter((column) => column.endsWith(SEALED_BY)).map((column) => ({ column, table })),
    )
    const secretKeys = new Set<string>()
    for (const { column, table } of sealed) {
      const keys = yield* decodeKeys(sql`select distinct ${sql(column)} as key from ${sql(table.name)}
        where ${sql(column)} is not null and ${conditionOf(table)}`)
      for (const { key } of keys) secretKeys.add(key)
    }

    return {
      migration,
      postgres: facts?.postgres ?? "",
      takenAt: facts?.at ?? "",
      sequences: Object.fromEntries(
        sequences.flatMap(({ last, name }) => (last === null ? [] : [[name, last] as const])),
      ),
      secretKeys: Array.from(secretKeys).toSorted(),
      tables: chosen.map(({ name }) => name),
      rows,
      blobs,
    } satisfies Snapshot
  })

  return {
    /**
     * Takes a snapshot, of the whole database or of one organization, and keeps it while `use` runs. The embedded
     * database serves nobody else meanwhile.
     */
    take: <A, E, R>(
      organization: OrganizationId | undefined,
      use: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
    ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable, R> => {
      const sql = organization === undefined ? system : tenant
      const taken = Effect.flatMap(readMigration(system), (migration = "") =>
        sql.withTransaction(Effect.flatMap(snapshotOf(sql, migration, organization), use)),
      )
      return withoutSqlErrors(
        withoutTimeLimit(
          organization === undefined ? taken : Effect.provideService(taken, CurrentOrganization, organization),
        ),
      )
    },
  }
}) {}

const isChosen = (rule: TableRule, organization: OrganizationId | undefined): boolean =>
  organization === undefined ? rule.isBackedUp : rule.isExported

/** The number of rows of the next page, by the length of this one's. It at most doubles, because rows differ. */
const nextRows = (lines: ReadonlyArray<string>): number => {
  const characters = lines.reduce((sum, line) => sum + line.length, 1)
  const fitting = Math.floor((lines.length * PAGE_CHARACTERS) / characters)
  return Math.max(1, Math.min(fitting, lines.length * 2, PAGE_ROWS.most))
}
