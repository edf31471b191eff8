import { Readable } from "node:stream"
import { parse } from "csv-parse"
import { Array, Effect, Result, Schema, SchemaIssue, Stream } from "effect"
import { InvalidRequest } from "../../../domain/Errors.ts"
import { IMPORT_ROWS_MAX, type Pair, QuestionInput } from "../../../domain/knowledge/Question.ts"
import { decodeText } from "../../../knowledge/extract/Decode.ts"
import { Unreadable } from "../../../knowledge/extract/Extraction.ts"
import { csvHeader, csvRow, unguarded } from "../../../text/Csv.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { turn } from "../../../system/LoopTurns.ts"

/*
 * Questions as a CSV file (RFC 4180) with the columns `question`, `answer` and `variants`, of which the last has a line
 * for each variant.
 */

/** The beginning of a file. */
export const questionsHeader = csvHeader(["question", "answer", "variants"])

/** A row of a file. An import removes the apostrophes that guard cells. */
export const questionRow = ({ answer, question, variants }: Pair): string =>
  csvRow([question, answer, variants.join("\n")])

/** A row of a file: its number, from 1 for the header, and the question, or why it is none. */
export interface CsvRow {
  readonly row: number
  readonly pair: Result.Result<Pair, string>
}

/** The longest row, in bytes: more than the longest question has. Longer ones are not kept in memory. */
const ROW_MAX_BYTES = 256 * 1024
/** More columns than a question has parts. */
const COLUMNS_MAX = 100
/** The text that the parser gets at once, in UTF-16 code units, and the rows after which other work has its turn. */
const PIECE_LENGTH = 16 * 1024
const ROWS_AT_ONCE = 64

const fileFails = (message: string) => InvalidRequest.at("file", message)

/** Reads a file, without a cell that is a question or an answer being changed otherwise than by a spreadsheet. */
export const readCsv = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const text = yield* Effect.try({
    try: () => decodeText(bytes).replace(/^\ufeff/, ""),
    catch: (error) => fileFails(error instanceof Unreadable ? error.message : "Expected a CSV file"),
  })
  const head = text.slice(0, text.search(/[\r\n]|$/)).slice(0, ROW_MAX_BYTES)
  const delimiter = /[,;\t]/.exec(head)?.[0] ?? ","
  const pieces = Array.makeBy(Math.ceil(text.length / PIECE_LENGTH), (at) =>
    text.slice(at * PIECE_LENGTH, (at + 1) * PIECE_LENGTH),
  )
  const parser = parse({ delimiter, relax_column_count: true, relax_quotes: true, max_record_size: ROW_MAX_BYTES })
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
    Stream.take(IMPORT_ROWS_MAX + 2),
    Stream.runCollect,
  )
  const [header = [], ...body] = rows
  if (body.length > IMPORT_ROWS_MAX) return yield* fileFails(`Expected at most ${IMPORT_ROWS_MAX} rows`)
  const names = header.map((name) => name.trim().toLowerCase())
  const [question, answer] = [names.indexOf("question"), names.indexOf("answer")]
  if (question === -1 || answer === -1) {
    return yield* fileFails("Expected a header row with the columns question and answer")
  }
  const variants = names.flatMap((name, at) => (name.startsWith("variant") ? [at] : []))
  const read = yield* inTurns([...body.entries()], ([index, cells]): ReadonlyArray<CsvRow> => {
    if (cells.every((cell) => cell.trim() === "")) return []
    const cell = (at: number) => unguarded(cells[at] ?? "").replaceAll(/\r\n?/g, "\n")
    const pair = {
      question: inOneLine(cell(question)),
      variants: variants.flatMap((at) => cell(at).split("\n").map(inOneLine)).filter((variant) => variant !== ""),
      answer: cell(answer),
    }
    return [{ row: index + 2, pair: Result.mapBoth(decodePair(pair), { onSuccess: () => pair, onFailure: reasonOf }) }]
  })
  return read.flat()
})

const inOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

const decodePair = Schema.decodeUnknownResult(QuestionInput)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const reasonOf = ({ issue }: Schema.SchemaError): string =>
  format(issue)
    .issues.slice(0, 1)
    .map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
    .join("")
