import type { ChunkId } from "../../domain/Chunk.ts"
import type { Language } from "../../text/Language.ts"
import { Examination } from "./Examination.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import { type Collection, planQuery, type QueryPlan } from "./QueryPlan.ts"
import { chunkIdOf, type Segment, type SegmentDocument } from "../segments/Segment.ts"
import { cosine, type SparseVector } from "../segments/Sketch.ts"
import { type Scored, TopScores } from "./TopScores.ts"
import { defaultWeights, type LexicalWeights } from "./Weights.ts"

/** A chunk that holds words of the question. */
export interface LexicalMatch {
  readonly chunkId: ChunkId
  /** BM25 with phrases; comparable within one search only. */
  readonly score: number
  /** 0–1, see `Similarity.ts`. */
  readonly similarity: number
  /** Where the index has the chunk. */
  readonly place: number
}

/** What divides the frequencies of the chunks of all segments; infinite for those that are gone. */
export interface Norms {
  readonly norms: Float32Array
  /** Chunks that can be found. */
  readonly size: number
}

export interface LexicalIndexOptions {
  /** Documents that no longer count, though their segments still hold them. */
  readonly isGone?: (document: SegmentDocument) => boolean
  /** When the segments hold only a part of what is searched. */
  readonly collection?: Collection
  readonly weights?: LexicalWeights
  /** Of an index over the same segments before. */
  readonly norms?: Norms
}

/** Candidates by words alone that are looked through for phrases, at least and for each result asked for. */
const LEAST_CANDIDATES = 50
const CANDIDATES_PER_RESULT = 2

/** BM25 over segments, in memory. The terms of a question are never required, only summed. */
export class LexicalIndex {
  readonly segments: ReadonlyArray<Segment>
  readonly languages: ReadonlyArray<Language>
  /** Chunks that can be found. */
  readonly size: number
  readonly bytes: number
  /** Whether it holds what `cosine` compares. */
  readonly isSketched: boolean
  readonly norms: Norms
  private readonly collection: Collection
  private readonly weights: LexicalWeights
  /** First chunk of each segment when all are numbered through. */
  private readonly bases: ReadonlyArray<number>
  /** BM25's length normalisation of each chunk; infinite when it is gone, so that it scores nothing. */
  private readonly lengthNorms: Float32Array
  /** Of a search that is running; 0 between searches. */
  private readonly scores: Float32Array
  private readonly touched: Uint32Array

  constructor(segments: ReadonlyArray<Segment>, options: LexicalIndexOptions = {}) {
    const weights = options.weights ?? defaultWeights
    this.norms = options.norms ?? normsOf(segments, options, weights)
    const { norms, size } = this.norms
    this.weights = weights
    this.segments = segments
    this.languages = Array.from(new Set(segments.flatMap((segment) => Array.from(segment.languages)))).sort()
    this.size = size
    this.isSketched = segments.every((segment) => segment.sketchBytes > 0 || segment.size === 0)
    this.collection = options.collection ?? { chunks: size }
    this.bases = basesOf(segments)
    this.lengthNorms = norms
    this.scores = new Float32Array(norms.length)
    this.touched = new Uint32Array(norms.length)
    this.bytes = segments.reduce((sum, segment) => sum + segment.bytes, 3 * norms.byteLength)
  }

  /** The best matches, best first. */
  search(query: LexicalQuery, limit: number): ReadonlyArray<LexicalMatch> {
    const plan = planQuery(query, this.segments, this.collection, this.weights)
    const candidates = this.candidates(plan, Math.max(LEAST_CANDIDATES, CANDIDATES_PER_RESULT * limit))
    const examination = new Examination(plan, query.length === 1, this.collection.chunks, this.weights)
    const matches: Array<Omit<LexicalMatch, "chunkId">> = []
    for (const { index: place, score } of candidates) {
      const { number, segment, chunk } = this.locate(place)
      if (segment === undefined) continue
      const phrases = examination.begin(segment, number, chunk, this.lengthNorms[place] ?? 0)
      matches.push({ score: score + phrases, similarity: examination.similarity, place })
    }
    // Ids are made of those that are left, since it takes as long as looking for the matches to make them of all.
    return matches
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .flatMap(({ place, score, similarity }) => {
        const { chunk, segment } = this.locate(place)
        return segment === undefined ? [] : [{ chunkId: chunkIdOf(segment, chunk), score, similarity, place }]
      })
  }

  /** The cosine of the vector and that of the match's chunk, about; null when the index does not hold it. */
  cosine(vector: SparseVector, { place }: LexicalMatch): number | null {
    const { segment, chunk } = this.locate(place)
    if (segment === undefined || segment.sketchBytes === 0) return null
    const from = chunk * segment.sketchBytes
    return segment.sketches[from] === 0 ? null : cosine(vector, segment.sketches, from, segment.sketchBytes)
  }

  private locate(place: number) {
    let number = this.bases.length - 1
    while (number > 0 && (this.bases[number] ?? 0) > place) number--
    return { number, segment: this.segments[number], chunk: place - (this.bases[number] ?? 0) }
  }

  /** Sums the scores of the terms over their postings, and keeps the best chunks. */
  private candidates(plan: QueryPlan, count: number): ReadonlyArray<Scored> {
    const { k1, pairSaturation } = this.weights
    const scores = this.scores
    const touched = this.touched
    const norms = this.lengthNorms
    let touches = 0
    for (const { ranks, idf, times, isPair } of plan.terms) {
      // A word that the question repeats counts more, but not as much as two words.
      const weight = idf * Math.sqrt(times) * (k1 + 1)
      const saturation = isPair ? pairSaturation : 1
      for (let number = 0; number < ranks.length; number++) {
        const rank = ranks[number] ?? -1
        const segment = this.segments[number]
        if (rank < 0 || segment === undefined) continue
        const { chunks, frequencies, offsets } = segment
        const base = this.bases[number] ?? 0
        const end = offsets[rank + 1] ?? 0
        for (let posting = offsets[rank] ?? 0; posting < end; posting++) {
          const index = base + (chunks[posting] ?? 0)
          const frequency = frequencies[posting] ?? 0
          const gain = (weight * frequency) / (frequency + saturation * (norms[index] ?? 0))
          if (gain === 0) continue
          const score = scores[index] ?? 0
          if (score === 0) touched[touches++] = index
          scores[index] = score + gain
        }
      }
    }
    const best = new TopScores(count)
    // Nearly all are less: they are not worth a call.
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

const basesOf = (segments: ReadonlyArray<Segment>): ReadonlyArray<number> => {
  let next = 0
  return segments.map((segment) => {
    const base = next
    next += segment.size
    return base
  })
}

/** What divides the frequencies of each chunk: more in longer chunks. */
const normsOf = (
  segments: ReadonlyArray<Segment>,
  { isGone = () => false, collection }: LexicalIndexOptions,
  { k1, b }: LexicalWeights,
): Norms => {
  const norms = new Float32Array(segments.reduce((sum, segment) => sum + segment.size, 0))
  let [index, size, total] = [0, 0, 0]
  for (const segment of segments) {
    const gone = segment.documents.map(isGone)
    for (let chunk = 0; chunk < segment.lengths.length; chunk++, index++) {
      const length = segment.lengths[chunk] ?? 0
      const isPresent = gone[segment.documentOf[chunk] ?? 0] !== true
      norms[index] = isPresent ? length : Infinity
      if (!isPresent) continue
      size += 1
      total += length
    }
  }
  const average = collection?.averageLength ?? (total / size || 1)
  for (let each = 0; each < norms.length; each++) norms[each] = k1 * (1 - b + (b * (norms[each] ?? 0)) / average)
  return { norms, size }
}
