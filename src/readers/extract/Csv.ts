import { parse } from "csv-parse/sync"
import { separated } from "../../text/NamedDelimiter.ts"
import { decodeText } from "./Decode.ts"
import type { Draft, Reader } from "./Extraction.ts"
import { writeRows } from "./Rows.ts"
import type { Row } from "./Table.ts"

/** The delimiters of files, those first that texts and numbers have least. */
const delimiters = ["\t", ";", "|", ","] as const
/** A character that no text has, for files of one column. */
const NO_DELIMITER = "\u001f"

/** The delimiter is guessed from this many characters at the start of the file. */
const SNIFF_CHARACTERS = 10_000
/** The most lines above a header that have one cell. */
const MAX_TITLES = 3

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

const QUOTED = /(^|[,;\t|])"(?:[^"]|"")*"(?=[,;\t|]|$)/gm

/** The share of lines that have as many cells as the header line, the first that has several. */
const agreement = (lines: ReadonlyArray<string>, delimiter: string): number => {
  const widths = lines.map((line) => line.split(delimiter).length)
  const header = widths.findIndex((width) => width > 1)
  if (header < 0 || header > MAX_TITLES) return 0
  const share = widths.filter((width) => width === widths[header]).length / widths.length
  // A line of text among those of one column is no header.
  return header === 0 || share >= 0.5 ? share : 0
}

const sniffDelimiter = (text: string): string => {
  const sample = text.slice(0, SNIFF_CHARACTERS)
  const wholeLines = sample.length < text.length ? sample.slice(0, sample.lastIndexOf("\n") + 1) || sample : sample
  const lines = wholeLines
    .replace(QUOTED, "$1")
    .split("\n")
    .filter((line) => line.trim() !== "")
  const scored = delimiters.map((delimiter) => ({ delimiter, score: agreement(lines, delimiter) }))
  const best = scored.reduce((most, each) => (each.score > most.score ? each : most))
  return best.score === 0 ? NO_DELIMITER : best.delimiter
}

/** Reads CSV or TSV into a Markdown table or, when its rows are wide, into paragraphs of `Header: value` lines. */
export const csv: Reader = (bytes, textLimit): Draft => {
  const text = separated(decodeText(bytes).replace(/^\ufeff/, ""))
  const lines = text.rows.replace(/\r\n?/g, "\n")
  const rows = rowsOf(lines, text.delimiter ?? sniffDelimiter(lines))
  return { title: undefined, text: rows.length === 0 ? "" : writeRows(rows, textLimit) }
}
