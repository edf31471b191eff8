import { bounded, type BoundedText } from "./BoundedText.ts"
import { cut } from "./Cut.ts"
import { plain } from "./Markup.ts"

/*
 * Takes the tables of Markdown apart into cells, and paragraphs of `name: value` lines, which are rows as well.
 */

/** Longest text of a row, in UTF-16 code units. */
const ROW_MAX_LENGTH = 600

/** The most columns of a table, and fields of a record: what has more is no table that people read. */
const COLUMNS_MAX = 64

export interface Table {
  /** The sentence, caption or heading above the table, on one line; empty where there is none. */
  readonly above: string
  /** The names of the columns; empty where the table has no header, and for a column without a name. */
  readonly header: ReadonlyArray<string>
  /** The cells of each row below the header, without marks. A row may be shorter or longer than the header. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** Whether it is made of `name: value` lines. */
  readonly isRecord: boolean
}

/** Whether a block, on one line, is a row of a table. */
export const isRow = (block: string): boolean => block.startsWith("|")
/** Whether a block is the rule below the header of a table. */
export const isRule = (block: string | undefined): boolean =>
  block !== undefined && /^\|?[\s:-]+\|[\s|:-]*$/.test(block) && block.includes("-")

/** The cells of a row, without marks. A bar within a cell is written `\|`. */
export const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .trim()
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

/** The tables of a text, without those in fenced code. */
export const tablesOf = (content: BoundedText): ReadonlyArray<Table> => {
  const lines = withoutCode(content)
  const tables: Array<Table> = []
  let above = ""
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ""
    const fieldsTo = fieldsEnd(lines, at)
    const to = rowsEnd(lines, at) ?? (isRecord(lines, at, fieldsTo) ? fieldsTo : undefined)
    if (to === undefined) {
      // Fields that are no record are passed over together, so that no line is read more than twice.
      const last = lines[Math.max(at, fieldsTo - 1)] ?? ""
      if (last !== "") above = plain(last.replace(/^#{1,6}\s+/, ""))
      at = Math.max(at + 1, fieldsTo)
      continue
    }
    const part = lines.slice(at, to)
    if (isRow(line) || isRule(lines[at + 1])) {
      const hasHeader = isRule(part[1])
      const rows = part.filter((each) => !isRule(each)).map((row) => cellsOf(row).slice(0, COLUMNS_MAX))
      const [header = [], ...body] = hasHeader ? rows : [[], ...rows]
      tables.push({ above, header, rows: body, isRecord: false })
    } else addRecord(tables, above, part.slice(0, COLUMNS_MAX).map(fieldOf))
    at = to
  }
  return tables
}

/** The lines of a text in which code and its fences are empty. */
const withoutCode = (content: string): ReadonlyArray<string> => {
  let fence: string | undefined
  return content.split("\n").map((source) => {
    const line = source.trim()
    const mark = /^(?:```|~~~)/.exec(line)?.[0]
    if (fence !== undefined) {
      if (mark === fence) fence = undefined
      return ""
    }
    fence = mark
    return mark === undefined ? line : ""
  })
}

/** The index of the line after a table that begins with the line at `at`; undefined when none does. */
const rowsEnd = (lines: ReadonlyArray<string>, at: number): number | undefined => {
  const line = lines[at] ?? ""
  const isBare = !isRow(line) && line.includes("|") && isRule(lines[at + 1])
  if (!isRow(line) && !isBare) return undefined
  let to = at + 1
  // The pieces of a row that was cut between two chunks do not begin with a bar.
  while (isBare ? (lines[to] ?? "").includes("|") : isRow(lines[to] ?? "")) to++
  return to
}

/** Longest name of a field, in UTF-16 code units. A longer one is mostly the beginning of a sentence. */
const NAME_MAX_LENGTH = 60
const FIELD = new RegExp(`^([^:|#]{1,${NAME_MAX_LENGTH}}):\\s+(\\S.*)$`)

/** The index of the line after the `name: value` lines from `at` on. */
const fieldsEnd = (lines: ReadonlyArray<string>, at: number): number => {
  let to = at
  while (FIELD.test(unmarked(lines[to] ?? ""))) to++
  return to
}

/** Whether such lines are a paragraph of their own, without another line among them. */
const isRecord = (lines: ReadonlyArray<string>, at: number, to: number): boolean =>
  to - at >= 2 && (lines[to] ?? "") === ""

/** A line without the mark of a list item and without emphasis. */
const unmarked = (line: string): string => plain(line)

/**
 * A text in which paragraphs of `name: value` lines are lists, or left out, since they are the rows of a table.
 *
 * @param isList whether lines with such values are about several things, and not about one
 */
export const withoutRecords = (
  content: BoundedText,
  isList: (values: ReadonlyArray<string>) => boolean,
): BoundedText => {
  const lines = content.split("\n")
  const trimmed = lines.map((line) => line.trim())
  for (let at = 0; at < lines.length; at++) {
    const to = fieldsEnd(trimmed, at)
    if (isRecord(trimmed, at, to)) {
      const isKept = isList(trimmed.slice(at, to).map((line) => fieldOf(line)[1]))
      for (let line = at; line < to; line++) {
        lines[line] = isKept ? (lines[line] ?? "").replace(/^(\s*)(?![-*+•\s])/, "$1- ") : ""
      }
    }
    at = Math.max(at, to)
  }
  return bounded(lines.join("\n"))
}

const fieldOf = (line: string): readonly [string, string] => {
  const [, name = "", value = ""] = FIELD.exec(unmarked(line)) ?? []
  return [name.trim(), value]
}

/** Adds a record as a row of the table of the records above it, when they have fields in common. */
const addRecord = (tables: Array<Table>, above: string, fields: ReadonlyArray<readonly [string, string]>): void => {
  const before = tables.at(-1)
  const names = fields.map(([name]) => name)
  if (before !== undefined && before.above === above && names.some((name) => before.header.includes(name))) {
    const header = [...new Set([...before.header, ...names])]
    const values = new Map(fields)
    const row = header.map((name) => values.get(name) ?? "")
    tables[tables.length - 1] = { ...before, header, rows: [...before.rows, row] }
  } else tables.push({ above, header: names, rows: [fields.map(([, value]) => value)], isRecord: true })
}
