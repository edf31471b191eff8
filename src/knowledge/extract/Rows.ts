import { tooLarge } from "./Extraction.ts"
import { type Row, tableParts, titledTable } from "./Table.ts"

/** Tables with more columns are written as `Header: value` lines. */
const MAX_TABLE_COLUMNS = 10
/** Tables whose cells are longer on average are written as `Header: value` lines. */
const MAX_MEAN_CELL_CHARACTERS = 60

/** Writes rows as paragraphs. Throws when repeating the header makes a small file a text beyond the limit. */
const recordsOf = (header: Row, body: ReadonlyArray<Row>, textLimit: number): string => {
  const names = header.reduce((sum, name) => sum + name.length + 3, 0)
  if (names * body.length > textLimit) throw tooLarge(textLimit)
  const lineOf = (cell: string, column: number) => {
    const name = header[column] ?? ""
    return cell === "" ? [] : [name === "" ? cell : `${name}: ${cell}`]
  }
  return body.map((row) => row.flatMap(lineOf).join("\n")).join("\n\n")
}

const isNarrow = (rows: ReadonlyArray<Row>): boolean => {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const characters = rows.reduce((sum, row) => sum + row.reduce((length, cell) => length + cell.length, 0), 0)
  return width <= MAX_TABLE_COLUMNS && characters / (rows.length * width) <= MAX_MEAN_CELL_CHARACTERS
}

/**
 * Writes one or more rows as a Markdown table, or as a paragraph of `Header: value` lines each when they are wide. No
 * column names are invented where the rows have none.
 */
export const writeRows = (rows: ReadonlyArray<Row>, textLimit: number): string => {
  if (isNarrow(rows)) return titledTable(rows)
  const { body, header, titles } = tableParts(rows)
  const text = header.length > 0 ? recordsOf(header, body, textLimit) : body.map(cellsOnLine).join("\n")
  return [...titles, text].join("\n\n")
}

/** The cells of a row that are not empty, on one line. */
export const cellsOnLine = (row: Row): string => row.filter((cell) => cell !== "").join("; ")
