import type { TestDetails, TestResult } from "../domain/evaluation/TestRun.ts"
import { mostPass } from "./Checks.ts"

/** The part of a result by which it is compared. */
export interface Compared {
  readonly outcome: "passed" | "failed"
  readonly details: TestDetails
}

/**
 * Compares a result with the one before, of the same version of the test.
 *
 * @param isDecidedByAnswers whether answers decide the outcome, and are not only shown
 */
export const changeSince = (
  before: Compared,
  after: Compared,
  isDecidedByAnswers: boolean,
): NonNullable<TestResult["change"]> => {
  const [was, is] = [before, after].map(({ details }) => checksOf(details, isDecidedByAnswers))
  const pairs = (is ?? []).map((passed, index) => ({ passed, passedBefore: was?.[index] }))
  const isWorse = pairs.some(({ passed, passedBefore }) => passed === false && passedBefore === true)
  const isBetter = pairs.some(({ passed, passedBefore }) => passed === true && passedBefore === false)
  if (before.outcome !== after.outcome) return after.outcome === "failed" ? "worse" : "better"
  if (isWorse) return "worse"
  if (isBetter) return "better"
  return shown(before.details) === shown(after.details) ? "same" : "different"
}

/** What is checked, in the order of the expectations; undefined for what was not checked. */
const checksOf = ({ answers, find }: TestDetails, withAnswers: boolean): ReadonlyArray<boolean | undefined> => {
  const most = (index: number) => {
    const checks = answers.flatMap(({ say }) => say[index] ?? [])
    return checks.length === 0 ? undefined : checks.filter(({ passed }) => passed).length * 2 > checks.length
  }
  const says = Math.max(0, ...answers.map(({ say }) => say.length))
  return [
    ...find.map(({ passed }) => passed),
    ...(withAnswers ? [mostPass(answers), ...Array.from({ length: says }, (_, index) => most(index))] : []),
  ]
}

const shown = ({ answers, find }: TestDetails): string =>
  JSON.stringify([find.map(({ rank }) => rank), answers.map(({ text }) => text)])
