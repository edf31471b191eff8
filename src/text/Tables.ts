import { bounded, type BoundedText } from "./BoundedText.ts"
import { cut } from "./Cut.ts"
import { plain } from "./Markup.ts"

/*
 * Takes the rows of tables in Markdown apart into cells, and makes what is written like a list or a table one.
 */

/** Longest text of a row, in UTF-16 code units. */
const ROW_MAX_LENGTH = 600

/** The most columns of a table: what has more is no table that people read. */
const COLUMNS_MAX = 64

/** Whether a block, on one line, is a row of a table. */
const isRow = (block: string): boolean => block.startsWith("|")
/** Whether a block is the rule below the header of a table. */
export const isRule = (block: string | undefined): boolean =>
  block !== undefined && /^\|?[\s:-]+\|[\s|:-]*$/.test(block) && block.includes("-")

/** The cells of a row, without marks. A bar within a cell is written `\|`. */
export const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/, COLUMNS_MAX)
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

/** Longest name of a field, in UTF-16 code units. A longer one is mostly the beginning of a sentence. */
const NAME_MAX_LENGTH = 60
const FIELD = new RegExp(`^([^:|#]{1,${NAME_MAX_LENGTH}}):\\s+(\\S.*)$`)

/**
 * A text in which paragraphs of `name: value` lines are lists, or rows of tables where several begin with the same
 * name, and in which rows begin with a bar, also where the text leaves it out.
 */
export const withTables = (content: BoundedText): BoundedText => {
  const lines = content.split("\n")
  const fields = lines.map((line) => FIELD.exec(plain(line))?.slice(1, 3))
  const isFirst = (at: number) => fields[at] !== undefined && fields[at - 1] === undefined
  const names = fields.flatMap((field, at) => (isFirst(at) ? (field?.[0] ?? []) : []))
  for (let at = 0; at < lines.length; at++) {
    let to = at
    while (fields[to] !== undefined) to++
    const own = fields.slice(at, to).flatMap((field) => field ?? [])
    if (to - at >= 2 && (lines[to] ?? "").trim() === "") {
      const isRecord = names.filter((name) => name === own[0]).length > 1
      for (let line = at; line < to; line++) lines[line] = isRecord ? "" : (lines[line] ?? "").replace(UNMARKED, "$1- ")
      if (isRecord) lines[at] = rowsOf(own)
    } else if (isRule(lines[at + 1]) && !isRow((lines[at] ?? "").trim())) {
      for (to = at; (lines[to] ?? "").includes("|"); to++) lines[to] = `| ${lines[to] ?? ""}`
    }
    at = Math.max(at, to)
  }
  return bounded(lines.join("\n"))
}

/** Matches the beginning of a line that has no mark of a list. */
const UNMARKED = /^(\s*)(?![-*+•\s])/

/** A table of one row, from names and values in turn. */
const rowsOf = (fields: ReadonlyArray<string>): string => {
  const rowOf = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const names = fields.filter((_, at) => at % 2 === 0)
  const values = fields.filter((_, at) => at % 2 > 0)
  return [rowOf(names), rowOf(names.map(() => "---")), rowOf(values)].join("\n")
}
