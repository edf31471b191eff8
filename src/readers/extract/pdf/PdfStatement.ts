import { isValue, markdownTable } from "../Table.ts"
import { type Cell, least, type Line, most } from "./PdfLines.ts"

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

/** Whether each cell may name a column, as also `31 December 2024` and `2024 vs. 2023` do. */
const isNames = ({ cells }: Line): boolean =>
  cells.length > 1 && cells.length <= MAX_COLUMNS && cells.every(({ text }) => !isValue(text) || period.test(text))

const isAbove = (name: Cell, cell: Cell): boolean => name.x < cell.right && cell.x < name.right

/** Adds the names of a line to those above them. A name above several of them is a part of each. */
const withNames = (head: Head, { cells }: Line): Head => {
  const named = cells.map((cell) => {
    const above = head.find((name) => isAbove(name, cell))
    if (above === undefined) return cell
    const isShared = cells.filter((each) => isAbove(above, each)).length > 1
    return {
      text: `${above.text} ${cell.text}`,
      x: isShared ? cell.x : Math.min(above.x, cell.x),
      right: isShared ? cell.right : Math.max(above.right, cell.right),
    }
  })
  const others = head.filter((name) => !cells.some((cell) => isAbove(name, cell)))
  return [...others, ...named].toSorted((a, b) => a.x - b.x)
}

/** The longest line of a column's name, in UTF-16 code units. */
const MAX_NAME_CHARACTERS = 40
/** The largest distance between two lines of a column's name, in font sizes. */
const MAX_NAME_DISTANCE = 1.6

/** The names of columns that begin at a line, each from top to bottom and to the right of the one before. */
const namesFrom = (lines: ReadonlyArray<Line>, from: number): ReadonlyArray<ReadonlyArray<Line>> => {
  const names: Array<Array<Line>> = []
  for (const line of lines.slice(from, from + MAX_COLUMNS * MAX_HEAD_LINES)) {
    const isName = !isValue(line.text) || period.test(line.text) || /\p{L}{3}/u.test(line.text)
    if (line.tabbed || line.rightToLeft || line.text.length > MAX_NAME_CHARACTERS || !isName) break
    const name = names.at(-1) ?? []
    const distance = (line.y - (name.at(-1)?.y ?? line.y)) / line.size
    const isBeside =
      line.x > most(name, ({ right }) => right) && Math.abs(distance) < MAX_HEAD_LINES * MAX_NAME_DISTANCE
    const isBelow = distance > 0 && distance < MAX_NAME_DISTANCE && name.some((each) => isAbove(each, line))
    if (name.length === 0 || (isBeside && distance < 0)) names.push([line])
    else if (isBelow && name.length < MAX_HEAD_LINES) name.push(line)
    else break
  }
  return names
}

/** The most lines between a head and its first row of values, such as the title of a group. */
const MAX_LINES_TO_ROW = 3

const holdsValue = ({ text }: Cell): boolean => isValue(text)

/** Puts the names of columns on one line where they take several, and a program has drawn one after the other. */
export const withHeadsOnOneLine = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const written: Array<Line> = []
  for (let index = 0; index < lines.length;) {
    const names = namesFrom(lines, index)
    const all = names.flat()
    // Short columns of text look like heads, but no row follows them.
    const below = lines.slice(index + all.length, index + all.length + MAX_LINES_TO_ROW)
    const isHead =
      names.length > 1 && all.some(({ text }) => period.test(text)) && below.some(({ cells }) => cells.some(holdsValue))
    const taken = lines.slice(index, index + (isHead ? all.length : 1))
    index += taken.length
    const last = taken.at(-1)
    if (last === undefined || !isHead) {
      written.push(...taken)
      continue
    }
    const cells = names.map((name) => ({
      text: name.map(({ text }) => text).join(" "),
      x: least(name, ({ x }) => x),
      right: most(name, ({ right }) => right),
    }))
    const text = cells.map((cell) => cell.text).join("\t")
    written.push({ ...last, text, cells, x: least(cells, ({ x }) => x), tabbed: true })
  }
  return written
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
  if (lines.length === 0 || !lines.every(fits) || !lines.some(({ cells }) => cells.some(holdsValue))) return undefined
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
