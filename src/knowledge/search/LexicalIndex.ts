import type { ChunkId } from "../../domain/knowledge/Chunk.ts"
import type { Language, LanguageCount } from "../../language/Language.ts"
import { ChunkScorer } from "./ChunkScorer.ts"
import { isOfPairs, isOfSyllables, isShort, type LexicalQuery, type QueryWord } from "./LexicalQuery.ts"
import { type Collection, planQuery, type QueryPlan } from "./QueryPlan.ts"
import type { Term } from "../segments/Lexemes.ts"
import { chunkIdOf, rankOf, type Segment, type SegmentDocument } from "../segments/Segment.ts"
import { quantizedBytes } from "../segments/Quantized.ts"
import { cosine, type SparseVector } from "../segments/Sketch.ts"
import { compareAll } from "./NearestChunks.ts"
import { corrected } from "./Spelling.ts"
import { similarityAmong, similarityIn, similarityOfScoreIn } from "./Similarity.ts"
import { type Scored, TopScores } from "./TopScores.ts"
import { inWrittenForms } from "./WrittenForms.ts"
import { DEFAULT_WEIGHTS, type LexicalWeights, saturating } from "./Weights.ts"

/** A chunk that contains words of the question. */
export interface LexicalMatch {
  readonly chunkId: ChunkId
  /** The BM25 score with that of phrases. It is comparable within one search only. */
  readonly score: number
  /** The similarity of the chunk to the question, 0–1; see `Similarity.ts`. */
  readonly similarity: number
  /** The number of the chunk in the index, counted through all segments. */
  readonly place: number
}

/** The length normalisation of an index, with the count of its chunks. */
export interface Norms {
  /** BM25's length normalisation of each chunk; infinite for outdated chunks, so that they score nothing. */
  readonly norms: Float32Array
  /** The number of chunks that are not outdated. */
  readonly size: number
}

export interface LexicalIndexOptions {
  /** Whether a document is outdated: its segment still contains it, but no search may find it. */
  readonly isOutdated?: (document: SegmentDocument) => boolean
  /** The statistics of the whole collection, for segments that contain only a part of it. */
  readonly collection?: Collection
  /** Whether the segments contain every vector by the embedding model, so that the database need not compare any. */
  readonly hasVectors?: boolean
  readonly weights?: LexicalWeights
}

/** The least number of candidates, found by single words, that are searched for phrases. */
const LEAST_CANDIDATES = 50
/** The number of such candidates for each result. */
const CANDIDATES_PER_RESULT = 2

/** A BM25 index in memory over segments. A match need not contain all terms of a question: their scores are summed. */
export class LexicalIndex {
  readonly segments: ReadonlyArray<Segment>
  /** The number of chunks in each language. Those that are outdated count, too. */
  readonly languages: ReadonlyArray<LanguageCount>
  /** The number of chunks that are not outdated. */
  readonly size: number
  readonly bytes: number
  /** Whether the index contains the sketches that `cosine` needs. */
  readonly isSketched: boolean
  readonly norms: Norms
  private readonly isComplete: boolean
  private readonly collection: Collection
  private readonly weights: LexicalWeights
  private readonly similarityOf: ReturnType<typeof similarityIn>
  private readonly similarityOfScore: (words: QueryPlan["words"]) => ReturnType<typeof similarityOfScoreIn>
  /** The place of the first chunk of each segment. */
  private readonly bases: ReadonlyArray<number>
  /** The scores of the chunks during a search; all 0 between searches. */
  private readonly scores: Float32Array
  /** The places of the chunks that have a score, in the order in which they got it. */
  private readonly touched: Uint32Array

  constructor(segments: ReadonlyArray<Segment>, options: LexicalIndexOptions = {}) {
    const weights = options.weights ?? DEFAULT_WEIGHTS
    this.norms = normsOf(segments, options, weights)
    const { norms, size } = this.norms
    this.weights = weights
    this.segments = segments
    this.languages = languagesOf(segments)
    this.size = size
    this.isSketched = segments.every((segment) => segment.sketchBytes > 0 || segment.size === 0)
    this.isComplete = options.hasVectors ?? false
    this.collection = options.collection ?? { chunks: size }
    this.similarityOf = similarityIn(this.collection.chunks)
    this.similarityOfScore = (words) => similarityOfScoreIn(words, this.collection.chunks)
    this.bases = basesOf(segments)

    this.scores = new Float32Array(norms.length)
    this.touched = new Uint32Array(norms.length)
    this.bytes = segments.reduce((sum, segment) => sum + segment.bytes, 3 * norms.byteLength)
  }

  /** Whether any chunk contains a term. */
  holds(term: Term): boolean {
    return this.segments.some((segment) => rankOf(segment, term) >= 0)
  }

  /** The question with the other forms in which chunks write its words. */
  inWrittenForms(query: LexicalQuery): LexicalQuery {
    return inWrittenForms(query, this.segments)
  }

  /**
   * Returns the words of a question without an alternative that no chunk contains, nor a word of which they may be a
   * misspelling. Where the index has only a part of the chunks, these are words that the other chunks lack as well.
   */
  missing(query: LexicalQuery): LexicalQuery {
    const isMissing = (word: QueryWord): boolean =>
      word.alternatives === undefined &&
      word.droppedShare === 0 &&
      (this.collection.chunkFrequency?.(word) ?? 0) === 0 &&
      !word.stems.flat().some((term) => this.holds(term))
    // Each word is a query of its own, because a query has only some of its misspelled words corrected.
    return query.filter((word) => isMissing(word) && corrected([word], isMissing, this.segments)[0] === word)
  }

  /** Returns the matches with the highest scores, best first. */
  search(query: LexicalQuery, limit: number): ReadonlyArray<LexicalMatch> {
    const plan = planQuery(query, this.segments, this.collection, this.weights)
    const candidates = this.candidates(plan, isShort(query), Math.max(LEAST_CANDIDATES, CANDIDATES_PER_RESULT * limit))
    const scorer = new ChunkScorer(plan, query.length === 1, this.similarityOf, this.weights)
    const similarityOf = this.similarityBy(query, plan, scorer)
    const matches: Array<Omit<LexicalMatch, "chunkId">> = []
    for (const { index: place, score } of candidates) {
      const { number, segment, chunk } = this.locate(place)
      if (segment === undefined) continue
      const whole = score + scorer.moveTo(segment, number, chunk, this.norms.norms[place] ?? 0)
      matches.push({ score: whole, similarity: similarityOf(whole), place })
    }
    const highest = matches.reduce((most, { similarity }) => Math.max(most, similarity), 0)
    // Only the results get ids: making them for all candidates would take as long as the search itself.
    return matches
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .flatMap(({ place, score, similarity }) => {
        const { chunk, segment } = this.locate(place)
        if (segment === undefined) return []
        return { chunkId: chunkIdOf(segment, chunk), score, similarity: similarityAmong(similarity, highest), place }
      })
  }

  /**
   * Returns the similarity of the scorer's current chunk. Most chunks hold many of the pieces that words of a script without
   * spaces are, so that coverage says little: there it is that of the score, or of the score of the question's core where
   * that is higher. A word of two syllables is there by chance when both are, so that the chances of both multiply.
   */
  private similarityBy(query: LexicalQuery, { words }: QueryPlan, scorer: ChunkScorer): (score: number) => number {
    if (isOfPairs(query)) {
      const [ofWhole, ofCore] = [this.similarityOfScore(words), this.similarityOfScore(scorer.coreWords)]
      return (score) => Math.max(ofWhole(score), ofCore(scorer.scoreOfCore))
    }
    return isOfSyllables(query) ? () => scorer.similarity ** 2 : () => scorer.similarity
  }

  /** The approximate cosine of a vector and that of a match; null when the index does not contain the latter. */
  cosine(vector: SparseVector, { place }: LexicalMatch): number | null {
    const { segment, chunk } = this.locate(place)
    if (segment === undefined || segment.sketchBytes === 0) return null
    const from = chunk * segment.sketchBytes
    return segment.sketches[from] === 0 ? null : cosine(vector, segment.sketches, from, segment.sketchBytes)
  }

  /** Whether `nearest` finds the same chunks for a vector of so many dimensions as the database does. */
  hasVectors(dimensions: number): boolean {
    const bytes = quantizedBytes(dimensions)
    return this.isComplete && this.segments.every(({ vectorBytes }) => vectorBytes === 0 || vectorBytes === bytes)
  }

  /** Compares a vector with those of all chunks: the cosines of these matches by id, and of the nearest chunks. */
  nearest(vector: Float32Array, matches: ReadonlyArray<LexicalMatch>, limit: number): ReadonlyMap<ChunkId, number> {
    const { cosines, nearest } = compareAll(
      this.segments,
      vector,
      limit,
      (place) => this.norms.norms[place] !== Infinity,
    )
    const found = new Map<ChunkId, number>()
    for (const { index, score } of nearest) {
      const { chunk, segment } = this.locate(index)
      if (segment !== undefined) found.set(chunkIdOf(segment, chunk), score)
    }
    for (const { chunkId, place } of matches) {
      const cosine = cosines[place] ?? -Infinity
      if (cosine > -Infinity) found.set(chunkId, cosine)
    }
    return found
  }

  private locate(place: number) {
    let number = this.bases.length - 1
    while (number > 0 && (this.bases[number] ?? 0) > place) number--
    return { number, segment: this.segments[number], chunk: place - (this.bases[number] ?? 0) }
  }

  /** Finds the chunks with the highest sums of the scores of single terms. */
  private candidates(plan: QueryPlan, isShort: boolean, count: number): ReadonlyArray<Scored> {
    const { k1, earlySaturation } = this.weights
    const scores = this.scores
    const touched = this.touched
    const { norms } = this.norms
    let touches = 0
    const add = (index: number, weight: number, frequency: number, saturation: number): void => {
      const gain = saturating(weight, frequency, saturation * (norms[index] ?? 0))
      if (gain === 0) return
      const score = scores[index] ?? 0
      if (score === 0) touched[touches++] = index
      scores[index] = score + gain
    }
    for (const { ranks, idf, times, isPair } of plan.terms) {
      // A word that occurs twice in the question counts more than once, but less than two different words.
      const weight = idf * Math.sqrt(times) * (k1 + 1)
      const saturation = isShort || isPair ? earlySaturation : 1
      for (let number = 0; number < ranks.length; number++) {
        const rank = ranks[number] ?? -1
        const segment = this.segments[number]
        if (rank < 0 || segment === undefined) continue
        const { chunks, frequencies, offsets } = segment
        const base = this.bases[number] ?? 0
        const end = offsets[rank + 1] ?? 0
        for (let posting = offsets[rank] ?? 0; posting < end; posting++) {
          add(base + (chunks[posting] ?? 0), weight, frequencies[posting] ?? 0, saturation)
        }
      }
    }
    for (const { idf, times } of plan.substitutes) {
      for (const [number, chunks] of times.entries()) {
        const base = this.bases[number] ?? 0
        for (const [chunk, frequency] of chunks)
          add(base + chunk, idf * (k1 + 1), frequency, isShort ? earlySaturation : 1)
      }
    }
    const best = new TopScores(count)
    // Comparing here saves a call for nearly all chunks.
    let least = best.least
    for (let touch = 0; touch < touches; touch++) {
      const index = touched[touch] ?? 0
      const score = scores[index] ?? 0
      scores[index] = 0
      if (score <= least) continue
      best.offer(index, score)
      least = best.least
    }
    return best.descending()
  }
}

const languagesOf = (segments: ReadonlyArray<Segment>): ReadonlyArray<LanguageCount> => {
  const counts = new Map<Language, number>()
  for (const { languages } of segments) {
    for (const [language, chunks] of languages) counts.set(language, (counts.get(language) ?? 0) + chunks)
  }
  return Array.from(counts, ([language, texts]) => ({ language, texts }))
}

const basesOf = (segments: ReadonlyArray<Segment>): ReadonlyArray<number> => {
  let next = 0
  return segments.map((segment) => {
    const base = next
    next += segment.size
    return base
  })
}

/** Computes BM25's length normalisation of each chunk: a number in the divisor, larger for longer chunks. */
const normsOf = (
  segments: ReadonlyArray<Segment>,
  { isOutdated = () => false, collection }: LexicalIndexOptions,
  { k1, b }: LexicalWeights,
): Norms => {
  const norms = new Float32Array(segments.reduce((sum, segment) => sum + segment.size, 0))
  let [index, size, total] = [0, 0, 0]
  for (const segment of segments) {
    const outdated = segment.documents.map(isOutdated)
    for (let chunk = 0; chunk < segment.lengths.length; chunk++, index++) {
      const length = segment.lengths[chunk] ?? 0
      const isCurrent = outdated[segment.documentOf[chunk] ?? 0] !== true
      norms[index] = isCurrent ? length : Infinity
      if (!isCurrent) continue
      size += 1
      total += length
    }
  }
  const average = collection?.averageLength ?? (total / size || 1)
  for (let each = 0; each < norms.length; each++) norms[each] = k1 * (1 - b + (b * (norms[each] ?? 0)) / average)
  return { norms, size }
}
