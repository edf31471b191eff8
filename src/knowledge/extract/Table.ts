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
