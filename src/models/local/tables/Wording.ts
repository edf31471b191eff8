import type { PassageJson } from "../../../domain/Passage.ts"
import { cut } from "../../../text/Cut.ts"
import type { Matches } from "./Matches.ts"

/* Words the answer of a table: cells with the names of their rows and columns. */

/** Rows and columns of a table that a question asks for. */
export interface Choice {
  readonly rows: ReadonlyArray<number>
  /** The column whose cells name the rows; undefined where there is one row, which needs no name. */
  readonly label: number | undefined
  /** The columns that are asked for; where there are none, only the names of the rows are. */
  readonly columns: ReadonlyArray<number>
  readonly evidence: number
}

/** An answer from the cells of one table. */
export interface TableAnswer {
  /** One row, such as `Team: Monthly price 50 EUR`, or a list of rows. It does not name its document. */
  readonly text: string
  /** The rows with the names of their columns, and the passages that they are from; at least one. */
  readonly quotes: ReadonlyArray<{ readonly text: string; readonly passage: PassageJson }>
  /** The share of the question's information, weighted by rarity, that the rows and what names them hold, 0–1. */
  readonly evidence: number
}

/** Longest cell of an answer, in UTF-16 code units. */
const CELL_MAX_LENGTH = 500
/** The most rows that an answer quotes. */
const QUOTES_MAX = 10

/** The answer that consists of a line for each row, or of the names of the rows on one line. */
export const worded = (matches: Matches, { columns, evidence, label, rows }: Choice): TableAnswer | undefined => {
  if (label === undefined) return unnamed(matches, { columns, evidence, rows })
  const shown = columns.filter((column) => column !== label && rows.some((row) => matches.cell(row, column) !== ""))
  if (columns.length > 0 && shown.length === 0) return undefined
  const lines =
    shown.length === 0
      ? [named(matches, label, rows.map((row) => matches.cell(row, label)).join(", "))]
      : rows.map((row) => lineOf(matches, row, label, shown))
  return {
    text: lines.length === 1 ? (lines[0] ?? "") : lines.map((line) => `- ${line}`).join("\n"),
    quotes: quotesOf(matches, rows, shown),
    evidence,
  }
}

/** The answer from the only row of a table. */
const unnamed = (
  matches: Matches,
  { columns, evidence, rows: [row = 0] }: Omit<Choice, "label">,
): TableAnswer | undefined => {
  const shown = columns.filter((column) => matches.cell(row, column) !== "")
  if (shown.length === 0) return undefined
  return {
    text: shown.map((column) => named(matches, column, short(matches, matches.cell(row, column)))).join("; "),
    quotes: quotesOf(matches, [row], shown),
    evidence,
  }
}

/** The answer that says how many rows there are, and names them when they are few. */
export const counting = (matches: Matches, { evidence, label = 0, rows }: Choice): TableAnswer => {
  const names = rows.map((row) => matches.cell(row, label)).filter((name) => name !== "")
  const few = names.length === rows.length && rows.length <= QUOTES_MAX ? ` (${names.join(", ")})` : ""
  return {
    text: named(matches, label, `${rows.length}${few}`),
    quotes: quotesOf(matches, rows, [label]),
    evidence,
  }
}

const named = (matches: Matches, column: number, text: string): string => {
  const name = matches.name(column).replace(/\s*:$/, "")
  return name === "" ? text : `${name}: ${text}`
}

const lineOf = (matches: Matches, row: number, label: number, columns: ReadonlyArray<number>): string => {
  const values = columns.flatMap((column) => {
    const cell = short(matches, matches.cell(row, column))
    const name = matches.name(column)
    const isClear = name === "" || name === cell || (isText(cell) && name.length > NAME_MAX_LENGTH)
    return cell === "" ? [] : [isClear ? cell : `${name} ${cell}`]
  })
  const name = matches.cell(row, label).replace(/\s*:$/, "")
  // A number alone does not say what it names.
  const of = /\p{L}/u.test(name) ? name : `${matches.name(label)} ${name}`.trim()
  return of === "" ? values.join("; ") : `${bounded(of)}: ${values.join("; ")}`
}

/** A longer name of a column is a sentence about it, which a text below it does not need. */
const NAME_MAX_LENGTH = 25
const isText = (cell: string): boolean => cell.length > 2 * NAME_MAX_LENGTH

/** A longer text of a cell is told by its first sentence and those with words of the question. */
const TEXT_MAX_LENGTH = 120
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" })

const short = (matches: Matches, cell: string): string => {
  if (cell.length <= TEXT_MAX_LENGTH) return cell
  const parts = Array.from(sentences.segment(cell), ({ segment }) => segment)
  const told = parts.filter((part, index) => index === 0 || matches.holdsWords(part))
  return bounded(told.join("").trim())
}

const bounded = (cell: string): string =>
  cell.length <= CELL_MAX_LENGTH ? cell : `${cut(cell, CELL_MAX_LENGTH - 1).trimEnd()}…`

const quotesOf = (
  matches: Matches,
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<number>,
): TableAnswer["quotes"] =>
  rows.slice(0, QUOTES_MAX).flatMap((row) => matches.grid.rows[row]?.quote(columns[0] ?? 0) ?? [])
