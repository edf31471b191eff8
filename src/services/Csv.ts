import { Readable } from "node:stream"
import { parse } from "csv-parse"
import { Effect, type Schema, SchemaIssue, Stream } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import { decoding } from "../readers/extract/Decode.ts"
import { Unreadable } from "../readers/extract/Extraction.ts"
import { separated } from "../text/NamedDelimiter.ts"

/*
 * CSV files (RFC 4180) that people change in spreadsheets.
 */

/** Matches a cell that a spreadsheet takes for a formula, or that has been guarded against that. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r]/u

const guarded = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell)
const unguarded = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)

/** A row of a file. Cells that a spreadsheet would take for formulas begin with an apostrophe, which reading removes. */
export const csvLine = (cells: ReadonlyArray<string>): string =>
  `${cells.map((cell) => `"${guarded(cell).replaceAll('"', '""')}"`).join(",")}\r\n`

/** The header of a file. By the byte order mark, Excel takes it for UTF-8. */
export const csvHeader = (columns: ReadonlyArray<string>): string => `\ufeff${columns.join(",")}\r\n`

/** A row of a file below its header: its number, from 1 for the header, and its cells by the place of their column. */
export interface CsvRecord {
  readonly row: number
  readonly cell: (column: number) => string
}

export interface CsvLimits {
  readonly rows: number
  /** The longest row, in bytes. Longer ones are not kept in memory. */
  readonly rowBytes: number
}

/** More columns than anything has parts. */
const COLUMNS_MAX = 100
/** The text that the parser gets at once, in UTF-16 code units, of which each may be a row. */
const PIECE_LENGTH = 2 * 1024

class TooManyColumns extends Error {}

export const fileFails = (message: string) => InvalidRequest.at("file", message)

/** The text of a file in any encoding that is known, without its byte order mark. */
export const fileText = (bytes: Uint8Array, expected: string) =>
  Effect.tryPromise({
    try: async () => {
      const steps = decoding(bytes)
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value.replace(/^\ufeff/, "")
        await new Promise(setImmediate)
      }
    },
    catch: (error) => fileFails(error instanceof Unreadable ? error.message : `Expected ${expected}`),
  })

/** The pieces of a text, before each of which the event loop gets to everything else. */
const piecesOf = async function* (text: string) {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    await new Promise(setImmediate)
    yield text.slice(at, at + PIECE_LENGTH)
  }
}

/** Reads a file, without changing a cell otherwise than a spreadsheet does. Rows without a text are left out. */
export const readCsv = Effect.fnUntraced(function* (text: string, limits: CsvLimits) {
  const named = separated(text)
  const head = /^[^\r\n]*/.exec(named.rows.slice(0, limits.rowBytes))?.[0] ?? ""
  const delimiter = named.delimiter ?? /[,;\t]/.exec(head)?.[0] ?? ","
  const parser = parse({
    delimiter,
    // To find out which of them a file has takes long where it has none.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: limits.rowBytes,
    // The size of a record does not count its delimiters.
    cast: (cell, { index }) => {
      if (index >= COLUMNS_MAX) throw new TooManyColumns()
      return cell
    },
  })
  const records: Stream.Stream<ReadonlyArray<string>, InvalidRequest> = Stream.fromAsyncIterable(
    Readable.from(piecesOf(named.rows)).pipe(parser),
    (error) =>
      error instanceof TooManyColumns
        ? fileFails(`Expected at most ${COLUMNS_MAX} columns`)
        : fileFails(`Expected a CSV file: ${error instanceof Error ? error.message : "it cannot be read"}`),
  )
  const rows = yield* records.pipe(Stream.take(limits.rows + 2), Stream.runCollect)
  const [header = [], ...body] = rows
  if (body.length > limits.rows) return yield* fileFails(`Expected at most ${limits.rows} rows`)
  const firstRow = named.delimiter === undefined ? 2 : 3
  const found = body.flatMap((cells, index): ReadonlyArray<CsvRecord> => {
    const cell = (at: number) => unguarded(cells[at] ?? "").replaceAll(/\r\n?/g, "\n")
    return cells.every((text) => text.trim() === "") ? [] : [{ row: index + firstRow, cell }]
  })
  return { columns: header.map((name) => name.trim().toLowerCase()), records: found }
})

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Why a row is refused, as its report says it. */
export const reasonOf = ({ issue }: Schema.SchemaError): string =>
  format(issue)
    .issues.slice(0, 1)
    .map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
    .join("")
