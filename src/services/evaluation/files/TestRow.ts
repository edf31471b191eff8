import { Effect, Result, Schema } from "effect"
import { TestInput } from "../../../domain/evaluation/ChatbotTest.ts"
import type { TestContent } from "../../../storage/evaluation/Tests.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { patternProblem } from "../../../text/SafePattern.ts"
import { reasonOf } from "../../Csv.ts"

export interface TestRow {
  /** The number of its row or line, from 1. */
  readonly row: number
  /** The id of the test that it was exported from. */
  readonly id: string | undefined
  /** The test, or why it is none. */
  readonly test: Result.Result<TestContent, string>
}

/** A test of a stored chatbot, as a file has it. */
export type ExportedTest = TestContent & { readonly id: string }

const decode = Schema.decodeUnknownResult(TestInput, { onExcessProperty: "error" })

/** The test that a file describes, whose patterns are not checked yet. */
export const testRow = (row: number, id: unknown, input: unknown): TestRow => ({
  row,
  id: typeof id === "string" && id.trim() !== "" ? id.trim().toLowerCase() : undefined,
  test: Result.mapBoth(decode(input), {
    onFailure: reasonOf,
    onSuccess: (test): TestContent => ({ history: [], tags: [], ...test }),
  }),
})

/** The expected patterns that cannot be matched in bounded time, by their places. */
export const patternProblems = Effect.fnUntraced(function* ({
  expectations,
}: Partial<Pick<TestContent, "expectations">>) {
  const patterns = (expectations?.say ?? []).flatMap(({ kind, value }, at) =>
    kind === "pattern" ? [{ at, value }] : [],
  )
  const problems = yield* inTurns(patterns, ({ at, value }) => ({ at, message: patternProblem(value) }))
  return problems.flatMap(({ at, message }) => (message === undefined ? [] : [{ at, message }]))
})

/** Refuses a test with a pattern that cannot be matched in bounded time. */
export const withPatterns = Effect.fnUntraced(function* (given: TestRow) {
  if (Result.isFailure(given.test)) return given
  const [first] = yield* patternProblems(given.test.success)
  return first === undefined
    ? given
    : { ...given, test: Result.fail(`expectations.say.${first.at}.value: ${first.message}`) }
})
