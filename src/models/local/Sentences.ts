import type { Evidence, Features, Judged } from "./Evidence.ts"
import type { Sentence } from "./Reading.ts"

/*
 * Ranks sentences by how probably each is the answer.
 */

/** What each feature adds to the logarithm of a sentence's odds; fitted on questions with known answers. */
const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  own: 5.1,
  rare: 4.5,
  heading: 6.6,
  before: 4.2,
  kind: 1.4,
  defines: 1.7,
  short: 0.8,
  fragment: -0.7,
  item: -1.6,
  rank: -4,
  first: 1.3,
  asked: 0.9,
}

/** A sentence with its place in the ranking. */
export interface Ranked extends Judged {
  /** The logarithm of its odds, up to a constant of the question. */
  readonly score: number
  /** The probability that it is the answer, if one of the sentences is. */
  readonly probability: number
}

/** Ranks the sentences, the best first. */
export const rank = (judged: ReadonlyArray<Judged>): ReadonlyArray<Ranked> => {
  const scored = judged
    .map((each) => ({ ...each, score: scoreOf(each.features) }))
    .toSorted((a, b) => b.score - a.score)
  const best = scored[0]?.score ?? 0
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - best), 0)
  return scored.map((each) => ({ ...each, probability: Math.exp(each.score - best) / total }))
}

export const scoreOf = (features: Features): number => {
  let score = 0
  for (const [name, value] of Object.entries(features)) score += WEIGHTS[name as keyof Features] * value
  return score
}

/** The most sentences of an answer. */
const SENTENCES_MAX = 3
/** A sentence is added while those before it are together less probable than this to hold the answer, */
const SURE = 0.8
/** and if it is at least this share as probable as the best one. */
const SHARE_MIN = 0.2

/** The sentences that are quoted: the best one, and further ones of its document where it is not certain. */
export const chosenOf = (ranked: ReadonlyArray<Ranked>): ReadonlyArray<Sentence> => {
  const [best] = ranked
  if (best === undefined) return []
  const chosen = [best.sentence]
  let sure = best.probability
  for (const { probability, sentence } of ranked.slice(1)) {
    if (chosen.length === SENTENCES_MAX || sure >= SURE || probability < SHARE_MIN * best.probability) break
    if (sentence.document !== best.sentence.document || repeats(chosen, sentence)) continue
    chosen.push(sentence)
    sure += probability
  }
  return chosen.toSorted((a, b) => a.place - b.place)
}

const repeats = (chosen: ReadonlyArray<Sentence>, { text }: Sentence): boolean =>
  chosen.some((other) => other.text.includes(text) || text.includes(other.text))

export type { Evidence }
