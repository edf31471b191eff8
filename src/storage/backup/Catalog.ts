import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../Rows.ts"

/** A table of the schema `public`, as the catalog of Postgres describes it. */
export const CatalogTable = Schema.Struct({
  name: Schema.String,
  /** The columns that are written, in order; generated ones are not. */
  columns: Schema.Array(Schema.String),
  /** The columns of the primary key; empty where there is none. */
  primary: Schema.Array(Schema.String),
})
export type CatalogTable = typeof CatalogTable.Type

const decodeTables = decodeRows(CatalogTable)
const decodeSequences = decodeRows(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.String) }))

const decodeNames = decodeRows(Schema.Struct({ name: Schema.String }))

/** Reads the tables of the schema `public`, by name. */
export const readTables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    decodeTables(sql`
      select c.relname::text as name,
        (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
        coalesce((select array_agg(a.attname::text order by part.place)
          from pg_index i, unnest(i.indkey::int2[]) with ordinality part (attnum, place), pg_attribute a
          where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = part.attnum),
          '{}') as primary
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      order by c.relname`),
    (tables) => new Map(tables.map((table) => [table.name, table])),
  )

/** Reads the last values of the sequences of the schema `public`; null for one that has given no number yet. */
export const readSequences = (sql: SqlClient.SqlClient) =>
  decodeSequences(sql`
    select sequencename::text as name, last_value::text as last from pg_sequences
    where schemaname = 'public' order by sequencename`)

/** Reads the number of the last migration that the database has had, or undefined before the first one. */
export const readMigration = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [table] = yield* sql`select 1 from pg_tables where schemaname = 'public' and tablename = 'parley_migrations'`
    if (table === undefined) return undefined
    const [row] = yield* decodeNames(sql`select name from parley_migrations order by number desc limit 1`)
    return row?.name
  })
