import type { TopicId } from "../domain/topics/Topic.ts"
import type { TopicCentre } from "../domain/topics/TopicCentre.ts"
import { commonness, UNKNOWN_SHARE } from "../language/words/Commonness.ts"
import { type Term, TERMS_MAX } from "./QuestionTerms.ts"
import { addTo, cosine, packed, unpacked } from "./Vectors.ts"

/*
 * Groups short questions one by one. A question goes to the topic whose centre it resembles most, if it resembles it
 * enough, and is a topic of its own otherwise. The first three constants were chosen by the questions of SQuAD and XQuAD.
 */

/** The least similarity of a question to the centre of its topic. */
const LIKE = 0.25
/** How many questions weigh as much as what is known about the commonness of words in general. */
const PRIOR_QUESTIONS = 200
/** The product of two vectors, without what is common to all, up to which their questions are of different matters. */
const UNRELATED = 0.15
/** The most topics that a question is compared with: those that got a question last. Bounds time and memory. */
export const TOPICS_MAX = 10_000

export interface StoredTopic {
  readonly id: TopicId
  readonly centre: TopicCentre
}

export interface GroupedQuestion {
  /** The id of the topic that it becomes if it resembles no other. */
  readonly newId: TopicId
  readonly terms: ReadonlyArray<Term>
  readonly vector?: Float32Array | undefined
}

interface CentreTerm {
  readonly count: number
  readonly spelling: string
  readonly next: string
}

/** A topic in memory. */
export interface GroupedTopic {
  readonly id: TopicId
  size: number
  readonly terms: Map<string, CentreTerm>
  /** The mean of the vectors of its questions. */
  vector: Float32Array | undefined
  /** The length of the weighted terms as a vector; undefined until it is asked for, when all topics are loaded. */
  length: number | undefined
  /** The number of the last comparison with a question that shares a term, and the product of both as far as it is known. */
  comparedIn: number
  product: number
}

/** The topics of a chatbot while questions are added to them. */
export class Grouping {
  /** Those that got a question last stand last. */
  private readonly topics = new Set<GroupedTopic>()
  /** The topics with each term, and the number of their questions that have it. */
  private readonly byTerm = new Map<string, Map<GroupedTopic, number>>()
  /** The number of comparisons up to now. */
  private comparisons = 0
  /** The number of questions with each term, and the share of texts in general that hold it. */
  private readonly frequencies = new Map<string, { questions: number; readonly common: number }>()
  private questions = 0
  /** The sum of the vectors of questions, and their number. */
  private readonly vectors = { sum: new Float32Array(0), count: 0 }
  private readonly model: string | undefined

  /** @param model the name of the embedding model; undefined where it compares no meanings */
  constructor(model?: string) {
    this.model = model
  }

  /** Adds a topic that is there already. */
  load({ centre, id }: StoredTopic): void {
    const vector =
      centre.vector !== undefined && centre.vector.model === this.model ? unpacked(centre.vector.bytes) : undefined
    const terms = centre.terms.map(([stem, count, spelling, next]) => [stem, { count, spelling, next }] as const)
    this.join(newTopic(id), centre.size, terms, vector)
  }

  /** Finds the topic of a question, or makes one. */
  add({ newId, terms, vector }: GroupedQuestion): GroupedTopic {
    const topic = this.nearest(terms, vector) ?? newTopic(newId)
    const found = terms.map(({ next, spelling, stem }) => [stem, { count: 1, spelling, next }] as const)
    this.join(topic, 1, found, vector)
    return topic
  }

  /** Returns what is stored of a topic for the next questions. */
  centreOf({ size, terms, vector }: GroupedTopic): TopicCentre {
    return {
      size,
      terms: Array.from(terms, ([stem, { count, next, spelling }]) => [stem, count, spelling, next] as const),
      ...(vector !== undefined && this.model !== undefined && { vector: { model: this.model, bytes: packed(vector) } }),
    }
  }

  /** Returns how much a term tells, from 0: the less, the more questions and texts have it. */
  weightOf(stem: string): number {
    const { common, questions } = this.frequencies.get(stem) ?? { questions: 0, common: commonness(stem) }
    const share = (questions + PRIOR_QUESTIONS * common) / (this.questions + PRIOR_QUESTIONS)
    return -Math.log(Math.max(share, UNKNOWN_SHARE))
  }

  /** Adds questions to a topic, which then is the one that got a question last. */
  private join(
    topic: GroupedTopic,
    questions: number,
    terms: ReadonlyArray<readonly [string, CentreTerm]>,
    vector: Float32Array | undefined,
  ): void {
    this.questions += questions
    for (const [stem, { count, ...written }] of terms) {
      const known = this.frequencies.get(stem)
      if (known === undefined) this.frequencies.set(stem, { questions: count, common: commonness(stem) })
      else known.questions += count
      const total = (topic.terms.get(stem)?.count ?? 0) + count
      topic.terms.set(stem, { ...written, count: total })
      const sharing = this.byTerm.get(stem)
      if (sharing === undefined) this.byTerm.set(stem, new Map([[topic, total]]))
      else sharing.set(topic, total)
    }
    if (topic.terms.size > TERMS_MAX) {
      const worth = ([stem, { count }]: readonly [string, CentreTerm]) => count * this.weightOf(stem)
      const sorted = Array.from(topic.terms).toSorted((left, right) => worth(right) - worth(left))
      for (const [stem] of sorted.slice(TERMS_MAX / 2)) {
        topic.terms.delete(stem)
        this.forget(stem, topic)
      }
    }
    if (vector !== undefined) {
      topic.vector = addTo(topic.vector, topic.size, vector, questions)
      const { vectors } = this
      vectors.sum = Float32Array.from(vector, (value, index) => (vectors.sum[index] ?? 0) + value * questions)
      vectors.count += questions
    }
    topic.size += questions
    topic.length = undefined
    this.topics.delete(topic)
    this.topics.add(topic)
    if (this.topics.size > TOPICS_MAX) {
      for (const oldest of this.topics.values().take(1)) {
        this.topics.delete(oldest)
        for (const stem of oldest.terms.keys()) this.forget(stem, oldest)
      }
    }
  }

  private lengthOf(topic: GroupedTopic): number {
    if (topic.length !== undefined) return topic.length
    let squares = 0
    for (const [stem, { count }] of topic.terms) squares += (this.weightOf(stem) * count) ** 2
    topic.length = Math.sqrt(squares) / topic.size
    return topic.length
  }

  private forget(stem: string, topic: GroupedTopic): void {
    const sharing = this.byTerm.get(stem)
    sharing?.delete(topic)
    if (sharing?.size === 0) this.byTerm.delete(stem)
  }

  /** Finds the topic whose centre is most similar to a question, and similar enough. */
  private nearest(terms: ReadonlyArray<Term>, vector: Float32Array | undefined): GroupedTopic | undefined {
    const weighted = terms
      .map(({ stem }) => ({ stem, weight: this.weightOf(stem) }))
      .toSorted((left, right) => right.weight - left.weight)
    const squares = weighted.reduce((sum, { weight }) => sum + weight * weight, 0)
    const comparison = ++this.comparisons
    const sharing: Array<GroupedTopic> = []
    let left = squares
    for (const { stem, weight } of weighted) {
      // The words of a topic that has the last terms alone are not similar enough: these are the ones that many have.
      const isMinor = left < LIKE * LIKE * squares
      left -= weight * weight
      const counts = this.byTerm.get(stem)
      if (counts === undefined) continue
      for (const topic of isMinor ? sharing : counts.keys()) {
        if (topic.comparedIn !== comparison) {
          topic.comparedIn = comparison
          topic.product = 0
          sharing.push(topic)
        }
        topic.product += (weight * weight * (counts.get(topic) ?? 0)) / topic.size
      }
    }
    const meaning = vector && this.meaningOf(vector)
    let found: GroupedTopic | undefined
    let most = LIKE
    for (const topic of meaning === undefined ? sharing : this.topics) {
      const product = topic.comparedIn === comparison ? topic.product : 0
      const words = product === 0 ? 0 : product / (Math.sqrt(squares) * this.lengthOf(topic))
      const similarity =
        meaning === undefined || topic.vector === undefined ? words : (words + meaning(topic.vector)) / 2
      if (similarity >= most) [found, most] = [topic, similarity]
    }
    return found
  }

  /**
   * Returns how similar the meaning of a vector is to that of another one, 0–1. What the vectors of all questions have in
   * common is taken away: in a language that the model does not know, that is nearly everything.
   */
  private meaningOf(vector: Float32Array): (other: Float32Array) => number {
    const { count, sum } = this.vectors
    const mean = Float32Array.from(vector, (_, index) => (sum[index] ?? 0) / (count + 1))
    const own = vector.map((value, index) => value - (mean[index] ?? 0))
    const common = cosine(own, mean)
    return (other) => Math.max(0, (cosine(own, other) - common - UNRELATED) / (1 - UNRELATED))
  }
}

const newTopic = (id: TopicId): GroupedTopic => ({
  id,
  size: 0,
  terms: new Map(),
  vector: undefined,
  length: undefined,
  comparedIn: 0,
  product: 0,
})
