import { Context, Effect, Layer } from "effect"
import type { ChunkId } from "../../domain/Chunk.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { type Hit, Retriever } from "../../knowledge/Retriever.ts"
import { Passages } from "../../storage/documents/Passages.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { spacedWords } from "../../text/Words.ts"
import { Shares } from "../../admission/Shares.ts"

/** The most passages that are compared with each other. */
const COMPARED_MAX = 60
/** The most passages that are shown beside the results. */
const LEFT_OUT_MAX = 10
/** The most words of a question that are looked for in the passages. */
const WORDS_MAX = 100

/** A passage with the reasons for its place in the order. */
export interface ExplainedHit extends Hit {
  /** The words of the question that the passage, its title or its headings hold. */
  readonly matchedWords: ReadonlyArray<string>
  /** Its place by each score alone, from 1; null where it has no such score. */
  readonly ranks: { readonly lexical: number; readonly vector: number | null }
}

/** Searches that say why they found what they found, and what they left out. */
export class SearchExplanations extends Context.Service<SearchExplanations>()(
  "parley/services/console/SearchExplanations",
  {
    make: Effect.gen(function* () {
      const retriever = yield* Retriever
      const passages = yield* Passages
      const withinShare = (yield* Shares).within("searches")

      const search = Effect.fn("SearchExplanations.search")(function* (
        chatbotId: ChatbotId,
        query: string,
        topK: number,
      ) {
        const { hits, threshold } = yield* retriever.search({ chatbotId, query, topK })
        const all = yield* retriever.search({ chatbotId, query, topK: COMPARED_MAX, threshold: 0 })
        const shown = new Set(hits.map(({ chunkId }) => chunkId))
        const others = all.hits.filter(({ chunkId }) => !shown.has(chunkId))
        const next = others.slice(0, LEFT_OUT_MAX)
        const words = [...new Set(spacedWords(bounded(query, MESSAGE_MAX_LENGTH)).split(" "))].slice(0, WORDS_MAX)
        const matched = yield* passages.matchedWords(
          [...hits, ...next].map(({ chunkId }) => chunkId),
          words,
        )
        const ranks = ranksOf([...hits, ...others])
        const explained = (hit: Hit): ExplainedHit => ({
          ...hit,
          matchedWords: matched.get(hit.chunkId) ?? [],
          ranks: { lexical: ranks.lexical.get(hit.chunkId) ?? 1, vector: ranks.vector.get(hit.chunkId) ?? null },
        })
        return {
          hits: hits.map(explained),
          threshold,
          leftOut: next.map((hit) => ({
            ...explained(hit),
            reason: hit.similarity < threshold ? ("below_threshold" as const) : ("beyond_top_k" as const),
          })),
        }
      })

      return {
        /** Finds what `Knowledge.search` finds, by a second search that leaves nothing out. */
        search: (chatbot: ChatbotId, query: string, limit: number) => withinShare(search(chatbot, query, limit)),
      }
    }),
  },
) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The places of passages by each score alone, from 1. Passages with the same score share a place. */
const ranksOf = (hits: ReadonlyArray<Hit>) => {
  const by = (scoreOf: (hit: Hit) => number | null): ReadonlyMap<ChunkId, number> => {
    const scores = hits.flatMap((hit) => scoreOf(hit) ?? []).toSorted((one, other) => other - one)
    return new Map(
      hits.flatMap((hit) => {
        const score = scoreOf(hit)
        return score === null ? [] : [[hit.chunkId, scores.indexOf(score) + 1] as const]
      }),
    )
  }
  return { lexical: by(({ scores }) => scores.lexical), vector: by(({ scores }) => scores.vector) }
}
