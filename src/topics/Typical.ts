import { bounded, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { questionForm } from "../language/words/QuestionForm.ts"
import { isPersonal, termsOf } from "./QuestionTerms.ts"

/** Orders the questions of a topic by how typical they are: those first whose terms most of the others share. */
export const typicalFirst = (questions: ReadonlyArray<string>): ReadonlyArray<string> => {
  const distinct = Array.from(
    new Map(questions.map((question) => [questionForm(bounded(question, MESSAGE_MAX_LENGTH)), question])).values(),
  ).map((question) => ({ question, stems: termsOf(question).map(({ stem }) => stem) }))
  const counts = countsOf(distinct)
  const worth = ({ stems }: { readonly stems: ReadonlyArray<string> }) =>
    stems.reduce((sum, stem) => sum + (counts.get(stem) ?? 0), 0) / Math.sqrt(stems.length || 1)
  return distinct.toSorted((left, right) => worth(right) - worth(left)).map(({ question }) => question)
}

/** The lengths of questions that can be suggested, in UTF-16 code units. */
const SUGGESTED_LENGTH = [4, 120] as const

export const hasSuggestedLength = (text: string): boolean =>
  text.length >= SUGGESTED_LENGTH[0] && text.length <= SUGGESTED_LENGTH[1]

/**
 * Returns the most typical of these questions that everybody may read; undefined where none is. Somebody else has used
 * each of its words, too, so that it holds neither a name nor anything else that one user alone has written.
 *
 * @param questions one of each user
 */
export const publicQuestion = (questions: ReadonlyArray<string>): string | undefined => {
  const read = questions.map((question) => ({ question, stems: termsOf(question).map(({ stem }) => stem) }))
  const counts = countsOf(read)
  const shared = read.filter(
    ({ question, stems }) =>
      stems.length > 0 &&
      hasSuggestedLength(question.trim()) &&
      !question.trim().includes("\n") &&
      !isPersonal(bounded(question, MESSAGE_MAX_LENGTH)) &&
      stems.every((stem) => (counts.get(stem) ?? 0) > 1),
  )
  return typicalFirst(shared.map(({ question }) => question.trim()))[0]
}

const countsOf = (read: ReadonlyArray<{ readonly stems: ReadonlyArray<string> }>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { stems } of read) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return counts
}
