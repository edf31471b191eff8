import { Result, Schema } from "effect"
import { TestInput } from "../../../domain/evaluation/ChatbotTest.ts"
import type { TestContent } from "../../../storage/evaluation/Tests.ts"
import { patternProblem } from "../../../text/SafePattern.ts"
import { reasonOf } from "../../Csv.ts"

/** A test of a file. */
export interface TestRow {
  /** The number of its row or line, or of the test, from 1. */
  readonly row: number
  /** The id of the test that it was exported from. */
  readonly id: string | undefined
  /** The test, or why it is none. */
  readonly test: Result.Result<TestContent, string>
  /** What the file says of the test and Parley cannot check, with reasons. */
  readonly leftOut: ReadonlyArray<string>
}

/** A test of a stored chatbot, as a file has it. */
export type ExportedTest = TestContent & { readonly id: string }

const decode = Schema.decodeUnknownResult(TestInput, { onExcessProperty: "error" })

/** The test that a file describes. */
export const testRow = (row: number, id: unknown, input: unknown, leftOut: ReadonlyArray<string> = []): TestRow => ({
  row,
  id: typeof id === "string" && id.trim() !== "" ? id.trim().toLowerCase() : undefined,
  test: Result.mapError(decode(input), reasonOf).pipe(
    Result.map((test): TestContent => ({ history: [], tags: [], ...test })),
    Result.flatMap((test) => {
      const [problem] = patternProblems(test)
      return problem === undefined ? Result.succeed(test) : Result.fail(`${problem.path}: ${problem.message}`)
    }),
  ),
  leftOut,
})

/** The expected patterns that cannot be matched in bounded time. */
export const patternProblems = ({ expectations }: Partial<Pick<TestContent, "expectations">>) =>
  (expectations?.say ?? []).flatMap(({ kind, value }, at) => {
    const message = kind === "pattern" ? patternProblem(value) : undefined
    return message === undefined ? [] : [{ path: `expectations.say.${at}.value`, message }]
  })
