import type { ChunkId } from "../domain/Chunk.ts"
import type { Language } from "../domain/Language.ts"
import type { Term } from "./Lexemes.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import { type Phrase, phrasesOf, timesAdjacent } from "./Phrases.ts"
import { postingOf, rankOf, type Segment, type SegmentDocument } from "./Segment.ts"
import { informationOf, inverseDocumentFrequency, similarityOf, type WordEvidence } from "./Similarity.ts"
import { TopScores } from "./TopScores.ts"

/** A chunk that holds words of the question. */
export interface LexicalMatch {
  readonly chunkId: ChunkId
  /** BM25 with phrases; comparable within one search only. */
  readonly score: number
  /** 0–1, see `Similarity.ts`. */
  readonly similarity: number
}

export interface LexicalIndexOptions {
  /** Documents that no longer count, though their segments still hold them. */
  readonly isGone?: (document: SegmentDocument) => boolean
  /** When the segments hold only a part of a collection: its size, and how many of its chunks hold a term. */
  readonly collection?: { readonly chunks: number; readonly holding: (term: Term) => number }
}

const K1 = 1.2
const B = 0.75
/** Pairs of characters saturate sooner than words, since one pair is a part of many words. */
const PAIR_SATURATION = 0.75
/** What words that stand side by side, as in the question, add: the share of what a word as rare as the rarer adds. */
const PHRASE_WEIGHT = 0.2
/** Candidates by words alone that are looked through for phrases, at least and for each result asked for. */
const LEAST_CANDIDATES = 100
const CANDIDATES_PER_RESULT = 2

/** A term of the question, with where it stands in each segment. */
interface QueryTerm {
  readonly ranks: ReadonlyArray<number>
  readonly holding: number
  readonly idf: number
  readonly times: number
  /** Times BM25's length normalisation. */
  readonly saturation: number
}

/** BM25 over segments, in memory. The terms of a question are never required, only summed. */
export class LexicalIndex {
  readonly segments: ReadonlyArray<Segment>
  readonly languages: ReadonlyArray<Language>
  /** Chunks that can be found. */
  readonly size: number
  readonly bytes: number
  readonly #chunks: number
  readonly #holding: ((term: Term) => number) | undefined
  /** First chunk of each segment when all are numbered through. */
  readonly #bases: ReadonlyArray<number>
  /** BM25's length normalisation of each chunk; infinite when it is gone, so that it scores nothing. */
  readonly #norms: Float32Array
  readonly #scores: Float32Array
  readonly #touched: Uint32Array

  constructor(segments: ReadonlyArray<Segment>, options: LexicalIndexOptions = {}) {
    this.segments = segments
    this.languages = Array.from(new Set(segments.flatMap((segment) => Array.from(segment.languages)))).sort()
    const bases: Array<number> = []
    let total = 0
    for (const segment of segments) {
      bases.push(total)
      total += segment.chunkIds.length
    }
    this.#bases = bases
    this.#norms = new Float32Array(total)
    this.#scores = new Float32Array(total)
    this.#touched = new Uint32Array(total)
    let size = 0
    let length = 0
    const each = (visit: (segment: Segment, chunk: number, index: number) => void): void => {
      for (const [number, segment] of segments.entries()) {
        const lost = segment.documents.map((document) => options.isGone?.(document) === true)
        for (let chunk = 0; chunk < segment.chunkIds.length; chunk++) {
          const index = (bases[number] ?? 0) + chunk
          if (lost[segment.documentOf[chunk] ?? 0] === true) this.#norms[index] = Infinity
          else visit(segment, chunk, index)
        }
      }
    }
    each((segment, chunk) => {
      size += 1
      length += segment.lengths[chunk] ?? 0
    })
    const averageLength = length / size || 1
    each((segment, chunk, index) => {
      this.#norms[index] = K1 * (1 - B + (B * (segment.lengths[chunk] ?? 0)) / averageLength)
    })
    this.size = size
    this.#chunks = options.collection?.chunks ?? size
    this.#holding = options.collection?.holding
    this.bytes = segments.reduce((sum, segment) => sum + segment.bytes, 3 * this.#norms.byteLength)
  }

  /** The best matches, best first. */
  search(query: LexicalQuery, limit: number): ReadonlyArray<LexicalMatch> {
    const terms = this.#termsOf(query)
    const phrases = phrasesOf(query).filter(({ left, right }) => terms.has(left) && terms.has(right))
    const words = this.#contentOf(query, terms)
    return this.#candidates(terms, Math.max(LEAST_CANDIDATES, CANDIDATES_PER_RESULT * limit))
      .map(({ index, score }) => {
        const number = this.#bases.findLastIndex((base) => base <= index)
        const segment = this.segments[number]!
        const chunk = index - this.#bases[number]!
        const postings = new Map<Term, number>()
        for (const [term, { ranks }] of terms) {
          const posting = postingOf(segment, ranks[number] ?? -1, chunk)
          if (posting >= 0) postings.set(term, posting)
        }
        const found = this.#findPhrases(phrases, terms, postings, segment, this.#norms[index]!)
        return {
          chunkId: segment.chunkIds[chunk]!,
          score: score + found.score,
          similarity: similarityOf(
            words.map((word) => ({ information: word.information, found: word.findIn(postings, found.joined) })),
            this.#chunks,
          ),
        }
      })
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
  }

  /** The terms that some chunk holds. */
  #termsOf(query: LexicalQuery): ReadonlyMap<Term, QueryTerm> {
    const terms = new Map<Term, QueryTerm>()
    for (const [term, { times, isPair }] of countTerms(query)) {
      const ranks = this.segments.map((segment) => rankOf(segment, term))
      const held = this.segments.reduce((sum, segment, number) => sum + postingsOf(segment, ranks[number] ?? -1), 0)
      if (held === 0) continue
      // Documents that are gone still count here until their segment is built anew, so it could exceed the whole.
      const holding = Math.min(this.#holding?.(term) ?? held, this.#chunks)
      const idf = inverseDocumentFrequency(holding, this.#chunks)
      terms.set(term, { ranks, holding, idf, times, saturation: isPair ? PAIR_SATURATION : 1 })
    }
    return terms
  }

  /** Sums the scores of the terms over their postings, and keeps the best chunks. */
  #candidates(terms: ReadonlyMap<Term, QueryTerm>, count: number): ReadonlyArray<{ index: number; score: number }> {
    const scores = this.#scores
    const touched = this.#touched
    const norms = this.#norms
    let touches = 0
    for (const { ranks, idf, times, saturation } of terms.values()) {
      const weight = idf * times * (K1 + 1)
      for (const [number, segment] of this.segments.entries()) {
        const rank = ranks[number] ?? -1
        if (rank < 0) continue
        const base = this.#bases[number]!
        const { chunks, frequencies } = segment
        const end = segment.offsets[rank + 1]!
        for (let posting = segment.offsets[rank]!; posting < end; posting++) {
          const index = base + chunks[posting]!
          const frequency = frequencies[posting]!
          const gain = (weight * frequency) / (frequency + saturation * norms[index]!)
          if (gain === 0) continue
          if (scores[index] === 0) touched[touches++] = index
          scores[index]! += gain
        }
      }
    }
    const best = new TopScores(count)
    for (let touch = 0; touch < touches; touch++) {
      const index = touched[touch]!
      best.offer(index, scores[index]!)
      scores[index] = 0
    }
    return best.descending()
  }

  /** The distinct words whose presence or absence in a chunk tells something. */
  #contentOf(query: LexicalQuery, terms: ReadonlyMap<Term, QueryTerm>) {
    const words = new Map(query.filter((word) => word.isContent).map((word) => [word.terms.join(), word]))
    return Array.from(words.values(), (word) => {
      const holding = Math.max(...word.terms.map((term) => terms.get(term)?.holding ?? 0))
      return {
        information: informationOf(word, holding, this.#chunks),
        findIn: (found: ReadonlyMap<Term, number>, joined: ReadonlySet<Term>): WordEvidence["found"] => {
          if (!word.terms.some((term) => found.has(term))) return "not at all"
          // A word that is alone in the question has no neighbour to stand beside.
          return query.length === 1 || word.terms.some((term) => joined.has(term)) ? "beside a neighbour" : "scattered"
        },
      }
    })
  }

  #findPhrases(
    phrases: ReadonlyArray<Phrase>,
    terms: ReadonlyMap<Term, QueryTerm>,
    postings: ReadonlyMap<Term, number>,
    segment: Segment,
    norm: number,
  ): { readonly score: number; readonly joined: ReadonlySet<Term> } {
    let score = 0
    const joined = new Set<Term>()
    for (const { left, right, times, isOfPairs } of phrases) {
      const leftPosting = postings.get(left)
      const rightPosting = postings.get(right)
      if (leftPosting === undefined || rightPosting === undefined) continue
      const found = timesAdjacent(segment, leftPosting, rightPosting)
      // In either order they are about the same thing; only in this order are they the phrase.
      if (found > 0 || timesAdjacent(segment, rightPosting, leftPosting) > 0) joined.add(left).add(right)
      if (isOfPairs) continue
      // The phrase is at least as rare as its rarer word.
      const idf = Math.max(terms.get(left)?.idf ?? 0, terms.get(right)?.idf ?? 0)
      score += (PHRASE_WEIGHT * idf * times * (K1 + 1) * found) / (found + norm)
    }
    return { score, joined }
  }
}

const countTerms = (query: LexicalQuery): ReadonlyMap<Term, { readonly times: number; readonly isPair: boolean }> => {
  const counted = new Map<Term, { times: number; isPair: boolean }>()
  for (const { terms, isPair } of query) {
    for (const term of terms) counted.set(term, { times: (counted.get(term)?.times ?? 0) + 1, isPair })
  }
  return counted
}

const postingsOf = (segment: Segment, rank: number): number =>
  rank < 0 ? 0 : segment.offsets[rank + 1]! - segment.offsets[rank]!
