import {
  type Expectations,
  type FindExpectation,
  RANK_DEFAULT,
  type SayExpectation,
} from "../domain/evaluation/ChatbotTest.ts"
import type { TestAnswer, TestDetails } from "../domain/evaluation/TestRun.ts"
import { normalize } from "../text/Normalization.ts"
import { patternMatches } from "../text/SafePattern.ts"
import type { Found } from "./TestSearch.ts"

/*
 * Compares what was found and said with what a test expects.
 */

/** A text without blanks and case. */
export const folded = (text: string): string => normalize(text, "NFKC").toLowerCase().replaceAll(/\s+/gu, "")

/** The documents that an expectation means. */
export interface DocumentsMeant {
  readonly ids: ReadonlySet<string>
  /** Whether it means also those whose passages have its title. */
  readonly isByTitle: boolean
}

/** Looks for the passage that an expectation means: by its id, or else its title, where the documents are not known. */
export const checkFind = (
  expected: FindExpectation,
  found: ReadonlyArray<Found>,
  meant: DocumentsMeant = {
    ids: new Set(expected.document_id === undefined ? [] : [expected.document_id]),
    isByTitle: expected.document_id === undefined,
  },
): TestDetails["find"][number] => {
  const { contains, document_id, title, within = RANK_DEFAULT } = expected
  const isMeant = (passage: Found) =>
    (document_id === undefined && title === undefined) ||
    meant.ids.has(passage.document_id) ||
    (meant.isByTitle && title !== undefined && folded(passage.title) === folded(title))
  const text = contains === undefined ? "" : folded(contains)
  const index = found.findIndex((passage) => isMeant(passage) && folded(passage.content).includes(text))
  const passage = found[index]
  return passage === undefined
    ? { expected, passed: false, rank: null, similarity: null }
    : { expected, passed: index < within, rank: index + 1, similarity: passage.similarity }
}

/** Checks words and patterns of an answer; undefined for a sentence that a model has to judge. */
export const checkSay = (expected: SayExpectation, answer: string): boolean | undefined => {
  if (expected.kind === "judge") return undefined
  const says =
    expected.kind === "words" ? folded(answer).includes(folded(expected.value)) : patternMatches(expected.value, answer)
  return says !== (expected.not === true)
}

/** Whether what an answer should say is to be checked: not where the chatbot may refuse, and does. */
export const isSayChecked = ({ refusal }: Expectations, refused: boolean): boolean => refusal !== "may" || !refused

/** Whether an answer passes: it refuses only where it may, and says what it should. */
export const passes = ({ refusal }: Expectations, { refused, say }: Pick<TestAnswer, "refused" | "say">): boolean =>
  (refusal === "must" ? refused : refusal === "may" || !refused) && say.every(({ passed }) => passed)

export const mostPass = (answers: TestDetails["answers"]): boolean =>
  answers.filter(({ passed }) => passed).length * 2 > answers.length
