import { tooLarge } from "../Extraction.ts"
import { cellsOnLine, writeRows } from "../Rows.ts"
import { hasHeader, isValue, MAX_REPEATED_CHARACTERS } from "../Table.ts"

/** Most cells of a workbook that are not empty. */
const MAX_CELLS = 2_000_000

/** Most merged cells of a sheet that are filled with the text of the first. */
const MAX_MERGED_CELLS = 10_000

/** The place of a cell, with both numbers from 0. */
export interface Place {
  readonly column: number
  readonly row: number
}

/** Counts the cells and characters that are read of a workbook, and throws when they exceed the limits. */
export class Budget {
  private cells = 0
  private characters = 0
  readonly textLimit: number

  constructor(textLimit: number) {
    this.textLimit = textLimit
  }

  take(text: string): void {
    this.cells++
    this.characters += text.length
    if (this.cells > MAX_CELLS || this.characters > this.textLimit) throw tooLarge(this.textLimit)
  }
}

/** The cells of a sheet that are not empty. */
export class Cells {
  private readonly rows = new Map<number, Map<number, string>>()
  private readonly merged: Array<readonly [first: Place, last: Place]> = []
  private readonly budget: Budget

  constructor(budget: Budget) {
    this.budget = budget
  }

  /** Stores the text of a cell. Throws when the workbook has more than its budget allows. */
  put({ column, row }: Place, text: string): void {
    if (text === "") return
    this.budget.take(text)
    const line = this.rows.get(row) ?? new Map<number, string>()
    this.rows.set(row, line.set(column, text))
  }

  /** Merges cells, from the first to the last. */
  merge(first: Place, last: Place): void {
    this.merged.push([first, last])
  }

  /** Repeats the text of the first of merged cells in all of them, in the rows that exist. */
  private fillMerged(): void {
    let budget = MAX_MERGED_CELLS
    for (const [first, last] of this.merged) {
      const text = this.rows.get(first.row)?.get(first.column)
      const area = (last.row - first.row + 1) * (last.column - first.column + 1)
      if (text === undefined || text.length > MAX_REPEATED_CHARACTERS || area < 1 || area > budget) continue
      budget -= area
      for (let row = first.row; row <= last.row; row++) {
        const line = this.rows.get(row)
        // A title stands alone in its row.
        if (row === first.row && line?.size === 1) continue
        for (let column = first.column; line !== undefined && column <= last.column; column++) line.set(column, text)
      }
    }
  }

  /** The groups of rows that empty rows separate, together where these only space out the rows of one table. */
  private groups(): ReadonlyArray<Group> {
    const groups: Array<Array<Line>> = []
    let before: number | undefined
    for (const [number, row] of [...this.rows].sort(([a], [b]) => a - b)) {
      if (before === undefined || number > before + 1) groups.push([])
      groups.at(-1)?.push(row)
      before = number
    }
    const tables: Array<Array<Line>> = []
    for (const [index, group] of groups.entries()) {
      const table = tables.at(-1)
      if (table !== undefined && continues(table, group, groups[index - 1]?.length === 1)) {
        for (const row of group) table.push(row)
      } else tables.push(group)
    }
    return tables
  }

  /** Writes the sheet below its name: tables, divided at empty rows, and its other blocks. Empty when it has none. */
  write(name: string, others: ReadonlyArray<string>): string {
    this.fillMerged()
    const blocks = [...this.groups().map((rows) => writeGroup(rows, this.budget.textLimit)), ...others].filter(
      (block) => block !== "",
    )
    return blocks.length === 0 ? "" : [`# ${name}`, ...blocks].join("\n\n")
  }
}

type Line = ReadonlyMap<number, string>
type Group = ReadonlyArray<Line>

/** Whether rows below an empty one belong to the table above it, which ends with a row between empty ones or not. */
const continues = (table: Group, group: Group, isSpaced: boolean): boolean => {
  const [first, above, below] = [table[0], table.at(-1), group[0]]
  if (first === undefined || above === undefined || below === undefined) return false
  const [fewer, more] = first.size < below.size ? [first, below] : [below, first]
  if (fewer.size < 2 || ![...fewer.keys()].every((column) => more.has(column))) return false
  if (table.length === 1) return group.length === 1 || !hasHeader(group.map((row) => cellsIn(row, [...more.keys()])))
  const isLikeAbove = ([column, cell]: readonly [number, string]) =>
    isValue(cell) === isValue(above.get(column) ?? cell)
  return (isSpaced || group.length === 1) && [...below].every(isLikeAbove)
}

const cellsIn = (row: Line, columns: ReadonlyArray<number>) => columns.map((column) => row.get(column) ?? "")

/** A group of rows is written as a table when it has at most this many places per cell that is not empty. */
const MAX_PLACES_PER_CELL = 50
/** A group of rows with at most this many places is always written as a table. */
const ALWAYS_ALLOWED_PLACES = 100_000

/** Writes rows as a table without the columns that are empty in all of them, or scattered cells as one line per row. */
const writeGroup = (rows: Group, textLimit: number): string => {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b)
  const places = rows.length * columns.length
  const cells = rows.reduce((sum, row) => sum + row.size, 0)
  if (places > Math.max(cells * MAX_PLACES_PER_CELL, ALWAYS_ALLOWED_PLACES)) {
    return rows.map((row) => cellsOnLine([...row.values()])).join("\n")
  }
  return writeRows(
    rows.map((row) => cellsIn(row, columns)),
    textLimit,
  )
}

/** The letters of a column, such as `AB`. */
export const lettersOf = (column: number): string =>
  (column >= 26 ? lettersOf(Math.floor(column / 26) - 1) : "") + String.fromCharCode(65 + (column % 26))
