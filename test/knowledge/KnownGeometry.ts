import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as RemoteEmbeddings from "../../src/embeddings/RemoteEmbeddings.ts"
import { Indexer, textToEmbed } from "../../src/knowledge/Indexer.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { LexemeIndexes } from "../../src/storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../../src/storage/search/VectorIndexes.ts"
import { passagesByChunk, placeOf, store } from "../bench/lib/KnowledgeOfSets.ts"
import { ndcg10 } from "../bench/lib/RankingMetrics.ts"
import type { RetrievalSet } from "../bench/lib/RetrievalSet.ts"
import { defaults } from "../lib/Defaults.ts"
import { fakeEmbeddings, fakeEmbeddingsKey } from "../lib/FakeEmbeddings.ts"
import { random } from "../lib/Random.ts"
import { bounded } from "../../src/text/BoundedText.ts"

/*
 * An embedding model of known quality: the vectors of passages are random directions around a common one, as the models
 * have it, and the vector of a question leans towards its relevant passages as far as the quality says. It is served
 * over HTTP to the real storage and retriever, so that their fusion can be compared with each of its two lists.
 */

const DIMENSIONS = 96
/** How far all vectors lean towards a common direction. */
const COMMON = 0.6
const DEPTH = 10
/** The memory of the indexes in bytes. */
const INDEX_BYTES = 256 * 2 ** 20

/** How far the vector of a question leans towards its relevant passages. */
const LEANINGS = { perfect: 4, good: 0.55, random: 0 }
/** The quality of the vectors. `half` is perfect for every other question and random for the others. */
export type Quality = keyof typeof LEANINGS | "half"

/** The nDCG@10 of words alone, of vectors alone, and of both. */
export interface Fusion {
  readonly quality: Quality
  readonly words: number
  readonly vectors: number
  readonly fused: number
}

/** The share by which the fusion is worse than the better one of its lists; negative where it is better than both. */
export const lossOf = ({ fused, vectors, words }: Fusion): number => 1 - fused / Math.max(words, vectors)

type Vector = ReadonlyArray<number>

const normal = (vector: Vector): Vector => {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
const plus = (left: Vector, right: Vector, factor: number): Vector =>
  normal(left.map((value, index) => value + factor * (right[index] ?? 0)))
const cosine = (left: Vector, right: Vector): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)

/** Makes the vectors of a set. */
const makeGeometry = (set: RetrievalSet) => {
  const next = random(7)
  const direction = (): Vector =>
    normal(
      Array.from(
        { length: DIMENSIONS },
        () => Math.sqrt(-2 * Math.log(next() + Number.MIN_VALUE)) * Math.cos(2 * Math.PI * next()),
      ),
    )
  const common = direction()
  const passages = new Map(set.passages.map(({ id }) => [id, plus(direction(), common, COMMON)]))
  const own = new Map(set.questions.map(({ id }) => [id, plus(direction(), common, COMMON)]))

  const leaning = (quality: keyof typeof LEANINGS, id: string): Vector => {
    const relevant = Array.from(set.judgements.get(id)?.keys() ?? [], (passage) => passages.get(passage) ?? common)
    const middle = relevant.reduce(
      (sum, vector) => sum.map((value, index) => value + (vector[index] ?? 0)),
      common.map(() => 0),
    )
    return plus(own.get(id) ?? common, normal(middle), LEANINGS[quality])
  }
  return {
    passages,
    ofQuestion: (quality: Quality, number: number): Vector => {
      const leaningOfOne = quality === "half" ? (number % 2 === 0 ? "perfect" : "random") : quality
      return leaning(leaningOfOne, set.questions[number]?.id ?? "")
    },
  }
}

/** Measures the fusion of the real storage and retriever over a set, with vectors of each of these qualities. */
export const fusionsOf = Effect.fnUntraced(function* (set: RetrievalSet, qualities: ReadonlyArray<Quality>) {
  const geometry = makeGeometry(set)
  // Only the vectors of questions differ between qualities, so that the passages are stored once.
  const vectors = new Map(
    set.passages.map(({ id, text, title }) => [
      textToEmbed(title, { headings: [], text }),
      geometry.passages.get(id) ?? [],
    ]),
  )
  const fake = yield* fakeEmbeddings(DIMENSIONS, (text) => vectors.get(text) ?? [])
  return yield* measure(set, geometry, vectors, qualities).pipe(Effect.provide(knowledge(fake.url)), Effect.scoped)
})

const measure = Effect.fnUntraced(function* (
  set: RetrievalSet,
  geometry: ReturnType<typeof makeGeometry>,
  vectors: Map<string, Vector>,
  qualities: ReadonlyArray<Quality>,
) {
  const indexes = yield* KnowledgeIndexes
  const stored = yield* store(set.name, set.passages)
  const { chatbotId, passageOf } = stored
  const passageOfChunk = yield* passagesByChunk(stored)
  const words = new Map<string, ReadonlyArray<string>>()
  for (const { id, text } of set.questions) {
    const { index, query } = yield* indexes.open(chatbotId, bounded(text), "cached")
    words.set(
      id,
      index.search(query, DEPTH).map(({ chunkId }) => passageOfChunk.get(chunkId) ?? ""),
    )
  }
  const ndcg = (run: ReadonlyMap<string, ReadonlyArray<string>>) => ndcg10(run, set.judgements)
  const fusions: Array<Fusion> = []
  for (const quality of qualities) {
    // A retriever remembers the vectors of questions, which are those of one quality.
    const retriever = yield* Retriever.make({ threshold: 0 })
    const nearest = new Map<string, ReadonlyArray<string>>()
    const fused = new Map<string, ReadonlyArray<string>>()
    for (const [number, { id, text }] of set.questions.entries()) {
      const vector = geometry.ofQuestion(quality, number)
      vectors.set(text, vector)
      const near = [...geometry.passages].map(([passage, of]) => [passage, cosine(vector, of)] as const)
      nearest.set(
        id,
        near
          .sort((left, right) => right[1] - left[1])
          .slice(0, DEPTH)
          .map(([passage]) => passage),
      )
      const { hits } = yield* retriever.search({ chatbotId, query: text, topK: DEPTH })
      fused.set(
        id,
        hits.map((hit) => passageOf.get(placeOf(hit)) ?? ""),
      )
    }
    fusions.push({ quality, words: ndcg(words), vectors: ndcg(nearest), fused: ndcg(fused) })
  }
  return fusions
})

const knowledge = (url: string) =>
  Indexer.layer.pipe(
    Layer.provideMerge(KnowledgeIndexes.layer({ bytes: INDEX_BYTES })),
    Layer.provideMerge(
      Layer.mergeAll(
        Chunks.layer,
        LexemeIndexes.layer,
        VectorIndexes.layer(),
        RemoteEmbeddings.layer({
          ...defaults.embeddings,
          provider: "openai",
          model: "known-geometry",
          apiKey: Redacted.make(fakeEmbeddingsKey),
          baseUrl: url,
          dimensions: undefined,
        }),
        SecureRandom.layerWebCrypto,
      ),
    ),
  )
