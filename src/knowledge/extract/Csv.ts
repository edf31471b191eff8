import { parse } from "csv-parse/sync"
import { decodeText } from "./Decode.ts"
import { type Draft, maxTextCharacters, tooLarge } from "./Extraction.ts"
import { markdownTable } from "./Table.ts"

type Row = ReadonlyArray<string>

const delimiters = [",", ";", "\t", "|"] as const

/** The first lines are enough to tell the delimiter. */
const sniffCharacters = 10_000

/** A row wider than this reads better as `Header: value` lines than as a line of a table. */
const maxTableColumns = 10
const maxMeanCellCharacters = 60

const parseRows = (text: string, delimiter: string, quote: string | false): ReadonlyArray<Row> =>
  // Effect's own reader refuses a file for one stray quote; spreadsheets and people write such files.
  parse(text, {
    delimiter,
    quote,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  })

const rowsOf = (text: string, delimiter: string): ReadonlyArray<Row> => {
  let rows: ReadonlyArray<Row>
  try {
    rows = parseRows(text, delimiter, '"')
  } catch {
    // A quote that never closes: then quotes are ordinary characters here.
    rows = parseRows(text, delimiter, false)
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ""))
}

/** How well a delimiter explains the first lines: columns per line, if most lines agree on their number. */
const fit = (sample: string, delimiter: string): number => {
  const widths = sample
    .replace(/"[^"]*"/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.split(delimiter).length)
  const counts = new Map<number, number>()
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1)
  const [width = 1, lines = 0] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? []
  return width === 1 ? 0 : (lines / widths.length) * Math.min(width, 20)
}

const sniffDelimiter = (text: string): string => {
  const sample = text.slice(0, sniffCharacters)
  const whole = sample.length < text.length ? sample.slice(0, sample.lastIndexOf("\n") + 1) || sample : sample
  const best = delimiters.map((delimiter) => ({ delimiter, fit: fit(whole, delimiter) }))
  return best.reduce((left, right) => (right.fit > left.fit ? right : left)).delimiter
}

const looksLikeValue = (cell: string) => cell === "" || /^[-+(]?[$€£]?\d/.test(cell)

/** The first row is a header unless it holds values, or names a column twice. */
const hasHeader = (rows: ReadonlyArray<Row>): boolean => {
  const [first = []] = rows
  return rows.length > 1 && !first.some(looksLikeValue) && new Set(first).size === first.length
}

const asRecords = (header: Row, body: ReadonlyArray<Row>): string =>
  body
    .map((row) =>
      row
        .map((cell, column) => ({ name: header[column] ?? `Column ${column + 1}`, cell }))
        .filter(({ cell }) => cell !== "")
        .map(({ name, cell }) => `${name}: ${cell}`)
        .join("\n"),
    )
    .join("\n\n")

/** Repeating the header must not turn a small file into a vast text. */
const boundRecords = (header: Row, body: ReadonlyArray<Row>) => {
  const names = header.reduce((sum, name) => sum + name.length + 3, 0)
  if (names * body.length > maxTextCharacters) throw tooLarge()
}

/** CSV or TSV as a Markdown table, or, when its rows are wide, as paragraphs of `Header: value` lines. */
export const csv = (bytes: Uint8Array): Draft => {
  const text = decodeText(bytes)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
  const rows = rowsOf(text, sniffDelimiter(text))
  if (rows.length === 0) return { title: undefined, text: "" }
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const [header = [], ...body] = hasHeader(rows)
    ? rows
    : [Array.from({ length: width }, (_, column) => `Column ${column + 1}`), ...rows]
  if (width <= maxTableColumns && text.length / (rows.length * width) <= maxMeanCellCharacters) {
    return { title: undefined, text: markdownTable([header, ...body]) }
  }
  boundRecords(header, body)
  return { title: undefined, text: asRecords(header, body) }
}
