import { askedColumns, type Columns, noColumns } from "./Columns.ts"
import type { Matches } from "./Matches.ts"
import { type Covered, evidenceOf, namesOf, type Rows } from "./Rows.ts"
import { dateOf } from "./Values.ts"
import { type TableAnswer, worded } from "./Wording.ts"

/* Chooses rows by their values: the largest or smallest, and those above or below a bound. */

const ROWS_MAX = 10
const TIES_MAX = 3
/** The factor of evidence where rows of the table are probably missing. */
const MISSING_ROWS = 0.5

/** Answers with the row that has the largest or smallest value. */
export const mostExtreme = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const wanted = comparable(matches, rows)
  const [column] = wanted.columns
  // The cheapest of some rows is not the cheapest of all.
  if (column === undefined || !grid.isWhole) return undefined
  const direction = asked.extreme?.direction ?? 1
  const valued = rows.alike.flatMap((row) => {
    const value = valueOf(matches, row, column)
    return value === undefined ? [] : [{ row, value: direction * value }]
  })
  const most = Math.max(...valued.map(({ value }) => value))
  const chosen = valued.filter(({ value }) => value === most).map(({ row }) => row)
  if (chosen.length === 0 || chosen.length > TIES_MAX) return undefined
  const used: Covered = new Map([...rows.words, ...wanted.words])
  const others = askedColumns(matches, (each) => each !== label && each !== column, used)
  return worded(matches, {
    rows: chosen,
    label,
    columns: [...others.columns, column],
    evidence: evidenceOf(matches, {
      rows: rows.words,
      names: new Map([...wanted.words, ...others.words, ...namesOf(matches, [label])]),
    }),
  })
}

/** Answers with the rows whose value is within the bound that the question sets. */
export const within = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const wanted = comparable(matches, rows)
  const [column] = wanted.columns
  if (column === undefined || asked.bound === undefined) return undefined
  const { direction, value } = asked.bound
  const chosen = (rows.areChosen ? rows.alike : rows.plain).filter((row) => {
    const number = matches.number(row, column)
    return number !== undefined && direction * number > direction * value
  })
  if (chosen.length === 0 || chosen.length > ROWS_MAX) return undefined
  const units = chosen.flatMap((row) => [...(matches.cells[row]?.get(column)?.words ?? [])])
  const names = new Map([...wanted.words, ...namesOf(matches, [label]), ...units])
  const evidence = evidenceOf(matches, { rows: new Map(), names }) * (grid.isWhole ? 1 : MISSING_ROWS)
  return worded(matches, { rows: chosen, label, columns: [column], evidence })
}

/** The columns by whose values rows are compared: those of the words of the question, or the only one with numbers. */
const comparable = (matches: Matches, rows: Rows): Columns => {
  const { extreme } = matches.asked
  const isValue = (column: number) =>
    column !== matches.label && !["text", "person", "flag", "email", "day", "empty"].includes(matches.kind(column))
  const asked = askedColumns(matches, isValue, rows.words)
  if (asked.columns.length > 0) return asked
  const meant = matches.meaning(extreme?.concept).filter(isValue)
  if (meant.length > 0) return { columns: meant, words: new Map() }
  const values = Array.from(matches.columns.keys()).filter(isValue)
  return values.length === 1 ? { columns: values, words: new Map() } : noColumns
}

const valueOf = (matches: Matches, row: number, column: number): number | undefined =>
  matches.kind(column) === "date" ? dateOf(matches.cell(row, column)) : matches.number(row, column)
