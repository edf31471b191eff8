import type { ChunkId } from "../../domain/knowledge/Chunk.ts"
import { isShort, type LexicalQuery } from "./LexicalQuery.ts"

/** A chunk that was found by its words, by its vector, or by both. */
export interface Candidate {
  readonly chunkId: ChunkId
  /** The score of the search by words; 0 when only its vector was found. */
  readonly lexical: number
  /** The similarity of its words to the question, 0–1. */
  readonly similarity: number
  /** The cosine of the vectors of question and chunk; null when one of them is missing. */
  readonly vector: number | null
}

/** A candidate with its fused score, 0–1. */
export interface FusedCandidate extends Candidate {
  readonly fused: number
}

/**
 * Orders candidates by the weighted sum of their lexical and vector scores. Each kind of score is first scaled so that
 * the lowest of all candidates has 0 and the highest 1.
 *
 * @param weight the share of the vector score, 0–1
 */
export const fuse = (candidates: ReadonlyArray<Candidate>, weight: number): ReadonlyArray<FusedCandidate> => {
  const lexical = scaled(candidates.map((candidate) => candidate.lexical))
  const vector = scaled(candidates.map((candidate) => candidate.vector))
  return candidates
    .map((candidate, index) => ({
      ...candidate,
      fused: (1 - weight) * (lexical[index] ?? 0) + weight * (vector[index] ?? 0),
    }))
    .sort((left, right) => right.fused - left.fused || (left.chunkId < right.chunkId ? -1 : 1))
}

const scaled = (scores: ReadonlyArray<number | null>): ReadonlyArray<number> => {
  const present = scores.filter((score) => score !== null)
  const lowest = Math.min(...present)
  const range = Math.max(...present) - lowest
  return scores.map((score) => (score === null ? 0 : range > 0 ? (score - lowest) / range : 1))
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
export const spellingWeight = (query: LexicalQuery, weight: number): number => {
  const pairs = query.filter((word) => word.isPair).length
  const full = isShort(query) ? SHORT_FACTOR * weight : weight
  return query.length === 0 ? weight : full * (1 - (SHARE_LOST_TO_PAIRS * pairs) / query.length)
}

/*
 * How far words and vectors that express meaning can be trusted for a question. Nobody knows a model's quality
 * beforehand: a bad model, or one that does not speak the language of the documents, must not spoil what words find, and
 * words that mean nothing must not spoil what a good model finds. Three things show it, which all come with the
 * candidates:
 *
 * - Agreement: the correlation of the scores of the candidates that words have found with their cosines. A useless
 *   model has none, but for chance.
 * - Lead: whether the nearest chunk is much nearer than the next ones, while chance makes gradual differences.
 * - The best similarity of the words: when the candidates share next to nothing with the question, words say nothing.
 *
 * The constants were fitted on ten known geometries of vectors over nine pairs of questions and passages.
 */

/** The correlation that chance often reaches, and the one that is full agreement. */
const AGREEMENT = { none: 0.1, full: 0.5 }
/** Fewer candidates of words than this have no correlation that means anything, and count as agreement. */
const LEAST_CORRELATED = 5
/** The number of nearest chunks by which the first one is measured. */
const NEIGHBOURS = 30
/** The lead of the first neighbour over the last one, by that of the neighbour at a third: by chance, and clearly. */
const LEAD = { none: 3.5, full: 7.5 }
/** Bonus on the weight of vector scores, as a multiple of it, when the nearest chunk leads clearly. */
const CLEAR_LEAD_BONUS = 1.25
/** The trust in vectors that say nothing. It is not 0, so that they still order chunks which words cannot order. */
const LEAST_TRUST_IN_VECTORS = 0.02
/** The trust in words that say nothing, and the similarity from which on they are trusted fully. */
const LEAST_TRUST_IN_WORDS = 0.04
const TRUSTED_SIMILARITY = 0.07

/**
 * The weight of vectors that express meaning for the question that has these candidates.
 *
 * @param weight the weight where both words and vectors can be trusted, 0–1
 */
export const meaningWeight = (candidates: ReadonlyArray<Candidate>, weight: number): number => {
  const lead = leadOf(candidates)
  const best = candidates.reduce((most, { similarity }) => Math.max(most, similarity), 0)
  const vectors =
    weight * (1 + CLEAR_LEAD_BONUS * lead) * Math.max(agreementOf(candidates), lead, LEAST_TRUST_IN_VECTORS)
  const words = (1 - weight) * Math.max(LEAST_TRUST_IN_WORDS, Math.min(1, best / TRUSTED_SIMILARITY))
  return vectors / (vectors + words)
}

/** The place of a value between two others, 0–1. */
const placeIn = (value: number, { none, full }: typeof AGREEMENT): number =>
  Math.max(0, Math.min(1, (value - none) / (full - none)))

const agreementOf = (candidates: ReadonlyArray<Candidate>): number => {
  const pairs = candidates.flatMap(({ lexical, vector }) => (lexical > 0 && vector !== null ? { lexical, vector } : []))
  if (pairs.length < LEAST_CORRELATED) return 1
  const lexicalMean = pairs.reduce((sum, { lexical }) => sum + lexical, 0) / pairs.length
  const vectorMean = pairs.reduce((sum, { vector }) => sum + vector, 0) / pairs.length
  let [both, ofLexical, ofVector] = [0, 0, 0]
  for (const { lexical, vector } of pairs) {
    both += (lexical - lexicalMean) * (vector - vectorMean)
    ofLexical += (lexical - lexicalMean) ** 2
    ofVector += (vector - vectorMean) ** 2
  }
  return placeIn(ofLexical * ofVector > 0 ? both / Math.sqrt(ofLexical * ofVector) : 0, AGREEMENT)
}

const leadOf = (candidates: ReadonlyArray<Candidate>): number => {
  const near = candidates
    .flatMap(({ vector }) => vector ?? [])
    .sort((left, right) => right - left)
    .slice(0, NEIGHBOURS)
  const last = near.at(-1) ?? 0
  const third = (near[Math.ceil(near.length / 3) - 1] ?? 0) - last
  return third > 0 ? placeIn(((near[0] ?? 0) - last) / third, LEAD) : 0
}
