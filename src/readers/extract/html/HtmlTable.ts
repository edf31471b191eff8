import type { Element } from "domhandler"
import { MAX_REPEATED_CHARACTERS, MAX_SPAN } from "../Table.ts"

/** Limits the further cells that a document's spanning cells fill, so that a small page cannot make a huge text. */
export class SpanBudget {
  private cells = 10_000

  /** Takes this many cells from the budget, or none and returns `false` when fewer are left. */
  take(cells: number): boolean {
    if (cells > this.cells) return false
    this.cells -= cells
    return true
  }
}

const span = (element: Element, name: string) => {
  const value = Number.parseInt(element.attribs[name] ?? "", 10)
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 1), MAX_SPAN)
}

const childrenNamed = (parent: Element, names: ReadonlyArray<string>): ReadonlyArray<Element> =>
  parent.children.filter((node): node is Element => "name" in node && names.includes(node.name))

/** The rows of a table, without the rows of tables nested in it. */
export const rowElements = (table: Element): ReadonlyArray<Element> =>
  childrenNamed(table, ["thead", "tbody", "tfoot", "tr"]).flatMap((part) =>
    part.name === "tr" ? [part] : childrenNamed(part, ["tr"]),
  )

export const cellElements = (row: Element): ReadonlyArray<Element> => childrenNamed(row, ["td", "th"])

/** A cell that spans further rows below. */
interface SpanningCell {
  readonly text: string
  /** Number of the following rows that the cell spans. */
  readonly rows: number
}

/** Lays out one row, in which cells of the rows above may span columns. */
class Line {
  readonly cells: Array<string> = []
  readonly spanning: Array<SpanningCell | undefined> = []
  private readonly above: ReadonlyArray<SpanningCell | undefined>

  constructor(above: ReadonlyArray<SpanningCell | undefined>) {
    this.above = above
  }

  /** Repeats the cells of the rows above, as long as one spans the next column. */
  repeatSpanning(): void {
    for (let cell = this.above[this.cells.length]; cell !== undefined; cell = this.above[this.cells.length]) {
      if (cell.rows > 1) this.spanning[this.cells.length] = { text: cell.text, rows: cell.rows - 1 }
      this.cells.push(cell.text)
    }
  }

  /** Adds a cell. Returns whether the rows below repeat its text. */
  put(text: string, columns: number, rows: number, budget: SpanBudget): boolean {
    this.repeatSpanning()
    const repeated = text.length <= MAX_REPEATED_CHARACTERS ? text : ""
    const width = columns > 1 && budget.take(columns - 1) ? columns : 1
    const spansRows = rows > 1 && budget.take(width * (rows - 1))
    for (let column = 0; column < width; column++) {
      if (spansRows) this.spanning[this.cells.length] = { text: repeated, rows: rows - 1 }
      this.cells.push(column === 0 ? text : repeated)
    }
    return spansRows && repeated === text
  }
}

/**
 * The rows of a table with the text of each cell. The text of a cell that spans rows or columns is repeated in each of
 * them, so that every row can be understood alone. A row whose texts are all repeated in the next row is left out.
 * `marked` is the number of the first rows that consist of `th`; undefined where no row begins with one.
 */
export const tableRows = (
  table: Element,
  textOf: (cell: Element) => string,
  budget: SpanBudget,
): { readonly rows: ReadonlyArray<ReadonlyArray<string>>; readonly marked: number | undefined } => {
  const rows: Array<ReadonlyArray<string>> = []
  const headers: Array<boolean> = []
  const elements = rowElements(table)
  let above: ReadonlyArray<SpanningCell | undefined> = []
  for (const [index, row] of elements.entries()) {
    const line = new Line(above)
    let isNeeded = index === elements.length - 1
    const cells = cellElements(row)
    for (const cell of cells) {
      const text = textOf(cell)
      const repeats = line.put(text, span(cell, "colspan"), span(cell, "rowspan"), budget)
      isNeeded ||= text !== "" && !repeats
    }
    line.repeatSpanning()
    above = line.spanning
    if (isNeeded && line.cells.some((text) => text !== "")) {
      rows.push(line.cells)
      headers.push(cells.every(isHeaderCell))
    }
  }
  const body = headers.indexOf(false)
  const isMarked = elements.every((row) => cellElements(row).slice(0, 1).every(isHeaderCell)) || headers[0] === true
  return { rows, marked: isMarked && body >= 0 ? body : undefined }
}

const isHeaderCell = (cell: Element): boolean => cell.name === "th"
