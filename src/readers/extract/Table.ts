import { oneLine } from "./Text.ts"

/** Longest text that is repeated in each row and column that a cell spans, in UTF-16 code units. */
export const MAX_REPEATED_CHARACTERS = 200

/** Most columns or rows that a cell may span; larger spans are cut. */
export const MAX_SPAN = 100

/** Writes a cell on one line with its bars escaped, as a Markdown table requires. */
const cellText = (cell: string) => oneLine(cell).replaceAll("|", "\\|")

const rowLine = (cells: ReadonlyArray<string>) => `| ${cells.map(cellText).join(" | ")} |`

/**
 * Writes a Markdown table. `rows` must have at least one row, and the first is the header. Only the header is filled up
 * to the widest row, because filling all rows would let one long row multiply the size of a large table.
 */
export const markdownTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [header = [], ...body] = rows
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 1)
  const names = Array.from({ length: width }, (_, column) => header[column] ?? "")
  return [rowLine(names), `|${" --- |".repeat(width)}`, ...body.map(rowLine)].join("\n")
}

export type Row = ReadonlyArray<string>

/** The rows of a table by their part in it. */
export interface TableParts {
  /** The lines above the header: the texts of rows that hold nothing but a title. */
  readonly titles: ReadonlyArray<string>
  /** The names of the columns; empty where the table has none. */
  readonly header: Row
  readonly body: ReadonlyArray<Row>
}

/** The most rows above a header that are titles, and the most rows of a header. */
const MAX_TITLES = 3
const MAX_HEADER_ROWS = 3
/** The number of rows below a header that are looked at. */
const SAMPLE_ROWS = 20
/** A longer text names no column. */
const MAX_NAME_CHARACTERS = 200

/** Whether a cell holds a number, an amount or a date rather than a name. A year may be the name of a column. */
export const isValue = (cell: string): boolean =>
  /^[-+(<>~≈]?\s?[$€£¥]?\s?\d/u.test(cell) && !/^(?:1[89]|20)\d\d$/.test(cell)

export const isQuestion = (cell = ""): boolean => /[?？؟]["'»”’)]*$/u.test(cell)

/** Whether the first row names the columns, which it does not where it is like those below it. */
export const hasHeader = (rows: ReadonlyArray<Row>): boolean => {
  const [first = [], ...body] = rows
  const sample = body.slice(0, SAMPLE_ROWS)
  const isLikeBelow = (cell: string, column: number) =>
    cell.length > MAX_NAME_CHARACTERS ||
    (isValue(cell) && (column === 0 || sample.length === 0 || sample.some((row) => isValue(row[column] ?? "")))) ||
    (isQuestion(cell) && sample.some((row) => isQuestion(row[column])))
  // A list of names and values is often written with colons.
  return !(first.some(isLikeBelow) || (first.length === 2 && first[0]?.endsWith(":") === true))
}

/** Whether a row completes the header above it, as where `2024` spans the columns `Price` and `Number`. */
const completesHeader = (header: Row, row: Row, body: ReadonlyArray<Row>): boolean => {
  const spans = header.flatMap((name, column) =>
    name !== "" && (name === header[column - 1] || name === header[column + 1]) ? [column] : [],
  )
  if (spans.length === 0 || body.length === 0 || row.some(isValue)) return false
  // The names below a name that spans columns differ.
  if (new Set(spans.map((column) => row[column] ?? "")).size === 1) return false
  const repeats = row.some((name, column) => name !== "" && name === header[column])
  const isOpen = (row[0] ?? "") === ""
  const sample = body.slice(0, SAMPLE_ROWS)
  return repeats || isOpen || spans.some((column) => sample.every((each) => isValue(each[column] ?? "0")))
}

const joinedNames = (header: Row, row: Row): Row =>
  Array.from({ length: Math.max(header.length, row.length) }, (_, column) => {
    const [name = "", below = ""] = [header[column], row[column]]
    return name === below || below === "" ? name : `${name} ${below}`.trim()
  })

/**
 * Takes titles and header off the rows of a table.
 *
 * @param marked the number of rows, from the first, that are marked as a header; undefined where rows are not marked
 * @param repeats whether a title is repeated in all the columns that it spans, and a row may be all of a table's header
 */
export const tableParts = (rows: ReadonlyArray<Row>, marked?: number, repeats = true): TableParts => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const isTitle = (row: Row = []) => {
    const cells = row.filter((cell) => cell !== "")
    return repeats ? new Set(cells).size === 1 : cells.length === 1
  }
  let start = 0
  const isTitled = width > 1 || rows.length === 1
  while (isTitled && start < MAX_TITLES && isTitle(rows[start])) start++
  const titles = rows.slice(0, start).flatMap((row) => row.find((cell) => cell !== "") ?? [])
  const table = rows.slice(start)
  if (table.length === 0) return { titles, header: [], body: [] }
  const names = marked === undefined ? undefined : marked - start
  const isRow = !repeats && table.length === 1
  if (names === undefined ? isRow || !hasHeader(table) : names <= 0) return { titles, header: [], body: table }
  let [header = [], ...body] = table
  for (let count = 1; count < MAX_HEADER_ROWS; count++) {
    const [row = [], ...rest] = body
    if (names === undefined ? !completesHeader(header, row, rest) : count >= names) break
    header = joinedNames(header, row)
    body = rest
  }
  return { titles, header, body }
}

/**
 * Writes the rows of a table below its titles, with one header, which is empty where no row names the columns.
 *
 * @param marked see `tableParts`, as for `repeats`
 */
export const titledTable = (rows: ReadonlyArray<Row>, marked?: number, repeats?: boolean): string => {
  const { body, header, titles } = tableParts(rows, marked, repeats)
  const table = header.length + body.length === 0 ? [] : [markdownTable([header, ...body])]
  return [...titles.map(oneLine), ...table].join("\n\n")
}
