import { htmlText } from "../html/Html.ts"
import { odfComments } from "./Comments.ts"
import type { OdfHtml } from "./OdfHtml.ts"
import { type Budget, Cells, lettersOf } from "./Sheet.ts"
import { childOf, childrenOf, elementsOf, type XmlElement } from "./Xml.ts"

/** The rows and columns of the largest sheet that programs write. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/** How often something is repeated, or how far it spans. */
const count = ({ attributes }: XmlElement, name: string, most: number): number =>
  Math.min(Math.max(Number.parseInt(attributes[`table:number-${name}`] ?? "", 10) || 1, 1), most)

const rowsOf = (table: XmlElement): ReadonlyArray<XmlElement> =>
  elementsOf(table).flatMap((child) => {
    if (child.name === "table:table-row") return [child]
    return /^table:table-(?:header-rows|rows|row-group)$/.test(child.name) ? rowsOf(child) : []
  })

const inlineText = ({ children }: XmlElement): string =>
  children
    .map((child) => (typeof child === "string" ? child : blanks.test(child.name) ? " " : inlineText(child)))
    .join("")

const blanks = /^text:(?:s|tab|line-break)$/

/** The text of a cell as it is displayed, or its value where a program wrote nothing else. */
const cellText = (cell: XmlElement): string => {
  const lines = childrenOf(cell, "text:p")
  if (lines.length > 0) return lines.map(inlineText).join("\n").trim()
  const values = ["string-value", "date-value", "time-value", "boolean-value", "value"]
  return values.map((name) => cell.attributes[`office:${name}`]).find((value) => value !== undefined) ?? ""
}

/** Writes a sheet of an OpenDocument spreadsheet below its name, with its boxes, pictures, charts and comments. */
export const sheetText = (table: XmlElement, writer: OdfHtml, budget: Budget): string => {
  const name = table.attributes["table:name"] ?? ""
  const cells = new Cells(budget)
  const shapes = [...childrenOf(childOf(table, "table:shapes"), "draw:frame")]
  const comments: Array<string> = []
  let row = 0
  for (const line of rowsOf(table)) {
    const rows = count(line, "rows-repeated", MAX_ROWS)
    let column = 0
    for (const cell of elementsOf(line)) {
      const columns = count(cell, "columns-repeated", MAX_COLUMNS)
      const text = cell.name === "table:table-cell" ? cellText(cell) : ""
      const { "office:value-type": type, "table:formula": formula } = cell.attributes
      if (text === "" && type === undefined && formula !== undefined)
        writer.omitted.add("formulas", `${name} ${lettersOf(column)}${row + 1}`)
      for (let below = 0; text !== "" && below < rows; below++) {
        for (let right = 0; right < columns; right++) cells.put({ column: column + right, row: row + below }, text)
      }
      const [width, height] = [count(cell, "columns-spanned", MAX_COLUMNS), count(cell, "rows-spanned", MAX_ROWS)]
      if (width * height > 1) cells.merge({ row, column }, { row: row + height - 1, column: column + width - 1 })
      shapes.push(...childrenOf(cell, "draw:frame"))
      comments.push(...odfComments(cell, `${lettersOf(column)}${row + 1}`))
      column += columns
    }
    row += rows
  }
  return cells.write(name, [htmlText(shapes.map((shape) => writer.element(shape)).join("")).text, ...comments])
}
