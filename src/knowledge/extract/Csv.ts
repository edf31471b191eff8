import { parse } from "csv-parse/sync"
import { decodeText } from "./Decode.ts"
import type { Draft, Reader } from "./Extraction.ts"
import { writeRows } from "./Rows.ts"
import type { Row } from "./Table.ts"

const delimiters = [",", ";", "\t", "|"] as const

/** The delimiter is guessed from this many characters at the start of the file. */
const SNIFF_CHARACTERS = 10_000

const parseRows = (text: string, delimiter: string, quote: string | false): ReadonlyArray<Row> =>
  // Effect's CSV reader rejects a file with one stray quote, which spreadsheets and people do write.
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
    // A quotation mark is never closed, so quotation marks are ordinary characters in this file.
    rows = parseRows(text, delimiter, false)
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ""))
}

/**
 * Scores a delimiter by the number of columns that most lines have in common, weighted by their share of all lines; 0
 * when most lines have one column.
 */
const score = (sample: string, delimiter: string): number => {
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
  const sample = text.slice(0, SNIFF_CHARACTERS)
  const wholeLines = sample.length < text.length ? sample.slice(0, sample.lastIndexOf("\n") + 1) || sample : sample
  const scored = delimiters.map((delimiter) => ({ delimiter, score: score(wholeLines, delimiter) }))
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).delimiter
}

/** Reads CSV or TSV into a Markdown table or, when its rows are wide, into paragraphs of `Header: value` lines. */
export const csv: Reader = (bytes, textLimit): Draft => {
  const text = decodeText(bytes)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
  const rows = rowsOf(text, sniffDelimiter(text))
  return { title: undefined, text: rows.length === 0 ? "" : writeRows(rows, textLimit) }
}
