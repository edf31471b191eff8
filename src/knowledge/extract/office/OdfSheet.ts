import { type Budget, type Cells, fillMerged, lettersOf, putCell, type Range, writeCells } from "./Sheet.ts"
import { childOf, childrenOf, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** The rows and columns of the largest sheet that programs write. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

const count = (text: string | undefined, most: number): number =>
  Math.min(Math.max(Number.parseInt(text ?? "1", 10) || 1, 1), most)

const rowsOf = (table: XmlElement): ReadonlyArray<XmlElement> =>
  elementsOf(table).flatMap((child) => {
    if (child.name === "table:table-row") return [child]
    return /^table:table-(?:header-rows|rows|row-group)$/.test(child.name) ? rowsOf(child) : []
  })

/** The text of a cell: a date in the order of ISO 8601, and any other value as it is displayed. */
const cellText = (cell: XmlElement): string => {
  const date = cell.attributes["office:date-value"]
  if (date !== undefined) return date.replace("T", " ").replace(/:00(?:\.0+)?$/, "")
  return childrenOf(cell, "text:p").map(textOf).join("\n").trim()
}

/** The content of a sheet of an OpenDocument spreadsheet. */
interface SheetContent {
  readonly tables: ReadonlyArray<string>
  readonly shapes: ReadonlyArray<XmlElement>
  /** The comments and their places, such as `B3`. */
  readonly comments: ReadonlyArray<readonly [annotation: XmlElement, place: string]>
}

export const sheetContent = (table: XmlElement, budget: Budget): SheetContent => {
  const cells: Cells = new Map()
  const merged: Array<Range> = []
  const comments: Array<readonly [XmlElement, string]> = []
  const shapes = [...childrenOf(childOf(table, "table:shapes"), "draw:frame")]
  let row = 0
  for (const line of rowsOf(table)) {
    const rows = count(line.attributes["table:number-rows-repeated"], MAX_ROWS)
    let column = 0
    for (const cell of elementsOf(line)) {
      const { attributes } = cell
      const columns = count(attributes["table:number-columns-repeated"], MAX_COLUMNS)
      const text = cell.name === "table:table-cell" ? cellText(cell) : ""
      const width = count(attributes["table:number-columns-spanned"], MAX_COLUMNS)
      const height = count(attributes["table:number-rows-spanned"], MAX_ROWS)
      if (width * height > 1) {
        merged.push([
          { row, column },
          { row: row + height - 1, column: column + width - 1 },
        ])
      }
      for (const each of childrenOf(cell, "office:annotation")) comments.push([each, `${lettersOf(column)}${row + 1}`])
      shapes.push(...childrenOf(cell, "draw:frame"))
      for (let below = 0; text !== "" && below < rows; below++) {
        for (let right = 0; right < columns; right++) {
          putCell(cells, { column: column + right, row: row + below }, text, budget)
        }
      }
      column += columns
    }
    row += rows
  }
  fillMerged(cells, merged)
  return { tables: writeCells(cells, budget.textLimit), shapes, comments }
}
