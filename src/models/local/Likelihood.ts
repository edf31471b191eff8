import type { Evidence } from "./Evidence.ts"
import type { Ranked } from "./Sentences.ts"

/*
 * How likely it is that the best sentence answers the question at all. The parameters are fitted on questions whose
 * answers the documents hold, and on such about what the documents tell of without answering them.
 */

/** What speaks for and against an answer. Information is in units of the rarest word's. */
export interface Signals {
  /** The information in the sentence and what stands above it: two rare words are no coincidence. */
  readonly held: number
  /** The share of the question's information in names that are missing there. */
  readonly names: number
  /** The share that is missing there though another sentence has it, which may be nearer to an answer. */
  readonly elsewhere: number
  /** The information in the rarest word that nothing has. */
  readonly unknown: number
  /** The information in what a question counts, where it is missing. */
  readonly counted: number
  /** Whether the sentence holds what such a question asks for: 1, or -1 where it lacks it. */
  readonly kind: number
  /** The similarity of the passage. */
  readonly similarity: number
  /** The highest similarity of a passage. */
  readonly most: number
}

const BIAS = -1.9
const WEIGHTS: Readonly<Record<keyof Signals, number>> = {
  held: 1.1,
  names: -1.1,
  elsewhere: -1.7,
  unknown: -1.2,
  counted: -1.9,
  kind: 0.6,
  similarity: 3,
  most: 1.8,
}

/** Of more information than this, more says no more. */
const HELD_MAX = 4

/** What speaks for and against a sentence as an answer. */
export const signalsOf = (evidence: Evidence, { covered, features, sentence }: Ranked): Signals => {
  const { all, anywhere, question, terms } = evidence
  const informationOf = (isCounted: (term: number) => number) =>
    terms.all.reduce((sum, { weight }, term) => sum + weight * isCounted(term), 0)
  const total = Math.max(all, Number.EPSILON)
  return {
    held: Math.min(
      HELD_MAX,
      informationOf((term) => covered.get(term) ?? 0),
    ),
    names: informationOf((term) => (terms.all[term]?.isName === true && !covered.has(term) ? 1 : 0)) / total,
    elsewhere: informationOf((term) => Math.max(0, (anywhere.get(term) ?? 0) - (covered.get(term) ?? 0))) / total,
    unknown: Math.max(0, ...terms.all.map(({ weight }, term) => (anywhere.has(term) ? 0 : weight))),
    counted: question.kind === "number" && !covered.has(0) ? (terms.all[0]?.weight ?? 0) : 0,
    kind: features.kind,
    similarity: sentence.passage.similarity ?? 1,
    most: evidence.similarity,
  }
}

/** The logarithm of the odds that a sentence answers the question. */
export const likelihood = (evidence: Evidence, best: Ranked): number => {
  let sum = BIAS
  for (const [name, value] of Object.entries(signalsOf(evidence, best))) sum += WEIGHTS[name as keyof Signals] * value
  return sum
}
