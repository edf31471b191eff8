import type { SqlClient, Statement } from "effect/sql"
import type { Listed, Place, Range } from "../../domain/Page.ts"

/*
 * Lists whose rows stand in the order in which the database made them, and by id where it made some at the same moment.
 */

/** A column of the row's place, beside those that are shown. */
export const placeColumn = "(extract(epoch from created_at) * 1000000)::bigint::text as at"

/** A row with its place. */
export interface Placed {
  readonly id: string
  readonly at: string
}

/** What comes after a place, in an order that rises (`>`) or falls (`<`); all where there is none. */
export const beyond = (sql: SqlClient.SqlClient, after: Place | undefined, order: ">" | "<"): Statement.Fragment =>
  after === undefined
    ? sql``
    : sql`and (created_at, id) ${sql.literal(order)}
        (timestamptz 'epoch' + ${after.at}::text::bigint * interval '1 microsecond', ${after.id}::uuid)`

/** Read one row further than the range, so that it is known whether there are more. */
export const readLimit = ({ limit }: Range): number => limit + 1

export const listed = <Row extends Placed, A>(
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
