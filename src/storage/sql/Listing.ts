import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Listed, Place, Range } from "../../domain/Page.ts"

/*
 * Lists are ordered by the time at which the database made the rows, and by id where it made some at the same moment.
 */

/** The column `at` of a row's place, by the column of its time, to be selected beside the columns that are shown. */
export const placeColumn = (time = "created_at"): string =>
  `(extract(epoch from ${time}) * 1000000)::bigint::text as at`

/** A row with its place in a list. */
export const PlacedRow = Schema.Struct({ id: Schema.String, at: Schema.String })
export type PlacedRow = typeof PlacedRow.Type

/** A condition on the rows after a place, in ascending (`>`) or descending (`<`) order; none without a place. */
export const afterPlace = (
  sql: SqlClient.SqlClient,
  after: Place | undefined,
  order: ">" | "<",
  columns = "created_at, id",
): Statement.Fragment =>
  after === undefined
    ? sql``
    : sql`and (${sql.literal(columns)}) ${sql.literal(order)}
        (timestamptz 'epoch' + ${after.at}::text::bigint * interval '1 microsecond', ${after.id}::uuid)`

/** The number of rows to read: one more than the range has, to learn whether there are more. */
export const readLimit = ({ limit }: Range): number => limit + 1

/** Converts rows that were read with `readLimit` into a part of a list. */
export const toListed = <Row extends PlacedRow, A>(
  rows: ReadonlyArray<Row>,
  { limit }: Range,
  present: (row: Omit<Row, "at">) => A,
): Listed<A> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(({ at: _, ...row }) => present(row)),
    next: rows.length > limit && last !== undefined ? { at: last.at, id: last.id } : undefined,
  }
}
