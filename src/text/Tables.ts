import { cut } from "./Cut.ts"
import { plain } from "./Markup.ts"

/*
 * Takes the tables of Markdown apart into cells.
 */

/** Longest text of a row, in UTF-16 code units. */
const ROW_MAX_LENGTH = 600

/** A table in Markdown. The header is its first row where a rule follows, and empty otherwise. */
export interface Table {
  readonly header: ReadonlyArray<string>
}

/** Whether a block, on one line, is a row of a table. */
export const isRow = (block: string): boolean => block.startsWith("|")
/** Whether a block is the rule below the header of a table. */
export const isRule = (block: string | undefined): boolean =>
  block !== undefined && /^\|[\s|:-]+$/.test(block) && block.includes("-")

/** The cells of a row, without marks. A bar within a cell is written `\|`. */
export const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.replaceAll("\\|", "|").trim()))

/** The text of a row with the names of its columns, such as `Plan: Team; Price: 50`. */
export const rowText = (header: ReadonlyArray<string>, cells: ReadonlyArray<string>): string => {
  const named = cells.flatMap((cell, column) => {
    const name = header[column] ?? ""
    return cell === "" ? [] : [name === "" ? cell : `${name}: ${cell}`]
  })
  const text = named.join("; ")
  return text.length <= ROW_MAX_LENGTH ? text : `${cut(text, ROW_MAX_LENGTH - 1)}…`
}
