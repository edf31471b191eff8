import { Readable } from "node:stream"
import { parse } from "csv-parse"
import { Array, Effect, type Schema, SchemaIssue, Stream } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import { decodeText } from "../knowledge/extract/Decode.ts"
import { Unreadable } from "../knowledge/extract/Extraction.ts"
import { turn } from "../system/LoopTurns.ts"

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

/** Limits of a file. */
export interface CsvLimits {
  readonly rows: number
  /** The longest row, in bytes. Longer ones are not kept in memory. */
  readonly rowBytes: number
}

/** More columns than anything has parts. */
const COLUMNS_MAX = 100
/** The text that the parser gets at once, in UTF-16 code units, and the rows after which other work has its turn. */
const PIECE_LENGTH = 16 * 1024
const ROWS_AT_ONCE = 64

export const fileFails = (message: string) => InvalidRequest.at("file", message)

/** The text of a file in any encoding that is known, without its byte order mark. */
export const fileText = (bytes: Uint8Array, expected: string) =>
  Effect.try({
    try: () => decodeText(bytes).replace(/^\ufeff/, ""),
    catch: (error) => fileFails(error instanceof Unreadable ? error.message : `Expected ${expected}`),
  })

/** Reads a file, without changing a cell otherwise than a spreadsheet does. Rows without a text are left out. */
export const readCsv = Effect.fnUntraced(function* (text: string, limits: CsvLimits) {
  const head = text.slice(0, text.search(/[\r\n]|$/)).slice(0, limits.rowBytes)
  const delimiter = /[,;\t]/.exec(head)?.[0] ?? ","
  const pieces = Array.makeBy(Math.ceil(text.length / PIECE_LENGTH), (at) =>
    text.slice(at * PIECE_LENGTH, (at + 1) * PIECE_LENGTH),
  )
  const parser = parse({ delimiter, relax_column_count: true, relax_quotes: true, max_record_size: limits.rowBytes })
  const records: Stream.Stream<ReadonlyArray<string>, InvalidRequest> = Stream.fromAsyncIterable(
    Readable.from(pieces).pipe(parser),
    (error) => fileFails(`Expected a CSV file: ${error instanceof Error ? error.message : "it cannot be read"}`),
  )
  const rows = yield* records.pipe(
    Stream.grouped(ROWS_AT_ONCE),
    Stream.tap((some) =>
      some.some((cells) => cells.length > COLUMNS_MAX) ? fileFails(`Expected at most ${COLUMNS_MAX} columns`) : turn,
    ),
    Stream.flattenIterable,
    Stream.take(limits.rows + 2),
    Stream.runCollect,
  )
  const [header = [], ...body] = rows
  if (body.length > limits.rows) return yield* fileFails(`Expected at most ${limits.rows} rows`)
  const found = body.flatMap((cells, index): ReadonlyArray<CsvRecord> => {
    const cell = (at: number) => unguarded(cells[at] ?? "").replaceAll(/\r\n?/g, "\n")
    return cells.every((text) => text.trim() === "") ? [] : [{ row: index + 2, cell }]
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
