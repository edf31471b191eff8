import { Context, Effect, Layer } from "effect"
import type { ChatbotId } from "../domain/Ids.ts"
import { LIKELY_SIMILARITY } from "../domain/Passage.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { attributes } from "../observability/Attributes.ts"
import { atBorder } from "../observability/Border.ts"
import { search as metrics } from "../observability/Metrics.ts"
import type { RankedChunk } from "../storage/search/ChunkRanking.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import { VectorIndexes } from "../storage/search/VectorIndexes.ts"
import { fuse, weightFor } from "./search/Fusion.ts"
import { type Freshness, KnowledgeIndexes, type OpenedIndex } from "./search/KnowledgeIndexes.ts"
import type { LexicalMatch } from "./search/LexicalIndex.ts"
import { sparse } from "./segments/Sketch.ts"

/** A passage that is relevant to a question. */
export type Hit = RankedChunk

/** The number of candidates from each kind of search. More change no result among the first ten (measured). */
const CANDIDATES = 30

/** Stands for a missing vector. No model has its single dimension, so it is compared with nothing. */
const NO_VECTOR = Float32Array.of(1)

/** The most attempts at a search while the knowledge base changes. */
const ATTEMPTS = 5

export interface RetrieverSettings {
  /** The least similarity of a result, 0–1. Defaults to `LIKELY_SIMILARITY`. */
  readonly threshold: number | undefined
}

/** Measures a stage of a search. Ranking contains the embedding of the question, where it is waited for. */
const stage = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  atBorder(work, {
    span: `search ${name}`,
    timing: name,
    measure: (seconds) => metrics.stages(name).observe(seconds),
  })

interface Question {
  readonly chatbotId: ChatbotId
  readonly query: string
  readonly topK: number
  /** The least similarity of a result, 0–1. Defaults to that of the settings. */
  readonly threshold?: number
}

/**
 * Finds the passages of a chatbot's knowledge that are relevant to a question, by words and by vectors. A passage need
 * not contain all words of the question.
 */
export class Retriever extends Context.Service<Retriever>()("parley/knowledge/Retriever", {
  make: (settings: RetrieverSettings) =>
    Effect.gen(function* () {
      const chunks = yield* Chunks
      const embeddings = yield* Embeddings
      const indexes = yield* KnowledgeIndexes
      const vectorIndexes = yield* VectorIndexes
      const defaultThreshold = settings.threshold ?? LIKELY_SIMILARITY

      /** While the embedding model is unavailable, words alone decide. */
      const embed = (query: string) =>
        Effect.catchTag(embeddings.embedQuery(query), "Unavailable", ({ detail }) =>
          Effect.as(Effect.logDebug("A search goes without embeddings", { detail }), NO_VECTOR),
        )

      /** Searches once. The result is final when the index was up to date and all candidates still existed. */
      const attempt = Effect.fnUntraced(function* (
        { chatbotId, query, topK }: Question,
        threshold: number,
        vector: Effect.Effect<Float32Array>,
        freshness: Freshness,
      ) {
        const opened = yield* stage("open", indexes.open(chatbotId, bounded(query, MESSAGE_MAX_LENGTH), freshness))
        const matches = yield* stage(
          "match",
          Effect.sync(() => opened.index.search(opened.query, Math.max(CANDIDATES, topK))),
        )
        const isInMemory = !embeddings.isSemantic && opened.index.isSketched
        const found = yield* stage(
          "rank",
          isInMemory
            ? rankInMemory(opened, chatbotId, vector, matches, topK, threshold)
            : rankInDatabase(chatbotId, opened.chunks, vector, matches, topK, threshold),
        )
        const isCurrent = opened.isCurrent || found.version === opened.version
        return { hits: found.chunks, isFinal: isCurrent && found.isComplete }
      })

      const rankInMemory = Effect.fnUntraced(function* (
        { index, query }: OpenedIndex,
        chatbotId: ChatbotId,
        vector: Effect.Effect<Float32Array>,
        matches: ReadonlyArray<LexicalMatch>,
        topK: number,
        threshold: number,
      ) {
        const candidates = matches.filter((match) => match.similarity >= threshold)
        const queryVector = sparse(candidates.length === 0 ? NO_VECTOR : yield* vector)
        const weight = weightFor(query, embeddings.weight)
        const best = fuse(candidates, (match) => index.cosine(queryVector, match), weight).slice(0, topK)
        const fetched = yield* chunks.fetch(
          chatbotId,
          best.map(({ match }) => match.chunkId),
        )
        const chunkOf = new Map(fetched.chunks.map((chunk) => [chunk.chunkId, chunk]))
        const ranked = best.flatMap(({ match, vector, fused }) => {
          const chunk = chunkOf.get(match.chunkId)
          const { similarity, score } = match
          return chunk === undefined ? [] : [{ ...chunk, similarity, scores: { lexical: score, vector, fused } }]
        })
        return { version: fetched.version, chunks: ranked, isComplete: ranked.length === best.length }
      })

      const rankInDatabase = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        size: number,
        vector: Effect.Effect<Float32Array>,
        matches: ReadonlyArray<LexicalMatch>,
        topK: number,
        threshold: number,
      ) {
        const embedding = yield* vector
        return yield* chunks.rank({
          chatbotId,
          candidates: embeddings.isSemantic ? matches : matches.filter((match) => match.similarity >= threshold),
          embedding,
          embeddingModel: embeddings.model,
          vectorWeight: embeddings.weight,
          nearest: embeddings.isSemantic && embedding !== NO_VECTOR ? Math.max(CANDIDATES, topK) : 0,
          index: vectorIndexes.find({ model: embeddings.model, dimensions: embedding.length, chunks: size }),
          isSemantic: embeddings.isSemantic,
          unrelatedCosine: embeddings.unrelatedCosine,
          threshold,
          limit: topK,
        })
      })

      const search = Effect.fnUntraced(function* (question: Question) {
        const threshold = question.threshold ?? defaultThreshold
        const vector = yield* Effect.cached(stage("embed", embed(question.query)))
        let found = yield* attempt(question, threshold, vector, "cached")
        // A document that changed meanwhile would be found with neither its old nor its new content.
        for (let attempts = 1; !found.isFinal && attempts < ATTEMPTS; attempts++) {
          found = yield* attempt(question, threshold, vector, "current")
        }
        return { hits: found.hits, threshold }
      })

      return {
        /**
         * Returns the passages most relevant to the question, best first: at most `topK`, and none with a `similarity`
         * below the threshold. The order is that of the fused score, not of `similarity`.
         */
        search: (question: Question) =>
          atBorder(search(question), {
            span: "search",
            timing: "search",
            attributes: () => ({ [attributes.chatbot]: question.chatbotId }),
            measure: (seconds) => metrics.seconds().observe(seconds),
          }),
      }
    }),
}) {
  static readonly layer = (settings: RetrieverSettings) => Layer.effect(this, this.make(settings))
}
