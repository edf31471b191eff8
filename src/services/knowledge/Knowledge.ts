import { Array, Effect } from "effect"
import type { ChunkId } from "../../domain/knowledge/Chunk.ts"
import type { DocumentQuery } from "../../domain/knowledge/Document.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import type { Page } from "../../domain/Page.ts"
import { Service } from "../../domain/Service.ts"
import { type Hit, Retriever } from "../../knowledge/Retriever.ts"
import { KnowledgeIndexes } from "../../knowledge/search/KnowledgeIndexes.ts"
import { detectLanguage, isFunctionWord } from "../../language/Detection.ts"
import * as ChatbotStorage from "../../storage/chatbots/Chatbots.ts"
import { Messages } from "../../storage/conversations/Messages.ts"
import { Documents } from "../../storage/documents/Documents.ts"
import { Passages } from "../../storage/documents/Passages.ts"
import { AfterCommit } from "../../storage/sql/AfterCommit.ts"
import { Blobs } from "../../blobs/Blobs.ts"
import { Ingestion } from "../../jobs/Ingestion.ts"
import { Shares } from "../../admission/Shares.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { commonness } from "../../language/words/Commonness.ts"
import { isPair, spacedWords } from "../../language/words/Words.ts"

export type { Hit } from "../../knowledge/Retriever.ts"

/** The most passages that are compared with each other. */
const COMPARED_MAX = 60
/** The most passages that are shown beside the results. */
const LEFT_OUT_MAX = 10
/** The most words of a question that are looked for in the passages. */
const WORDS_MAX = 100

/** The most questions without an answer, the latest ones, whose words are looked for. */
const UNANSWERED_MAX = 200
/** The most words of them that are looked for, those of most questions. */
const ASKED_MAX = 200
/** The number of words that are looked for at once: all passages that hold one of so few find room in an index. */
const ASKED_AT_ONCE = 20
const SUGGESTIONS_MAX = 20
/** A word that a larger share of all texts holds says little about what is asked. */
const COMMON_SHARE = 0.01

/** A passage with the reasons for its place in the order. */
export interface ExplainedHit extends Hit {
  /** The words of the question that the passage, its title or its headings hold. */
  readonly matchedWords: ReadonlyArray<string>
  /** The synonyms of words of the question that they hold. */
  readonly matchedSynonyms: ReadonlyArray<string>
  /** Its place by each score alone, from 1; null where it has no such score. */
  readonly ranks: { readonly lexical: number; readonly vector: number | null }
}

/** Manages the documents of chatbots and searches them. */
export class Knowledge extends Service<Knowledge>()("parley/services/knowledge/Knowledge", function* () {
  const retriever = yield* Retriever
  const chatbots = yield* ChatbotStorage.Chatbots
  const documents = yield* Documents
  const passages = yield* Passages
  const messages = yield* Messages
  const indexes = yield* KnowledgeIndexes
  const blobs = yield* Blobs
  const ingestion = yield* Ingestion
  const withinShare = (yield* Shares).within("searches")
  const afterCommit = yield* AfterCommit

  return {
    /**
     * Returns the passages that match a question, best first; none when no similarity reaches the threshold.
     */
    search: (chatbotId: ChatbotId, query: string, topK: number) =>
      withinShare(retriever.search({ chatbotId, query, topK })),

    /** Finds what `search` finds, with the reasons, and what it leaves out, by a second search that leaves out nothing. */
    explain: Effect.fn("Knowledge.explain")(function* (chatbotId: ChatbotId, query: string, topK: number) {
      const { hits, synonyms, threshold } = yield* retriever.search({ chatbotId, query, topK })
      const all = yield* retriever.search({ chatbotId, query, topK: COMPARED_MAX, threshold: 0 })
      const shown = new Set(hits.map(({ chunkId }) => chunkId))
      const others = all.hits.filter(({ chunkId }) => !shown.has(chunkId))
      const next = others.slice(0, LEFT_OUT_MAX)
      const words = [...new Set(spacedWords(bounded(query, MESSAGE_MAX_LENGTH)).split(" "))].slice(0, WORDS_MAX)
      const phrases = synonyms.map((synonym) => spacedWords(bounded(synonym)))
      const matched = yield* passages.matched(
        [...hits, ...next].map(({ chunkId }) => chunkId),
        [...words, ...phrases],
      )
      const ranks = ranksOf([...hits, ...others])
      const explained = (hit: Hit): ExplainedHit => ({
        ...hit,
        matchedWords: words.filter((word) => matched.get(hit.chunkId)?.includes(word)),
        matchedSynonyms: synonyms.filter((_, index) => matched.get(hit.chunkId)?.includes(phrases[index] ?? "")),
        ranks: { lexical: ranks.lexical.get(hit.chunkId) ?? 1, vector: ranks.vector.get(hit.chunkId) ?? null },
      })
      // The threshold judges the question: where a passage reaches it, the others are beyond the number asked for.
      const reason = hits.length === 0 ? ("below_threshold" as const) : ("beyond_top_k" as const)
      return {
        hits: hits.map(explained),
        threshold,
        leftOut: next.map((hit) => ({ ...explained(hit), reason })),
      }
    }, withinShare),

    /**
     * Returns the words of recent questions without an answer that no passage holds in any form or spelling, and that
     * have no synonym, with these questions, the latest first: the words of most questions first.
     */
    suggestSynonyms: Effect.fn("Knowledge.suggestSynonyms")(function* (chatbotId: ChatbotId) {
      yield* chatbots.get(chatbotId)
      const asked = new Map<string, ReadonlyArray<string>>()
      for (const question of yield* messages.unanswered(chatbotId, UNANSWERED_MAX)) {
        for (const word of tellingWordsOf(question)) asked.set(word, [...(asked.get(word) ?? []), question])
        // Hundreds of long questions would occupy the event loop for tens of milliseconds.
        yield* Effect.yieldNow
      }
      const words = mostAsked(Array.fromIterable(asked), ASKED_MAX).map(([word]) => word)
      // Forms of a word have the same stems.
      const found = new Map<string, readonly [word: string, questions: ReadonlyArray<string>]>()
      for (const some of Array.chunksOf(words, ASKED_AT_ONCE)) {
        const { chunks, index, query } = yield* indexes.open(chatbotId, bounded(some.join(" ")), "cached")
        if (chunks === 0) return []
        for (const { spelling, stems } of index.missing(query)) {
          const [word, questions] = found.get(String(stems)) ?? [spelling?.word ?? "", []]
          found.set(String(stems), [word, [...questions, ...(asked.get(spelling?.word ?? "") ?? [])]])
        }
      }
      return mostAsked(Array.fromIterable(found.values()), SUGGESTIONS_MAX)
    }, withinShare),

    /** Deletes a document, or all documents of the chatbot. */
    remove: Effect.fn("Knowledge.remove")(function* (chatbot: ChatbotId, id: DocumentId | "all") {
      yield* chatbots.get(chatbot)
      yield* documents.remove(chatbot, id)
      yield* blobs.collect
    }),

    get: documents.get,

    /** Returns the text of a document as searches find it, in reading order: so many passages, from a number on. */
    passages: passages.ofDocument,

    /** Returns a page of the documents that a query asks for, and their total number. */
    list: Effect.fn("Knowledge.list")(function* (chatbot: ChatbotId, page: Page, query: DocumentQuery = {}) {
      yield* chatbots.get(chatbot)
      return yield* documents.list(chatbot, page, query)
    }),

    /** Queues a failed document for ingestion again. */
    retry: Effect.fn("Knowledge.retry")((chatbot: ChatbotId, id: DocumentId) =>
      Effect.tap(documents.retry(chatbot, id), () => afterCommit.run(ingestion.nudge)),
    ),
  }
}) {}

const mostAsked = <A extends readonly [word: string, questions: ReadonlyArray<string>]>(
  all: ReadonlyArray<A>,
  limit: number,
) => all.toSorted(([, one], [, other]) => other.length - one.length).slice(0, limit)

/** The words of a question that may say what it is about. */
const tellingWordsOf = (question: string): ReadonlySet<string> => {
  const text = bounded(question, MESSAGE_MAX_LENGTH)
  const language = detectLanguage(text)
  const isTelling = (word: string) =>
    /^\p{L}{3,}$/u.test(word) && !isPair(word) && !isFunctionWord(word, language) && commonness(word) <= COMMON_SHARE
  return new Set(spacedWords(text, language).split(" ").filter(isTelling))
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
