import { tooLarge } from "./Extraction.ts"
import { markdownTable } from "./Table.ts"

export type Row = ReadonlyArray<string>

/** A row wider than this reads better as `Header: value` lines than as a line of a table. */
const MAX_TABLE_COLUMNS = 10
const MAX_MEAN_CELL_CHARACTERS = 60

const looksLikeValue = (cell: string) => cell === "" || /^[-+(]?[$€£]?\d/.test(cell)

/** The first row is a header unless it holds values, or names a column twice. */
const hasHeader = (rows: ReadonlyArray<Row>): boolean => {
  const [first = []] = rows
  return rows.length > 1 && !first.some(looksLikeValue) && new Set(first).size === first.length
}

const asRecords = (header: Row, body: ReadonlyArray<Row>): string =>
  body
    .map((row) =>
      row
        .map((cell, column) => ({ name: header[column] ?? `Column ${column + 1}`, cell }))
        .filter(({ cell }) => cell !== "")
        .map(({ name, cell }) => `${name}: ${cell}`)
        .join("\n"),
    )
    .join("\n\n")

/** Repeating the header must not turn a small file into a vast text. */
const boundRecords = (header: Row, body: ReadonlyArray<Row>, textLimit: number) => {
  const names = header.reduce((sum, name) => sum + name.length + 3, 0)
  if (names * body.length > textLimit) throw tooLarge(textLimit)
}

const isNarrow = (rows: ReadonlyArray<Row>): boolean => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const characters = rows.reduce((sum, row) => sum + row.reduce((length, cell) => length + cell.length, 0), 0)
  return width <= MAX_TABLE_COLUMNS && characters / (rows.length * width) <= MAX_MEAN_CELL_CHARACTERS
}

const named = (header: Row, body: ReadonlyArray<Row>, textLimit: number): string => {
  boundRecords(header, body, textLimit)
  return asRecords(header, body)
}

/** Rows, of which there is one at least, as a Markdown table, or, when they are wide, as paragraphs of `Header: value`. */
export const writeRows = (rows: ReadonlyArray<Row>, textLimit: number): string => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const [header = [], ...body] = hasHeader(rows)
    ? rows
    : [Array.from({ length: width }, (_, column) => `Column ${column + 1}`), ...rows]
  return isNarrow(rows) ? markdownTable([header, ...body]) : named(header, body, textLimit)
}

/** The same for rows that were laid out to be looked at: where they name no columns, no names are made up. */
export const writeSheetRows = (rows: ReadonlyArray<Row>, textLimit: number): string => {
  if (isNarrow(rows)) return markdownTable(rows)
  const [header = [], ...body] = rows
  return hasHeader(rows) ? named(header, body, textLimit) : rows.map(cellsOnLine).join("\n")
}

/** What a row holds, wherever it stands. */
export const cellsOnLine = (row: Row): string => row.filter((cell) => cell !== "").join("; ")
