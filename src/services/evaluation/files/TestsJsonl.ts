import { Effect, Result } from "effect"
import { TESTS_MAX } from "../../../domain/evaluation/ChatbotTest.ts"
import { isObject } from "../../../domain/schema/Merge.ts"
import { contentOf } from "../../../storage/evaluation/Tests.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { jsonSize, parseJson } from "../../../text/Json.ts"
import { fileFails } from "../../Csv.ts"
import { type ExportedTest, type TestRow, testRow } from "./TestRow.ts"

/*
 * Tests as JSON Lines: one in each line, as the API has them.
 */

/** The most lines of a file, of which some are empty. */
const LINES_MAX = 2 * TESTS_MAX
/** The longest line, in UTF-16 code units. */
const LINE_MAX_LENGTH = 4 * 1024 * 1024
/** The deepest nesting and the most values of a line: more than a test has. */
const DEPTH_MAX = 32
const VALUES_MAX = 20_000

export const lineOf = (test: ExportedTest): string => `${JSON.stringify({ id: test.id, ...contentOf(test) })}\n`

const isReadable = (line: string): boolean => {
  if (line.length > LINE_MAX_LENGTH) return false
  const { deepest, values } = jsonSize(line)
  return deepest <= DEPTH_MAX && values <= VALUES_MAX
}

/** Reads a file. What the API shows of a test beside what people write is left out. */
export const read = Effect.fnUntraced(function* (text: string) {
  const all = text.split("\n", LINES_MAX + 1)
  const lines = all.flatMap((line, at) => (line.trim() === "" ? [] : [{ line, row: at + 1 }]))
  if (lines.length > TESTS_MAX || all.length > LINES_MAX) return yield* fileFails(`Expected at most ${TESTS_MAX} lines`)
  return yield* inTurns(lines, ({ line, row }): TestRow => {
    const value = isReadable(line) ? parseJson(line) : undefined
    if (value === undefined) return { row, id: undefined, test: Result.fail("Expected a line of JSON") }
    if (!isObject(value)) return testRow(row, undefined, value)
    const { chatbot_id: _c, created_at: _n, id, message_id: _m, updated_at: _u, ...input } = value
    return testRow(row, id, input)
  })
})
