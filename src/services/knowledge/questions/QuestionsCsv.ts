import { Effect, Result, Schema } from "effect"
import { IMPORT_ROWS_MAX, type Pair, QuestionInput } from "../../../domain/knowledge/Question.ts"
import { inTurns } from "../../../system/InTurns.ts"
import * as Csv from "../../Csv.ts"

/*
 * Questions as a CSV file with the columns `question`, `answer` and `variants`, of which the last has a line for each
 * variant.
 */

/** The beginning of a file. */
export const csvHeader = Csv.csvHeader(["question", "answer", "variants"])

export const csvRow = ({ answer, question, variants }: Pair): string =>
  Csv.csvLine([question, answer, variants.join("\n")])

/** A row of a file: its number, from 1 for the header, and the question, or why it is none. */
export interface CsvRow {
  readonly row: number
  readonly pair: Result.Result<Pair, string>
}

/** More than the longest question has. */
const ROW_MAX_BYTES = 256 * 1024

/** Reads a file, without a cell that is a question or an answer being changed otherwise than by a spreadsheet. */
export const readCsv = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const text = yield* Csv.fileText(bytes, "a CSV file")
  const { columns, records } = yield* Csv.readCsv(text, { rows: IMPORT_ROWS_MAX, rowBytes: ROW_MAX_BYTES })
  const [question, answer] = [columns.indexOf("question"), columns.indexOf("answer")]
  if (question === -1 || answer === -1) {
    return yield* Csv.fileFails("Expected a header row with the columns question and answer")
  }
  const variants = columns.flatMap((name, at) => (name.startsWith("variant") ? [at] : []))
  return yield* inTurns(records, ({ cell, row }): CsvRow => {
    const pair = {
      question: inOneLine(cell(question)),
      variants: variants.flatMap((at) => cell(at).split("\n").map(inOneLine)).filter((variant) => variant !== ""),
      answer: cell(answer),
    }
    return { row, pair: Result.mapBoth(decodePair(pair), { onSuccess: () => pair, onFailure: Csv.reasonOf }) }
  })
})

const inOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

const decodePair = Schema.decodeUnknownResult(QuestionInput)
