import { Context, Effect, Layer } from "effect"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import type { RankedChunk } from "../storage/search/ChunkRanking.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import { VectorIndexes } from "../storage/search/VectorIndexes.ts"
import { fuse, weightFor } from "./search/Fusion.ts"
import { KnowledgeIndexes, type OpenedIndex } from "./search/KnowledgeIndexes.ts"
import type { LexicalMatch } from "./search/LexicalIndex.ts"
import { THRESHOLD } from "./search/Similarity.ts"
import { sparse } from "./segments/Sketch.ts"

/** A passage that bears on the question. */
export type Hit = RankedChunk

/** Chunks of each kind of search that are ranked by both. More change no result among the first ten (measured). */
const CANDIDATES = 30

/** Of a dimension that no model has, so it is compared with nothing. */
const NO_VECTOR = Float32Array.of(1)

/** Looks at a knowledge base that changes while it is searched. */
const ATTEMPTS = 5

type Wanted = Parameters<KnowledgeIndexes["Service"]["open"]>[2]

export interface RetrieverSettings {
  /** Similarity below which a search leaves a result out. Absent: as calibrated. */
  readonly threshold: number | undefined
}

/** Finds what a chatbot knows about a question: words decide, vectors refine; never all words are required. */
export class Retriever extends Context.Service<
  Retriever,
  {
    /**
     * The passages most relevant to the question, best first, at most `topK`, none with a `similarity` below the
     * threshold. Relevance is not the order of `similarity`.
     */
    readonly search: (question: {
      readonly chatbotId: ChatbotId
      readonly query: string
      readonly topK: number
    }) => Effect.Effect<
      { readonly hits: ReadonlyArray<Hit>; readonly threshold: number },
      NotFound | Unavailable,
      CurrentOrganization
    >
  }
>()("parley/knowledge/Retriever") {
  /** @param options `threshold` from 0 to 1; absent: calibrated, see `Similarity.ts` */
  static readonly layer = (settings: RetrieverSettings) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const chunks = yield* Chunks
        const embeddings = yield* Embeddings
        const indexes = yield* KnowledgeIndexes
        const vectorIndexes = yield* VectorIndexes
        const threshold = settings.threshold ?? THRESHOLD

        /** While the model cannot be asked, words alone decide. */
        const embed = (query: string) =>
          Effect.catchTag(embeddings.embedQuery(query), "Unavailable", ({ detail }) =>
            Effect.as(Effect.logDebug("A search goes without embeddings", { detail }), NO_VECTOR),
          )

        interface Question {
          readonly chatbotId: ChatbotId
          readonly query: string
          readonly topK: number
        }

        /** Looks once. What was found counts if it was all there, and if nothing was added that could be missing. */
        const attempt = Effect.fnUntraced(function* (
          { chatbotId, query, topK }: Question,
          vector: Effect.Effect<Float32Array>,
          wanted: Wanted,
        ) {
          const opened = yield* indexes.open(chatbotId, query, wanted)
          const matches = opened.index.search(opened.query, Math.max(CANDIDATES, topK))
          const isInMemory = !embeddings.isSemantic && opened.index.isSketched
          const found = yield* isInMemory
            ? rankHere(opened, chatbotId, vector, matches, topK)
            : rankInDatabase(chatbotId, opened.chunks, vector, matches, topK)
          const isCurrent = opened.isCurrent || found.version === opened.version
          return { hits: found.chunks, isDone: isCurrent && found.isComplete }
        })

        const rankHere = Effect.fnUntraced(function* (
          { index, query }: OpenedIndex,
          chatbotId: ChatbotId,
          vector: Effect.Effect<Float32Array>,
          matches: ReadonlyArray<LexicalMatch>,
          topK: number,
        ) {
          const candidates = matches.filter((match) => match.similarity >= threshold)
          const asked = sparse(candidates.length === 0 ? NO_VECTOR : yield* vector)
          const weight = weightFor(query, embeddings.weight)
          const best = fuse(candidates, (match) => index.cosine(asked, match), weight).slice(0, topK)
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
            cosineIsSimilarity: embeddings.isSemantic,
            unrelatedCosine: embeddings.unrelatedCosine,
            threshold,
            limit: topK,
          })
        })

        const search = Effect.fnUntraced(function* (question: Question) {
          const vector = yield* Effect.cached(embed(question.query))
          let found = yield* attempt(question, vector, "remembered")
          // What changes between the two looks would otherwise answer with neither its old nor its new content.
          for (let tries = 1; !found.isDone && tries < ATTEMPTS; tries++) {
            found = yield* attempt(question, vector, "current")
          }
          return { hits: found.hits, threshold }
        })

        return { search }
      }),
    )
}
