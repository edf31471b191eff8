import type { TopicId, TopicState } from "../domain/topics/Topic.ts"
import type { TopicCentre } from "../domain/topics/TopicCentre.ts"
import { commonness, UNKNOWN_SHARE } from "../text/Commonness.ts"
import type { Term } from "./QuestionTerms.ts"
import { addTo, cosine, packed, unpacked } from "./Vectors.ts"

/*
 * Groups short questions one by one. A question goes to the topic whose centre it resembles most, if it resembles it
 * enough, and is a topic of its own otherwise. Topics that have become similar are merged. The constants were
 * chosen by the questions of SQuAD and XQuAD, see `bun run bench loop gaps`.
 */

/** The least similarity of a question to the centre of its topic. */
const LIKE = 0.27
/** The least similarity of two topics that are one. */
const SAME = 0.4
/** How many questions weigh as much as what is known about the commonness of words in general. */
const PRIOR_QUESTIONS = 200
/** The most terms of a centre. */
const TERMS_MAX = 32
/** The number of terms at which a centre loses all but the most telling ones. */
const TERMS_LIMIT = 48
/** The most topics with one term that a question is compared with: rarer terms say more. */
const SHARED_MAX = 300
/** The most topics that a question is compared with by its vector alone: those that got a question last. */
const RECENT_MAX = 2_000
/** The least standard deviations of a telling cosine above the mean of all. */
const DEVIATIONS = 2
/** The least cosines of which the mean says something. */
const COSINES_MIN = 30
const RAREST = Math.log(UNKNOWN_SHARE)
/** The share of vectors in a similarity, where they compare meanings. */
const VECTOR_SHARE = 0.5

/** A topic as it is stored. */
export interface StoredTopic {
  readonly id: TopicId
  readonly name: string
  readonly state: TopicState
  readonly isNamed: boolean
  readonly centre: TopicCentre
}

/** A question that is to be grouped. */
export interface GroupedQuestion {
  /** The id of the topic that it becomes if it resembles no other. */
  readonly newId: TopicId
  readonly terms: ReadonlyArray<Term>
  readonly vector?: Float32Array | undefined
}

interface CentreTerm {
  count: number
  spelling: string
  next: string
}

/** A topic in memory. */
export interface GroupedTopic {
  readonly id: TopicId
  readonly state: TopicState
  name: string
  isNamed: boolean
  size: number
  /** The size at which it was last compared with other topics, or loaded. */
  comparedSize: number
  readonly terms: Map<string, CentreTerm>
  /** The mean of the vectors of its questions. */
  vector: Float32Array | undefined
  /** The length of the weighted terms as a vector. */
  length: number
}

/** How the embedding model compares; undefined where it compares no meanings. */
export type VectorScale = { readonly model: string; readonly unrelatedCosine: number } | undefined

/** The topics of a chatbot while questions are added to them. */
export class Grouping {
  /** The topics that got a question since `takeChanges`. */
  private changed = new Set<GroupedTopic>()
  private merged = new Map<TopicId, TopicId>()
  private readonly topics = new Map<TopicId, GroupedTopic>()
  private readonly byTerm = new Map<string, Set<GroupedTopic>>()
  /** The number of questions with each term, and the share of texts in general that hold it. */
  private readonly frequencies = new Map<string, { questions: number; readonly common: number }>()
  private readonly recent = new Set<GroupedTopic>()
  private questions = 0
  private readonly scale: VectorScale

  constructor(scale?: VectorScale) {
    this.scale = scale
  }

  /** Adds a topic that is there already. */
  load({ centre, ...topic }: StoredTopic): void {
    const { model } = centre.vector ?? {}
    const vector =
      centre.vector !== undefined && model === this.scale?.model ? unpacked(centre.vector.bytes) : undefined
    const terms = centre.terms.map(([stem, count, spelling, next]) => [stem, { count, spelling, next }] as const)
    this.learn(this.make(topic, centre.size), centre.size, terms, vector)
  }

  /** Finds the topic of a question, or makes one. Returns its id. */
  add({ newId, terms, vector }: GroupedQuestion): TopicId {
    const nearest = this.nearest(
      terms.map(({ stem }) => [stem, 1] as const),
      vector,
    )
    const topic =
      nearest !== undefined && nearest.similarity >= LIKE
        ? nearest.topic
        : this.make({ id: newId, state: "open", name: "", isNamed: false }, 1)
    const found = terms.map(({ next, spelling, stem }) => [stem, { count: 1, spelling, next }] as const)
    this.learn(topic, 1, found, vector)
    this.changed.add(topic)
    return topic.id
  }

  /** Returns the topics that have grown so much that they may have become similar to others. */
  get candidates(): ReadonlyArray<GroupedTopic> {
    return Array.from(this.changed).filter(({ comparedSize, size }) => levelOf(size) > levelOf(comparedSize))
  }

  /** Merges a topic with the most similar one, unless people have decided differently about the two. */
  merge(topic: GroupedTopic): void {
    if (!this.topics.has(topic.id)) return
    topic.comparedSize = topic.size
    const terms = Array.from(topic.terms, ([stem, { count }]) => [stem, count / topic.size] as const)
    const nearest = this.nearest(terms, topic.vector, topic)
    if (nearest === undefined) return
    const { similarity, topic: other } = nearest
    if (similarity < (topic.size === 1 || other.size === 1 ? LIKE : SAME)) return
    if (topic.state !== other.state || (topic.isNamed && other.isNamed)) return
    const [from, into] = other.size >= topic.size ? [topic, other] : [other, topic]
    if (from.isNamed) {
      into.name = from.name
      into.isNamed = true
    }
    for (const stem of from.terms.keys()) this.byTerm.get(stem)?.delete(from)
    this.topics.delete(from.id)
    this.recent.delete(from)
    this.changed.delete(from)
    this.join(into, from.size, from.terms, from.vector)
    this.changed.add(into)
    this.merged.set(from.id, into.id)
  }

  /** Returns the topics that have changed since the last call, and what became of those that were merged. */
  takeChanges(): { readonly topics: ReadonlyArray<GroupedTopic>; readonly merged: ReadonlyMap<TopicId, TopicId> } {
    const { changed, merged } = this
    this.changed = new Set()
    this.merged = new Map()
    const lastOf = (id: TopicId): TopicId => {
      const next = merged.get(id)
      return next === undefined ? id : lastOf(next)
    }
    return { topics: Array.from(changed), merged: new Map(Array.from(merged.keys(), (id) => [id, lastOf(id)])) }
  }

  /** Returns what is stored of a topic for the next questions. */
  centreOf({ size, terms, vector }: GroupedTopic): TopicCentre {
    return {
      size,
      terms: Array.from(terms, ([stem, { count, next, spelling }]) => [stem, count, spelling, next] as const),
      ...(vector !== undefined &&
        this.scale !== undefined && { vector: { model: this.scale.model, bytes: packed(vector) } }),
    }
  }

  /** Returns how much a term tells, 0–1: the less, the more questions and texts have it. */
  weightOf(stem: string): number {
    const { common, questions } = this.frequencies.get(stem) ?? { questions: 0, common: commonness(stem) }
    const share = (questions + PRIOR_QUESTIONS * common) / (this.questions + PRIOR_QUESTIONS)
    return Math.max(0.01, Math.min(1, Math.log(share) / RAREST))
  }

  private make(topic: Omit<StoredTopic, "centre">, comparedSize: number): GroupedTopic {
    const made = { ...topic, size: 0, comparedSize, terms: new Map(), vector: undefined, length: 0 }
    this.topics.set(topic.id, made)
    return made
  }

  /** Adds questions that were not counted yet to a topic. */
  private learn(
    topic: GroupedTopic,
    questions: number,
    terms: ReadonlyArray<readonly [string, CentreTerm]>,
    vector: Float32Array | undefined,
  ): void {
    this.questions += questions
    for (const [stem, { count }] of terms) {
      const known = this.frequencies.get(stem)
      if (known === undefined) this.frequencies.set(stem, { questions: count, common: commonness(stem) })
      else known.questions += count
    }
    this.join(topic, questions, terms, vector)
  }

  private join(
    topic: GroupedTopic,
    size: number,
    terms: Iterable<readonly [string, CentreTerm]>,
    vector: Float32Array | undefined,
  ): void {
    for (const [stem, { count, next, spelling }] of terms) {
      const known = topic.terms.get(stem)
      topic.terms.set(stem, { count: (known?.count ?? 0) + count, spelling, next })
      const sharing = this.byTerm.get(stem)
      if (sharing === undefined) this.byTerm.set(stem, new Set([topic]))
      else sharing.add(topic)
    }
    if (topic.terms.size > TERMS_LIMIT) {
      const worth = ([stem, { count }]: readonly [string, CentreTerm]) => count * this.weightOf(stem)
      const sorted = Array.from(topic.terms).toSorted((left, right) => worth(right) - worth(left))
      for (const [stem] of sorted.slice(TERMS_MAX)) {
        topic.terms.delete(stem)
        this.byTerm.get(stem)?.delete(topic)
      }
    }
    if (vector !== undefined) topic.vector = addTo(topic.vector, topic.size, vector, size)
    topic.size += size
    let squares = 0
    for (const [stem, { count }] of topic.terms) squares += (this.weightOf(stem) * count) ** 2
    topic.length = Math.sqrt(squares) / topic.size
    if (topic.vector === undefined) return
    this.recent.delete(topic)
    this.recent.add(topic)
    if (this.recent.size > RECENT_MAX) for (const oldest of this.recent.values().take(1)) this.recent.delete(oldest)
  }

  /** Finds the topic whose centre is most similar to these terms, each with the share of questions that have it. */
  private nearest(
    terms: ReadonlyArray<readonly [string, number]>,
    vector: Float32Array | undefined,
    except?: GroupedTopic,
  ): { readonly topic: GroupedTopic; readonly similarity: number } | undefined {
    const weighted = terms
      .map(([stem, share]) => {
        const weight = this.weightOf(stem)
        return { stem, weight: weight * share, factor: weight * weight * share }
      })
      .toSorted((left, right) => right.weight - left.weight)
    const squares = weighted.reduce((sum, { weight }) => sum + weight * weight, 0)
    const products = new Map<GroupedTopic, number>()
    if (vector !== undefined) for (const topic of this.recent) products.set(topic, 0)
    let left = squares
    for (const { factor, stem, weight } of weighted) {
      const sharing = this.byTerm.get(stem)
      if (sharing === undefined) continue
      // A topic with these last terms alone is not similar enough. Many topics are compared by their rarer terms.
      const isMinor = left < LIKE * LIKE * squares || (sharing.size > SHARED_MAX && products.size > 0)
      left -= weight * weight
      let seen = 0
      for (const topic of isMinor ? products.keys() : sharing) {
        const term = topic.terms.get(stem)
        if (term !== undefined) products.set(topic, (products.get(topic) ?? 0) + (factor * term.count) / topic.size)
        if (!isMinor && ++seen === SHARED_MAX) break
      }
    }
    if (except !== undefined) products.delete(except)
    const floor = vector === undefined ? 1 : this.unrelatedTo(vector)
    let found: GroupedTopic | undefined
    let most = 0
    const length = Math.sqrt(squares)
    for (const [topic, product] of products) {
      const words = product === 0 ? 0 : product / (length * topic.length)
      const similarity = withVectors(words, floor, vector, topic.vector)
      if (similarity > most) [found, most] = [topic, similarity]
    }
    return found && { topic: found, similarity: most }
  }

  /**
   * The cosine of unrelated topics to a vector. Vectors of languages that the model does not know are all alike, so that
   * only a cosine far above the mean says something.
   */
  private unrelatedTo(vector: Float32Array): number {
    let [sum, squares, count] = [0, 0, 0]
    for (const { vector: other } of this.recent) {
      if (other === undefined) continue
      const value = cosine(vector, other)
      sum += value
      squares += value * value
      count++
    }
    const known = this.scale?.unrelatedCosine ?? 0
    if (count < COSINES_MIN) return known
    const mean = sum / count
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean))
    return Math.min(0.99, Math.max(known, mean + DEVIATIONS * deviation))
  }
}

/** Topics are compared with others when they have 2, 4, 8 … questions. */
const levelOf = (size: number): number => Math.floor(Math.log2(size))

const withVectors = (
  words: number,
  unrelated: number,
  one: Float32Array | undefined,
  other: Float32Array | undefined,
): number => {
  if (one === undefined || other === undefined) return words
  const meaning = Math.max(0, (cosine(one, other) - unrelated) / (1 - unrelated))
  return (1 - VECTOR_SHARE) * words + VECTOR_SHARE * meaning
}
