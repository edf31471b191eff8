import type { QueryPlan } from "./QueryPlan.ts"
import { postingOf, type Segment, timesAdjacent } from "./Segment.ts"
import { type Presence, similarityOf } from "./Similarity.ts"

/** BM25's saturation: how soon repetition of a word stops adding. */
export const K1 = 1.2
/** What words that stand side by side, as in the question, add: the share of what a word as rare as the rarer adds. */
const PHRASE_WEIGHT = 0.2

/** A close look at one candidate chunk after the other. */
export class Examination {
  readonly #plan: QueryPlan
  readonly #isOneWord: boolean
  readonly #information: ReadonlyArray<number>
  /** Of each term of the plan in the chunk, or -1. */
  readonly #postings: Int32Array
  /** 1 for each term of the plan that stands beside a neighbour. */
  readonly #joined: Uint8Array
  #segment: Segment | undefined

  /** @param isOneWord the question is but one word, which has no neighbour to stand beside */
  constructor(plan: QueryPlan, isOneWord: boolean) {
    this.#plan = plan
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
    let score = 0
    for (const { left, right, idf, times, isOfPairs } of this.#plan.phrases) {
      const found = isOfPairs ? 0 : this.#timesAdjacent(left, right)
      score += (PHRASE_WEIGHT * idf * times * (K1 + 1) * found) / (found + norm)
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
