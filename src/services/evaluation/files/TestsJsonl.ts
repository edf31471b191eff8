import { Effect, Result } from "effect"
import { TESTS_MAX } from "../../../domain/evaluation/ChatbotTest.ts"
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
        onFailure: () => ({ row, id: undefined, test: Result.fail("Expected a line of JSON"), leftOut: [] }),
        onSuccess: (value: unknown) => {
          if (typeof value !== "object" || value === null) return testRow(row, undefined, value)
          const {
            id,
            chatbot_id: _,
            created_at: __,
            message_id: ___,
            updated_at: ____,
            ...input
          } = { ...shown, ...value }
          return testRow(row, id, input)
        },
      },
    ),
  )
})

const shown: Readonly<Record<"chatbot_id" | "created_at" | "id" | "message_id" | "updated_at", unknown>> = {
  id: undefined,
  chatbot_id: undefined,
  created_at: undefined,
  message_id: undefined,
  updated_at: undefined,
}
