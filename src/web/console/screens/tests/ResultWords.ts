import { formatShare } from "../../../shared/Format.ts"
import type { TestResult } from "./TestData.ts"

/*
 * Results of tests in words.
 */

type Answer = TestResult["answers"][number]

/** The answer that is shown of several: one that has failed, if any has. */
export const answerOf = (answers: ReadonlyArray<Answer>): Answer | undefined =>
  answers.find(({ passed }) => !passed) ?? answers[0]

/** An expectation of the search, and how far it is met. */
export const findWords = ({ expected, passed, rank, similarity }: TestResult["find"][number]): string => {
  const { contains, document_id: id, title = id, within } = expected
  const what = [title === undefined ? "A passage" : `“${title}”`, contains === undefined ? "" : `with “${contains}”`]
  const found = rank === null ? "is not found" : `is found at rank ${rank}`
  const how = similarity === null ? "" : `(${formatShare(similarity)} match)`
  const needed = passed || within === undefined ? "" : `– expected within rank ${within}`
  return [...what, found, how, needed].filter(Boolean).join(" ")
}

const sayings = {
  words: ["says", "does not say"],
  pattern: ["matches", "does not match"],
} as const

/** An expectation of the answer, and whether it is met. */
export const sayWords = ({ expected: { kind, not, value }, passed }: Answer["say"][number]): string => {
  const isSaid = passed !== (not === true)
  if (kind === "judge") return `“${value}” is ${isSaid ? "true" : "not true"} of the answer.`
  return `The answer ${sayings[kind][isSaid ? 0 : 1]} “${value}”.`
}
