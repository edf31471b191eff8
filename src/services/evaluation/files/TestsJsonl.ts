import { Effect, Result } from "effect"
import { TESTS_MAX } from "../../../domain/evaluation/ChatbotTest.ts"
import { isObject } from "../../../domain/schema/Merge.ts"
import { contentOf } from "../../../storage/evaluation/Tests.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { fileFails } from "../../Csv.ts"
import { type ExportedTest, type TestRow, testRow } from "./TestRow.ts"

/*
 * Tests as JSON Lines: one in each line, as the API has them.
 */

export const lineOf = (test: ExportedTest): string => `${JSON.stringify({ id: test.id, ...contentOf(test) })}\n`

/** Reads a file. What the API shows of a test beside what people write is left out. */
export const read = Effect.fnUntraced(function* (text: string) {
  const lines = text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [{ line, row: at + 1 }]))
  if (lines.length > TESTS_MAX) return yield* fileFails(`Expected at most ${TESTS_MAX} lines`)
  return yield* inTurns(lines, ({ line, row }): TestRow =>
    Result.match(
      Result.try(() => JSON.parse(line)),
      {
        onFailure: () => ({ row, id: undefined, test: Result.fail("Expected a line of JSON") }),
        onSuccess: (value: unknown) => {
          if (!isObject(value)) return testRow(row, undefined, value)
          const { chatbot_id: _c, created_at: _n, id, message_id: _m, updated_at: _u, ...input } = value
          return testRow(row, id, input)
        },
      },
    ),
  )
})
