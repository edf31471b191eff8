import type { LexicalMatch } from "./LexicalIndex.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"

/** A match with what its vector says. */
export interface Fused {
  readonly match: LexicalMatch
  /** Cosine; null when there is no vector to compare. */
  readonly vector: number | null
  readonly fused: number
}

/** The vectors of an unspaced script's texts are made of the same pairs of characters as their words. */
const SHARE_LOST_TO_PAIRS = 0.85

/** The weight of spelling vectors for this question, when `weight` is that for one of words. */
export const weightFor = (query: LexicalQuery, weight: number): number => {
  const pairs = query.filter((word) => word.isPair).length
  return query.length === 0 ? weight : weight * (1 - (SHARE_LOST_TO_PAIRS * pairs) / query.length)
}

/**
 * Orders matches by both scores, each from 0 for the lowest of all to 1 for the highest; the same as the database does
 * where it looks at the vectors (`ChunkRanking.ts`).
 *
 * @param weight share of the vector score, 0–1
 */
export const fuse = (
  matches: ReadonlyArray<LexicalMatch>,
  vectorOf: (match: LexicalMatch) => number | null,
  weight: number,
): ReadonlyArray<Fused> => {
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
