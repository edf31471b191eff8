import type { Element } from "domhandler"

/** Longest text that is worth repeating in the cells that a cell spans. */
const MAX_REPEATED_CHARACTERS = 200

/** Most columns or rows that a cell is taken to span. */
const MAX_SPAN = 100

/** How many cells a document's spanning cells may still fill beside themselves: a guard against small bombs. */
export class SpanBudget {
  private cells = 10_000

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

/** The rows of a table, without those of tables inside of it. */
export const rowElements = (table: Element): ReadonlyArray<Element> =>
  childrenNamed(table, ["thead", "tbody", "tfoot", "tr"]).flatMap((part) =>
    part.name === "tr" ? [part] : childrenNamed(part, ["tr"]),
  )

export const cellElements = (row: Element): ReadonlyArray<Element> => childrenNamed(row, ["td", "th"])

/** Text of a cell that still stands in so many of the following rows. */
interface Hanging {
  readonly text: string
  readonly rows: number
}

/** One row being laid out below the cells that hang into it. */
class Line {
  readonly cells: Array<string> = []
  readonly hanging: Array<Hanging | undefined> = []
  private readonly above: ReadonlyArray<Hanging | undefined>

  constructor(above: ReadonlyArray<Hanging | undefined>) {
    this.above = above
  }

  takeHanging(): void {
    for (let cell = this.above[this.cells.length]; cell !== undefined; cell = this.above[this.cells.length]) {
      if (cell.rows > 1) this.hanging[this.cells.length] = { text: cell.text, rows: cell.rows - 1 }
      this.cells.push(cell.text)
    }
  }

  /** Returns whether the rows below repeat the text. */
  put(text: string, columns: number, rows: number, budget: SpanBudget): boolean {
    this.takeHanging()
    const repeated = text.length <= MAX_REPEATED_CHARACTERS ? text : ""
    const width = columns > 1 && budget.take(columns - 1) ? columns : 1
    const hangs = rows > 1 && budget.take(width * (rows - 1))
    for (let column = 0; column < width; column++) {
      if (hangs) this.hanging[this.cells.length] = { text: repeated, rows: rows - 1 }
      this.cells.push(column === 0 ? text : repeated)
    }
    return hangs && repeated === text
  }
}

/**
 * The rows of a table with the text of each cell. A cell that spans rows or columns stands in all of them, so that
 * every row explains itself; a row that only opens such cells is left out, for the next one says the same and more.
 */
export const tableRows = (
  table: Element,
  textOf: (cell: Element) => string,
  budget: SpanBudget,
): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<ReadonlyArray<string>> = []
  const elements = rowElements(table)
  let above: ReadonlyArray<Hanging | undefined> = []
  for (const [index, row] of elements.entries()) {
    const line = new Line(above)
    let saysMore = index === elements.length - 1
    for (const cell of cellElements(row)) {
      const text = textOf(cell)
      const repeats = line.put(text, span(cell, "colspan"), span(cell, "rowspan"), budget)
      saysMore ||= text !== "" && !repeats
    }
    line.takeHanging()
    above = line.hanging
    if (saysMore && line.cells.some((text) => text !== "")) rows.push(line.cells)
  }
  return rows
}
