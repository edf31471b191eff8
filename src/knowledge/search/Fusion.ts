import type { LexicalMatch } from "./LexicalIndex.ts"
import { isShort, type LexicalQuery } from "./LexicalQuery.ts"

/** A match with its scores. */
interface FusedMatch {
  readonly match: LexicalMatch
  /** The cosine of the vectors of question and chunk; null when one of them is missing. */
  readonly vector: number | null
  /** The fused score, 0–1, by which matches are ordered. */
  readonly fused: number
}

/**
 * The share of the vector's weight that a question loses when all of its words are pairs of characters: the vectors of
 * texts in scripts without spaces are made of the same pairs, and say little that the words do not say.
 */
const SHARE_LOST_TO_PAIRS = 0.85

/**
 * The factor of the vector's weight in a question of one or two words, for which many passages have similar scores: the
 * pieces of words that the vectors are made of also find their inflections and compounds.
 */
const SHORT_FACTOR = 1.5

/**
 * The weight of vectors that express spelling for this question.
 *
 * @param weight the weight for a question of several words without pairs of characters, 0–1
 */
export const weightFor = (query: LexicalQuery, weight: number): number => {
  const pairs = query.filter((word) => word.isPair).length
  const full = isShort(query) ? SHORT_FACTOR * weight : weight
  return query.length === 0 ? weight : full * (1 - (SHARE_LOST_TO_PAIRS * pairs) / query.length)
}

/**
 * Orders matches by the weighted sum of their lexical and vector scores. Each kind of score is first scaled so that the
 * lowest of all matches has 0 and the highest 1. `ChunkRanking.ts` does the same in the database.
 *
 * @param vectorOf returns the vector score of a match, or null when it has none
 * @param weight the share of the vector score, 0–1
 */
export const fuse = (
  matches: ReadonlyArray<LexicalMatch>,
  vectorOf: (match: LexicalMatch) => number | null,
  weight: number,
): ReadonlyArray<FusedMatch> => {
  const vectors = matches.map(vectorOf)
  const lexical = scaled(matches.map((match) => match.score))
  const vector = scaled(vectors)
  return matches
    .map((match, index) => ({
      match,
      vector: vectors[index] ?? null,
      fused: (1 - weight) * (lexical[index] ?? 0) + weight * (vector[index] ?? 0),
    }))
    .sort((left, right) => right.fused - left.fused || (left.match.chunkId < right.match.chunkId ? -1 : 1))
}

const scaled = (scores: ReadonlyArray<number | null>): ReadonlyArray<number> => {
  const present = scores.filter((score) => score !== null)
  const lowest = Math.min(...present)
  const range = Math.max(...present) - lowest
  return scores.map((score) => (score === null ? 0 : range > 0 ? (score - lowest) / range : 1))
}
