import type { Evidence, Judged } from "./Evidence.ts"
import { languageOf } from "./PassageLanguage.ts"
import type { Question } from "./Question.ts"
import { QUESTION_WORDS, UNSPACED } from "./questions/Phrases.ts"
import type { Sentence } from "./Reading.ts"

/*
 * How likely it is that the best sentence answers the question at all. The parameters are fitted on questions whose
 * answers the documents hold, and on such about what the documents tell of without answering them.
 */

/** What speaks for and against an answer. Information is in units of the rarest word's. */
export interface Signals {
  /** Always 1: what speaks against an answer before anything is known. */
  readonly bias: number
  /**
   * The information in the sentence and what stands above it, in words other than names: these say what is asked about
   * whom or what the names name. Names count where a question has nothing else, or is in another language.
   */
  readonly held: number
  /** The share of the question's information in names that are missing there. */
  readonly names: number
  /** The information in the rarest word that nothing has, and of another language only in a name. */
  readonly unknown: number
  /** Whether the sentence holds what such a question asks for: 1, or -1 where it lacks it. */
  readonly kind: number
  /** The similarity of the passage. */
  readonly similarity: number
  /** How much more similar the passage is than the next best one. */
  readonly lead: number
}

const WEIGHTS: Readonly<Record<keyof Signals, number>> = {
  bias: -2.4,
  held: 1.8,
  names: -2,
  unknown: -2.1,
  kind: 1,
  similarity: 2.2,
  lead: 2.2,
}

/** What speaks for and against a sentence as an answer. */
export const signalsOf = (evidence: Evidence, { covered, features, sentence }: Judged): Signals => {
  const { all, anywhere, question, terms } = evidence
  const informationIn = (countOf: (term: number, isName: boolean) => number) =>
    terms.all.reduce((sum, { isName, weight }, term) => sum + weight * countOf(term, isName), 0)
  const total = Math.max(all, Number.EPSILON)
  const similarity = sentence.passage.similarity ?? 1
  const isForeign = isInOtherLanguage(question, sentence)
  const countsNames = isForeign || terms.all.every(({ isName }) => isName)
  return {
    bias: 1,
    held: informationIn((term, isName) => (isName && !countsNames ? 0 : (covered.get(term) ?? 0))),
    names: informationIn((term, isName) => (isName && !covered.has(term) ? 1 : 0)) / total,
    unknown: Math.max(
      0,
      ...terms.all.map(({ isName, weight }, term) => (anywhere.has(term) || (isForeign && !isName) ? 0 : weight)),
    ),
    kind: features.kind,
    similarity,
    lead: similarity - evidence.secondSimilarity,
  }
}

/** Whether a sentence is in another language than a question, as far as either can be told. */
const isInOtherLanguage = ({ language, text }: Question, sentence: Sentence): boolean => {
  const name = QUESTION_WORDS[language ?? ""]?.name
  const isUnspaced = UNSPACED.test(text)
  if (name === undefined || isUnspaced !== UNSPACED.test(sentence.text)) return name !== undefined
  return !isUnspaced && languageOf(sentence.passage) !== name
}

/**
 * The least likelihood with which an answer is given. A higher one refuses more of what the documents do not tell, and
 * more of what they do: of each a hundred questions, one or two for a tenth, so that the sum of the two mistakes, which
 * `bench answers --fit` prints, hardly changes from here to 0.5. This is about the lowest value with which four of five
 * questions without an answer are refused: people ask for what the documents tell more often than for anything else.
 */
export const LIKELY = -0.75

/** The logarithm of the odds that a sentence answers the question. */
export const likelihood = (evidence: Evidence, best: Judged): number => {
  let sum = 0
  for (const [name, value] of Object.entries(signalsOf(evidence, best))) sum += WEIGHTS[name as keyof Signals] * value
  return sum
}
