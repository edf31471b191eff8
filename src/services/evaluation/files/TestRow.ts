import { Effect, Result, Schema } from "effect"
import { TestInput } from "../../../domain/evaluation/ChatbotTest.ts"
import type { TestContent } from "../../../storage/evaluation/Tests.ts"
import { inTurns } from "../../../system/InTurns.ts"
import { patternProblem } from "../../../text/SafePattern.ts"
import { reasonOf } from "../../Csv.ts"

export interface TestRow {
  /** The number of its row or line, or of the test, from 1. */
  readonly row: number
  /** The id of the test that it was exported from. */
  readonly id: string | undefined
  /** The test, or why it is none. */
  readonly test: Result.Result<TestContent, string>
  /** What the file says of the test and Parley cannot check, with reasons; undefined where that is no test. */
  readonly leftOut?: ReadonlyArray<string>
}

/** A test of a stored chatbot, as a file has it. */
export type ExportedTest = TestContent & { readonly id: string }

const decode = Schema.decodeUnknownResult(TestInput, { onExcessProperty: "error" })

/** The test that a file describes, whose patterns are not checked yet. */
export const testRow = (row: number, id: unknown, input: unknown, leftOut?: ReadonlyArray<string>): TestRow => ({
  row,
  id: typeof id === "string" && id.trim() !== "" ? id.trim().toLowerCase() : undefined,
  test: Result.mapBoth(decode(input), {
    onFailure: reasonOf,
    onSuccess: (test): TestContent => ({ history: [], tags: [], ...test }),
  }),
  ...(leftOut !== undefined && { leftOut }),
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

/** Checks the patterns of a test: one that is refused is left out where the file's program has others than Parley. */
export const withPatterns = Effect.fnUntraced(function* (given: TestRow) {
  const { leftOut, test } = given
  if (Result.isFailure(test)) return given
  const problems = yield* patternProblems(test.success)
  const [first] = problems
  if (first === undefined) return given
  if (leftOut === undefined) {
    return { ...given, test: Result.fail(`expectations.say.${first.at}.value: ${first.message}`) }
  }
  const say = test.success.expectations.say?.filter((_, index) => problems.every(({ at }) => at !== index)) ?? []
  return {
    ...given,
    test: Result.succeed({ ...test.success, expectations: { ...test.success.expectations, say } }),
    leftOut: [...leftOut, ...problems.map(({ message }) => `A pattern is left out: ${message}`)],
  }
})
