/*
 * Files of comma-separated values (RFC 4180) that spreadsheets open.
 */

/** Matches a cell that a spreadsheet takes for a formula, or that has been guarded against that. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r]/u

const guarded = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell)

/** The cell without the apostrophe that guards it. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)

/** A row of a file. Cells that a spreadsheet would take for formulas begin with an apostrophe. */
export const csvRow = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => `"${guarded(cell).replaceAll('"', '""')}"`).join(",")}\r\n`

/** The beginning of a file: the names of its columns. By the byte order mark, Excel takes it for UTF-8. */
export const csvHeader = (columns: ReadonlyArray<string>): string => `\ufeff${columns.join(",")}\r\n`
