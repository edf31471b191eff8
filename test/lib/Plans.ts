import { Effect } from "effect"
import type { Statement } from "effect/sql"

/*
 * What statements read, as Postgres explains it.
 */

/** The most pages of 8 kB that one statement may read beside one for each row that it returns. */
const PAGES_MAX = 700
/** The most rows that one scan may look at beside those that the statement returns. */
const ROWS_MAX = 1_000
export interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<Plan>
}

/** The JSON that `explain` returns, in the only row. */
export interface Explained {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/**
 * The scans of a plan that look at too many rows, and the statement if it reads too many pages.
 *
 * @param whole the tables of which all that the organization has may be read; `pages` for any number of pages
 */
const excesses = (plan: Plan, whole: ReadonlyArray<string>): ReadonlyArray<string> => {
  const scans = nodesOf(plan).map((node) => ({
    type: node["Node Type"],
    of: node["Relation Name"] ?? node["Index Name"] ?? "",
    rows:
      node["Actual Loops"] *
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)),
  }))
  const returned = plan["Actual Rows"]
  const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
  return [
    ...scans
      .filter(({ of, rows }) => of !== "" && !whole.includes(of) && rows > ROWS_MAX + returned)
      .map(({ of, rows, type }) => `${type} of ${rows} rows of ${of}`),
    ...(pages > PAGES_MAX + returned && !whole.includes("pages") ? [`${pages} pages`] : []),
  ]
}

/** Runs a statement, and returns it with what it reads too much of: nothing, or one text. */
export const excessOf = (
  sql: Statement.Constructor,
  text: string,
  params: ReadonlyArray<unknown>,
  whole: ReadonlyArray<string>,
) =>
  Effect.map(sql.unsafe<Explained>(`explain (analyze, buffers, format json) ${text}`, [...params]), ([row]) => {
    const [only] = row?.["QUERY PLAN"] ?? []
    const excess = only === undefined ? ["no plan"] : excesses(only.Plan, whole)
    return excess.length === 0 ? [] : [`${excess.join(", ")}: ${text.replaceAll(/\s+/g, " ")}`]
  })
