import { Cache, Context, Duration, Effect, Exit, Fiber, Layer } from "effect"
import type { ChatbotId } from "../domain/Ids.ts"
import { LIKELY_SIMILARITY } from "../domain/knowledge/Passage.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { Reranker } from "./Reranker.ts"
import { attributes } from "../observability/Attributes.ts"
import { atBorder } from "../observability/Border.ts"
import { search as metrics } from "../observability/Metrics.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import type { FetchedChunk } from "../storage/search/FetchedChunks.ts"
import { VectorIndexes } from "../storage/search/VectorIndexes.ts"
import { withoutNeighbours } from "./search/Codes.ts"
import { type Candidate, type FusedCandidate, fuse, meaningWeight, spellingWeight } from "./search/Fusion.ts"
import { type Freshness, KnowledgeIndexes, type OpenedIndex } from "./search/KnowledgeIndexes.ts"
import type { LexicalMatch } from "./search/LexicalIndex.ts"
import { isOfPairs } from "./search/LexicalQuery.ts"
import { similarityWithMeaning, similarityWithSpelling } from "./search/Similarity.ts"
import { sparse } from "./segments/Sketch.ts"

/** A passage that is relevant to a question. */
export interface Hit extends FetchedChunk {
  /** From 0 to 1. */
  readonly similarity: number
  readonly scores: Pick<FusedCandidate, "lexical" | "vector" | "fused">
  /** The place that the fused score gave it, from 1, and the reranker's score; absent where that did not rank it. */
  readonly reranked?: { readonly from: number; readonly score: number }
}

const textOf = ({ content, headings, title }: Hit): string => [title, ...headings, content].join("\n")

/** The number of candidates from each kind of search. More change no result among the first ten (measured). */
const CANDIDATES = 30

/** Number of questions whose vectors are remembered, of all chatbots together, and the time for which they are. */
const REMEMBERED_QUESTIONS = { capacity: 1_000, timeToLive: Duration.minutes(5) }

/** The most attempts at a search while the knowledge base changes. */
const ATTEMPTS = 5

export interface RetrieverSettings {
  /** The similarity that one passage must reach, 0–1. Defaults to `LIKELY_SIMILARITY`. */
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
  /** The similarity that one passage must reach, 0–1. Defaults to that of the settings. */
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
      const reranker = yield* Reranker
      const defaultThreshold = settings.threshold ?? LIKELY_SIMILARITY

      /** While the embedding model is unavailable, words alone decide. */
      const embed = (query: string) =>
        Effect.catchTag(embeddings.embedQuery(query), "Unavailable", ({ detail }) =>
          Effect.as(Effect.logDebug("A search goes without embeddings", { detail }), undefined),
        )

      const remembered = yield* Cache.makeWith(({ query }: { organization: string; query: string }) => embed(query), {
        capacity: REMEMBERED_QUESTIONS.capacity,
        timeToLive: (exit) =>
          Exit.isSuccess(exit) && exit.value !== undefined ? REMEMBERED_QUESTIONS.timeToLive : Duration.zero,
      })

      /**
       * The vector of a question. A remote model is asked at once, while words are matched, and its answer is remembered:
       * by organization, so that the time of a search does not tell what others have asked.
       */
      const vectorOf = (query: string) =>
        embeddings.isSemantic
          ? CurrentOrganization.pipe(
              Effect.flatMap((organization) =>
                Effect.forkChild(stage("embed", Cache.get(remembered, { organization, query })), {
                  startImmediately: true,
                }),
              ),
              Effect.map(Fiber.join),
            )
          : Effect.cached(stage("embed", embed(query)))

      /** Searches once. The result is final when the index was up to date and all candidates still existed. */
      const attempt = Effect.fnUntraced(function* (
        { chatbotId, query, topK }: Question,
        threshold: number,
        vector: Effect.Effect<Float32Array | undefined>,
        freshness: Freshness,
      ) {
        const opened = yield* stage("open", indexes.open(chatbotId, bounded(query, MESSAGE_MAX_LENGTH), freshness))
        const matches = yield* stage(
          "match",
          Effect.sync(() => opened.index.search(opened.query, Math.max(CANDIDATES, topK))),
        )
        const found = yield* stage("rank", rank(opened, chatbotId, matches, vector, topK, threshold))
        const isCurrent = opened.isCurrent || found.version === opened.version
        const synonyms = opened.query.flatMap(({ alternatives = [] }) => alternatives.map(({ text }) => text))
        return { hits: found.hits, synonyms: Array.from(new Set(synonyms)), isFinal: isCurrent && found.isComplete }
      })

      const rank = Effect.fnUntraced(function* (
        opened: OpenedIndex,
        chatbotId: ChatbotId,
        matches: ReadonlyArray<LexicalMatch>,
        vector: Effect.Effect<Float32Array | undefined>,
        topK: number,
        threshold: number,
      ) {
        const candidates = yield* candidatesOf(opened, chatbotId, matches, vector, Math.max(CANDIDATES, topK))
        const weight = embeddings.isSemantic
          ? meaningWeight(candidates, embeddings.weight)
          : spellingWeight(opened.query, embeddings.weight)
        const ranked = fuse(candidates, weight).map((candidate) => ({
          ...candidate,
          similarity: similarityOf(candidate, opened),
        }))
        // Judged by themselves, right passages would be left out whose neighbours in the ranking pass.
        const isAnswerable = ranked.some(({ similarity }) => similarity >= threshold)
        const best = isAnswerable ? ranked.slice(0, topK) : []
        const { version, chunks: contents } = yield* chunks.fetch(
          chatbotId,
          best.map(({ chunkId }) => chunkId),
        )
        const contentOf = new Map(contents.map((content) => [content.chunkId, content]))
        const hits = best.flatMap(({ chunkId, similarity, lexical, vector, fused }): ReadonlyArray<Hit> => {
          const content = contentOf.get(chunkId)
          if (content === undefined) return []
          return [{ ...content, similarity: Math.max(similarity, threshold), scores: { lexical, vector, fused } }]
        })
        return { version, hits, isComplete: hits.length === best.length }
      })

      /** The matches with their cosines, and the chunks nearest to the question where vectors express meaning. */
      const candidatesOf = Effect.fnUntraced(function* (
        { chunks: size, index }: OpenedIndex,
        chatbotId: ChatbotId,
        matches: ReadonlyArray<LexicalMatch>,
        vector: Effect.Effect<Float32Array | undefined>,
        nearest: number,
      ) {
        const candidateOf = ({ chunkId, score, similarity }: LexicalMatch, vector: number | null): Candidate => ({
          chunkId,
          lexical: score,
          similarity,
          vector,
        })
        if (matches.length === 0 && !embeddings.isSemantic) return []
        const embedding = yield* vector
        if (embedding === undefined) return matches.map((match) => candidateOf(match, null))
        if (index.isSketched && !embeddings.isSemantic) {
          const question = sparse(embedding)
          return matches.map((match) => candidateOf(match, index.cosine(question, match)))
        }
        const cosines =
          embeddings.isSemantic && index.hasVectors(embedding.length)
            ? index.nearest(embedding, matches, nearest)
            : yield* chunks.cosines({
                chatbotId,
                chunks: matches.map(({ chunkId }) => chunkId),
                embedding,
                embeddingModel: embeddings.model,
                nearest: embeddings.isSemantic ? nearest : 0,
                index: vectorIndexes.find({ model: embeddings.model, dimensions: embedding.length, chunks: size }),
              })
        const matched = new Set(matches.map(({ chunkId }) => chunkId))
        const others = Array.from(cosines).filter(([chunkId]) => !matched.has(chunkId))
        return [
          ...matches.map((match) => candidateOf(match, cosines.get(match.chunkId) ?? null)),
          ...others.map(([chunkId, vector]): Candidate => ({ chunkId, lexical: 0, similarity: 0, vector })),
        ]
      })

      const similarityOf = ({ similarity, vector }: Candidate, { chunks, query }: OpenedIndex): number => {
        if (vector === null) return similarity
        if (embeddings.isSemantic) return similarityWithMeaning(similarity, vector, embeddings.unrelatedCosine)
        // Vectors of spelling are made of the same pairs of characters.
        return isOfPairs(query) ? similarity : similarityWithSpelling(similarity, vector, chunks)
      }

      /** Puts the first passages into the order of the reranker, where there is one, and it serves. */
      const reorder = Effect.fnUntraced(function* (query: string, hits: ReadonlyArray<Hit>) {
        const first = hits.slice(0, reranker?.passages)
        if (reranker === undefined || first.length < 2) return hits
        const order = yield* stage("rerank", reranker.rerank(query, first.map(textOf)))
        if (order === undefined) return hits
        const reranked = order.flatMap(({ index, score }) =>
          first.slice(index, index + 1).map((hit): Hit => ({ ...hit, reranked: { from: index + 1, score } })),
        )
        return [...reranked, ...hits.slice(first.length)]
      })

      const search = Effect.fnUntraced(function* (asked: Question) {
        const question = { ...asked, topK: Math.max(asked.topK, reranker?.passages ?? 0) }
        const threshold = question.threshold ?? defaultThreshold
        const vector = yield* vectorOf(question.query)
        let found = yield* attempt(question, threshold, vector, "cached")
        // A document that changed meanwhile would be found with neither its old nor its new content.
        for (let attempts = 1; !found.isFinal && attempts < ATTEMPTS; attempts++) {
          found = yield* attempt(question, threshold, vector, "current")
        }
        const others = withoutNeighbours(bounded(question.query, MESSAGE_MAX_LENGTH), found.hits, textOf)
        // What only came near because of a neighbour goes with it.
        const highest = others.length < found.hits.length ? (found.hits[0]?.similarity ?? 1) : 0
        const isAnswerable = others.some(({ similarity }) => similarity ** 2 >= threshold * highest)
        const hits = yield* reorder(question.query, isAnswerable ? others : [])
        return { hits: hits.slice(0, asked.topK), synonyms: found.synonyms, threshold }
      })

      return {
        /**
         * Returns the passages most relevant to the question, best first: at most `topK`, or none when no passage's
         * similarity reaches the threshold. Where one does, the others count as reaching it too. The order is that of the
         * fused score, not of `similarity`, and among the first that of the reranker, where there is one. `synonyms` are
         * the words and phrases that were searched for in place of the question's own.
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
