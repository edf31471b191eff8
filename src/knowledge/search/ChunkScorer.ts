import type { PlannedWord, QueryPlan } from "./QueryPlan.ts"
import { postingOf, type Segment, timesAdjacent } from "../segments/Segment.ts"
import type { similarityIn, WordPresence } from "./Similarity.ts"
import { type LexicalWeights, saturating } from "./Weights.ts"

/** Scores the phrases of candidate chunks, and their similarity to the question. It looks at one chunk at a time. */
export class ChunkScorer {
  private readonly plan: QueryPlan
  private readonly weights: LexicalWeights
  private readonly isOneWord: boolean
  private readonly similarityOf: ReturnType<typeof similarityIn>
  private readonly information: ReadonlyArray<number>
  /** The words of the sentence with the most information, by index; undefined where the question is one sentence. */
  private readonly core: ReadonlyArray<number> | undefined
  private readonly informationOfCore: ReadonlyArray<number>
  /** Its words; none where the question is one sentence. */
  readonly coreWords: ReadonlyArray<PlannedWord>
  private readonly coreTerms: ReadonlySet<number>
  /** The current chunk and its segment, by their numbers. */
  private current = { segment: 0, chunk: 0 }
  private frequencies: Uint8Array = new Uint8Array()
  private norm = 0
  /** The posting of each term of the plan in the current chunk, or -1. */
  private readonly postings: Int32Array
  /** 1 for each term of the plan that stands beside a neighbour in the current chunk. */
  private readonly joined: Uint8Array

  /**
   * @param isOneWord whether the question is a single word, which has no neighbour
   * @param similarityOf the similarity in the collection
   */
  constructor(
    plan: QueryPlan,
    isOneWord: boolean,
    similarityOf: ReturnType<typeof similarityIn>,
    weights: LexicalWeights,
  ) {
    this.plan = plan
    this.weights = weights
    this.isOneWord = isOneWord
    this.similarityOf = similarityOf
    this.information = plan.words.map((word) => word.information)
    this.core = coreOf(plan)
    this.coreWords = this.core?.flatMap((word) => plan.words[word] ?? []) ?? []
    this.coreTerms = new Set(this.coreWords.flatMap(({ terms }) => terms))
    this.informationOfCore = this.coreWords.map(({ information }) => information)
    this.postings = new Int32Array(plan.terms.length)
    this.joined = new Uint8Array(plan.terms.length)
  }

  /**
   * Makes a chunk the current one.
   *
   * @param number the number of the segment in the plan
   * @param norm BM25's length normalisation of the chunk
   * @returns the score of its phrases
   */
  moveTo(segment: Segment, number: number, chunk: number, norm: number): number {
    const { k1, phrase, reversed } = this.weights
    const postings = this.postings
    this.current = { segment: number, chunk }
    this.frequencies = segment.frequencies
    this.norm = norm
    let index = 0
    for (const { ranks } of this.plan.terms) postings[index++] = postingOf(segment, ranks[number] ?? -1, chunk)
    this.joined.fill(0)
    let score = 0
    for (const { left, right, idf, times, isOfPairs } of this.plan.phrases) {
      const leftPosting = postings[left] ?? -1
      const rightPosting = postings[right] ?? -1
      if (leftPosting < 0 || rightPosting < 0) continue
      // Two words side by side mean much the same in either order.
      const forward = timesAdjacent(segment, leftPosting, rightPosting)
      const backward = timesAdjacent(segment, rightPosting, leftPosting)
      if (forward + backward === 0) continue
      this.joined[left] = 1
      this.joined[right] = 1
      if (isOfPairs) continue
      const found = forward + reversed * backward
      score += saturating(phrase * idf * times * (k1 + 1), found, norm)
    }
    return score
  }

  /** The score of the terms of the core, which are pairs of characters, in the current chunk. */
  get scoreOfCore(): number {
    const { earlySaturation, k1 } = this.weights
    let score = 0
    for (const term of this.coreTerms) {
      const frequency = this.frequencies[this.postings[term] ?? -1] ?? 0
      const { idf = 0, times = 1 } = this.plan.terms[term] ?? {}
      score += saturating(idf * Math.sqrt(times) * (k1 + 1), frequency, earlySaturation * this.norm)
    }
    return score
  }

  /**
   * The similarity of the current chunk to the question, 0–1, or to its core where that is higher: a passage need not
   * contain what other sentences say, such as `If there is none, explain why.`
   */
  get similarity(): number {
    const whole = this.similarityOf(this.information, this.presenceOf)
    const core = this.core
    if (core === undefined) return whole
    return Math.max(
      whole,
      this.similarityOf(this.informationOfCore, (word) => this.presenceOf(core[word] ?? 0)),
    )
  }

  private readonly presenceOf = (word: number): WordPresence => {
    const planned = this.plan.words[word]
    const isCorrected = planned?.isCorrected === true
    let isFound = false
    for (const term of planned?.terms ?? []) {
      if (this.joined[term] === 1 && !isCorrected) return "beside a neighbour"
      if ((this.postings[term] ?? -1) >= 0) isFound = true
    }
    if (!isFound && planned?.substitutes?.times[this.current.segment]?.has(this.current.chunk) !== true) return "absent"
    if (isCorrected && isFound) return this.isOneWord ? "scattered" : "similar"
    return this.isOneWord ? "beside a neighbour" : "scattered"
  }
}

/** The words, by index, of the sentence that contains the most information, of those that ask if there are any. */
const coreOf = ({ words }: QueryPlan): ReadonlyArray<number> | undefined => {
  const sums = new Map<number, number>()
  for (const { information, sentence } of words) {
    const counted = sentence > 0 ? information : 0
    sums.set(sentence, (sums.get(sentence) ?? 0) + counted)
  }
  if (sums.size < 2) return undefined
  const [core] = Array.from(sums).reduce((most, each) => (each[1] > most[1] ? each : most))
  return Array.from(words.keys()).filter((word) => words[word]?.sentence === core)
}
