import type { QueryPlan } from "./QueryPlan.ts"
import { postingOf, type Segment, timesAdjacent } from "./Segment.ts"
import { type Presence, similarityOf } from "./Similarity.ts"
import type { LexicalWeights } from "./Weights.ts"

/** A close look at one candidate chunk after the other. */
export class Examination {
  readonly #plan: QueryPlan
  readonly #weights: LexicalWeights
  readonly #isOneWord: boolean
  readonly #information: ReadonlyArray<number>
  /** Of each term of the plan in the chunk, or -1. */
  readonly #postings: Int32Array
  /** 1 for each term of the plan that stands beside a neighbour. */
  readonly #joined: Uint8Array
  #segment: Segment | undefined

  /** @param isOneWord the question is but one word, which has no neighbour to stand beside */
  constructor(plan: QueryPlan, isOneWord: boolean, weights: LexicalWeights) {
    this.#plan = plan
    this.#weights = weights
    this.#isOneWord = isOneWord
    this.#information = plan.words.map((word) => word.information)
    this.#postings = new Int32Array(plan.terms.length)
    this.#joined = new Uint8Array(plan.terms.length)
  }

  /** Turns to a chunk of the segment, which is the plan's segment of this number. */
  begin(segment: Segment, number: number, chunk: number): void {
    this.#segment = segment
    this.#joined.fill(0)
    let index = 0
    for (const { ranks } of this.#plan.terms) {
      this.#postings[index++] = postingOf(segment, ranks[number] ?? -1, chunk)
    }
    for (const { left, right } of this.#plan.phrases) {
      // In either order they are about the same thing.
      if (this.#timesAdjacent(left, right) + this.#timesAdjacent(right, left) > 0) {
        this.#joined[left] = 1
        this.#joined[right] = 1
      }
    }
  }

  /** @param norm BM25's length normalisation of the chunk */
  phraseScore(norm: number): number {
    const { k1, phrase, reversed } = this.#weights
    let score = 0
    for (const { left, right, idf, times, isOfPairs } of this.#plan.phrases) {
      if (isOfPairs) continue
      const found = this.#timesAdjacent(left, right) + reversed * this.#timesAdjacent(right, left)
      score += (phrase * idf * times * (k1 + 1) * found) / (found + norm)
    }
    return score
  }

  /** @param chunks in the collection */
  similarity(chunks: number): number {
    return similarityOf(this.#information, (word) => this.#presenceOf(word), chunks)
  }

  #presenceOf(word: number): Presence {
    let isFound = false
    for (const term of this.#plan.words[word]?.terms ?? []) {
      if (this.#joined[term] === 1) return "beside a neighbour"
      if ((this.#postings[term] ?? -1) >= 0) isFound = true
    }
    if (!isFound) return "absent"
    return this.#isOneWord ? "beside a neighbour" : "scattered"
  }

  #timesAdjacent(left: number, right: number): number {
    const leftPosting = this.#postings[left] ?? -1
    const rightPosting = this.#postings[right] ?? -1
    return this.#segment === undefined || leftPosting < 0 || rightPosting < 0
      ? 0
      : timesAdjacent(this.#segment, leftPosting, rightPosting)
  }
}
