import { isValue, markdownTable } from "../Table.ts"
import type { Cell, Line } from "./PdfLines.ts"

/*
 * Statements of annual reports: rows of numbers whose heads, years mostly, stand once above several groups of rows.
 * Each group becomes a table with the heads, so that no number stands without its year in any passage.
 */

/** The name of a column, with the place that it takes on the page. */
export type Head = ReadonlyArray<Cell>

/** The most lines of a head, such as `September 28,` above `2024`. */
const MAX_HEAD_LINES = 3

const period = /(?<!\d)(?:19|20)\d\d(?!\d)|\bQ[1-4]\b/

/** The most columns, which bounds the work for each cell. */
const MAX_COLUMNS = 20

const isNames = ({ cells }: Line): boolean =>
  cells.length > 1 && cells.length <= MAX_COLUMNS && !cells.some(({ text }) => isValue(text))

/** Adds the names of a line to those above them. */
const withNames = (head: Head, { cells }: Line): Head => {
  const columns = [...head]
  for (const cell of cells) {
    const at = columns.findIndex((column) => column.x < cell.right && cell.x < column.right)
    const above = columns[at]
    if (above === undefined) columns.push(cell)
    else {
      columns[at] = {
        text: `${above.text} ${cell.text}`,
        x: Math.min(above.x, cell.x),
        right: Math.max(above.right, cell.right),
      }
    }
  }
  return columns.toSorted((a, b) => a.x - b.x)
}

/** The head with which rows begin, and the rows below it; undefined where they begin with none that names periods. */
export const headOf = (
  lines: ReadonlyArray<Line>,
): { readonly head: Head; readonly rows: ReadonlyArray<Line> } | undefined => {
  const below = lines.slice(0, MAX_HEAD_LINES + 1).findIndex((line) => !isNames(line))
  const count = below < 0 ? lines.length : below
  const named = lines.slice(0, count)
  if (count > MAX_HEAD_LINES || !named.some(({ cells }) => cells.some(({ text }) => period.test(text))))
    return undefined
  return { head: named.reduce(withNames, []), rows: lines.slice(count) }
}

/** Index of the column that is nearest to a cell, by its middle or its right edge. */
const columnOf = (head: Head, { right, x }: Cell): number => {
  const distances = head.map((column) =>
    Math.min(Math.abs(column.right - right), Math.abs(column.x + column.right - x - right) / 2),
  )
  return distances.indexOf(Math.min(...distances))
}

/** Writes rows below a head as a table; undefined where they do not look like rows of this head. */
export const statementOf = (head: Head, lines: ReadonlyArray<Line>): string | undefined => {
  const left = head[0]?.x ?? 0
  const fits = ({ cells }: Line) => cells.length > 0 && cells.length <= 2 * head.length + 1
  if (lines.length === 0 || !lines.every(fits) || !lines.some(({ cells }) => cells.some(({ text }) => isValue(text))))
    return undefined
  const rows = lines.map(({ cells }) => {
    const row = Array.from({ length: head.length + 1 }, () => "")
    for (const [index, cell] of cells.entries()) {
      const isLabel = cell.right <= left || (index === 0 && cell.x < left)
      const column = isLabel ? 0 : columnOf(head, cell) + 1
      row[column] = `${row[column] ?? ""} ${cell.text}`.trim()
    }
    return row
  })
  const table = [["", ...head.map(({ text }) => text)], ...rows]
  return markdownTable(rows.every(([label]) => label === "") ? table.map((row) => row.slice(1)) : table)
}
