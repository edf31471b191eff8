import { Context, Effect, Layer } from "effect"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import type { RankedChunk } from "../storage/ChunkRanking.ts"
import { Chunks } from "../storage/Chunks.ts"
import { KnowledgeIndexes } from "./KnowledgeIndexes.ts"
import { THRESHOLD } from "./Similarity.ts"

/** A passage that bears on the question. */
export type Hit = RankedChunk

/** Chunks of each kind of search that are ranked by both. More change no result among the first ten (measured). */
const CANDIDATES = 30

/** Of a dimension that no model has, so it is compared with nothing. */
const NO_VECTOR = Float32Array.of(1)

/** Looks at a knowledge base that changes while it is searched. */
const ATTEMPTS = 5

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
  static readonly layer = (options: { readonly threshold: number | undefined }) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const chunks = yield* Chunks
        const embeddings = yield* Embeddings
        const indexes = yield* KnowledgeIndexes
        const threshold = options.threshold ?? THRESHOLD

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

        const attempt = Effect.fnUntraced(function* ({ chatbotId, query, topK }: Question) {
          const opened = yield* indexes.open(chatbotId, query)
          const matches = opened.index.search(opened.query, Math.max(CANDIDATES, topK))
          const candidates = embeddings.isSemantic ? matches : matches.filter((match) => match.similarity >= threshold)
          if (candidates.length === 0 && !embeddings.isSemantic) return { chunks: [], isComplete: true }
          const embedding = yield* embed(query)
          return yield* chunks.rank({
            chatbotId,
            candidates,
            embedding,
            embeddingModel: embeddings.model,
            vectorWeight: embeddings.weight,
            nearest: embeddings.isSemantic && embedding !== NO_VECTOR ? Math.max(CANDIDATES, topK) : 0,
            cosineIsSimilarity: embeddings.isSemantic,
            unrelatedCosine: embeddings.unrelatedCosine,
            threshold,
            limit: topK,
          })
        })

        const search = Effect.fn("Retriever.search")(function* (question: Question) {
          // A document that is replaced between the two looks would answer with neither its old nor its new content.
          const { chunks: hits } = yield* Effect.repeat(attempt(question), {
            until: (ranked) => ranked.isComplete,
            times: ATTEMPTS - 1,
          })
          return { hits, threshold }
        })

        return { search }
      }),
    )
}
