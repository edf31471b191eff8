import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { Context, Effect, Layer, Predicate, Semaphore } from "effect"
import type { NotFound, Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { search as metrics } from "../../observability/Metrics.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { commonness } from "../../language/words/Commonness.ts"
import type { Term } from "../segments/Lexemes.ts"
import { addPack } from "../segments/SegmentBuild.ts"
import { SegmentBuilder } from "../segments/SegmentBuilder.ts"
import { type KnowledgeIndexesSettings, type KnowledgeState, makeIndexBuilder } from "./IndexBuilder.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import type { Sample } from "./Sample.ts"
import { select } from "./Selection.ts"
import { type Entry, Slots } from "./Slots.ts"
import { Stems } from "./Stems.ts"
import { Synonyms } from "./Synonyms.ts"

/** An index of a chatbot's knowledge, ready to be searched for one question. */
export interface OpenedIndex {
  readonly index: LexicalIndex
  /** The question in the terms of the index. */
  readonly query: LexicalQuery
  /** The number of passages in the knowledge base, whether or not they are in the index. */
  readonly chunks: number
  /** The version of the chatbot's knowledge. The index is of this version or of a later one. */
  readonly version: bigint
  /** Whether the version was read from the database during the call. */
  readonly isCurrent: boolean
}

/**
 * Freshness that an index has to have.
 *
 * - `current`: of the version that the database has at the time of the call, which takes a round trip to the database.
 * - `cached`: of any version, and without a round trip where possible. The caller has to compare the version with that
 *   of the passages that it fetches, and has to search again with `current` where they differ.
 */
export type Freshness = "current" | "cached"

/** The approximate number of chunks that are scored for a question where there is no index in memory. */
const MATCHES_WITHOUT_INDEX = 1_500
/** The number of chunks, the newest ones, that are scanned where the database has no index of words either. */
const SCANNED_WITHOUT_INDEX = 50_000

/** Keeps lexical indexes in memory, one for each knowledge base that was recently searched. */
export class KnowledgeIndexes extends Context.Service<KnowledgeIndexes>()("parley/knowledge/search/KnowledgeIndexes", {
  make: (settings: KnowledgeIndexesSettings) =>
    Effect.gen(function* () {
      const chunks = yield* Chunks
      const stems = new Stems()
      const slots = new Slots(settings.bytes)
      const build = yield* makeIndexBuilder(settings, slots)
      yield* metrics.indexes().read(() => slots.usage.count)
      yield* metrics.bytes().read(() => slots.usage.bytes)
      metrics.limit().set(settings.bytes)

      /** Returns an entry of this version or of a later one, and makes it where there is none. */
      const atLeast = Effect.fnUntraced(function* (key: string, chatbotId: ChatbotId, state: KnowledgeState) {
        const slot = slots.touch(key, yield* currentMonotonicMillis)
        const cached = Effect.sync(() => (slot.entry && slot.entry.version >= state.version ? slot.entry : undefined))
        const built = Effect.gen(function* () {
          const entry = yield* build(slot, chatbotId, state)
          slot.entry = entry
          slots.makeRoom()
          return entry
        })
        const cachedOrBuilt = Effect.filterOrElse(cached, Predicate.isNotUndefined, () => built)
        return (yield* cached) ?? (yield* Semaphore.withPermit(slot.lock, cachedOrBuilt))
      })

      /** Makes an index of the chunks that the database finds for this question. */
      const indexFor = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        question: BoundedText,
        { chunks: size, languages, revisions }: Entry,
        content: Sample,
        query: LexicalQuery,
      ) {
        const [room, scannedMax] = [MATCHES_WITHOUT_INDEX, SCANNED_WITHOUT_INDEX]
        const alternatives = query.flatMap(({ alternatives = [] }) => alternatives.flatMap(({ words }) => words))
        const lexemes = new Map([
          ...stems.lexemes(languages, question),
          ...alternatives.flatMap(({ terms, texts }) =>
            terms.map((term, index) => [term, texts[index] ?? ""] as const),
          ),
        ])
        const { isExhaustive, chunkFrequency, ...selected } = select(query, content, size, lexemes, room)
        const builder = new SegmentBuilder(new Set(lexemes.keys()))
        yield* addPack(builder, yield* chunks.matching(chatbotId, { ...selected, room, scannedMax }))
        return new LexicalIndex([builder.build()], {
          isOutdated: ({ id, revision }) => revisions?.get(id) !== revision,
          collection: {
            chunks: size,
            chunkFrequency: (word) => (isExhaustive(word) ? undefined : chunkFrequency(word)),
            averageLength: content.averageLength,
          },
        })
      })

      /** Returns an entry of the version that the database has, and caches the stems of the question. */
      const current = Effect.fnUntraced(function* (key: string, chatbotId: ChatbotId, question: BoundedText) {
        let words = stems.unknown(slots.peek(key)?.entry?.languages ?? [], question)
        const { analyses, ...state } = yield* chunks.probe(chatbotId, words)
        stems.learn(words, analyses)
        const entry = yield* atLeast(key, chatbotId, state)
        words = [question, ...entry.synonyms.flat().map((synonym) => bounded(synonym))].flatMap((text) =>
          stems.unknown(entry.languages, text),
        )
        if (words.length > 0) stems.learn(words, (yield* chunks.probe(chatbotId, words)).analyses)
        return entry
      })

      /** The question in the terms of an entry; undefined when the stem of a word is not cached. */
      const queryOf = (key: string, entry: Entry, question: BoundedText): LexicalQuery | undefined => {
        const slot = slots.peek(key)
        const { content } = entry
        const index = content instanceof LexicalIndex ? content : undefined
        const isKnown = index && ((term: Term) => index.holds(term))
        const queryWith = (synonyms?: Synonyms) => {
          const query = stems.query(entry.languages, question, commonness, synonyms, isKnown)
          return query && (index?.inWrittenForms(query) ?? query)
        }
        if (slot === undefined || entry.synonyms.length === 0) return queryWith()
        if (slot.synonyms?.source !== entry.synonyms) {
          slot.synonyms = Synonyms.of(entry.synonyms, entry.languages, (language, text) =>
            stems.stemmed(language, text),
          )
        }
        return slot.synonyms && queryWith(slot.synonyms)
      }

      const opened = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        question: BoundedText,
        entry: Entry,
        query: LexicalQuery,
        isCurrent: boolean,
      ) {
        const { chunks, content, version } = entry
        const index =
          content instanceof LexicalIndex ? content : yield* indexFor(chatbotId, question, entry, content, query)
        return { index, query, chunks, version, isCurrent }
      })

      const open = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        question: BoundedText,
        freshness: Freshness,
      ): Effect.fn.Return<OpenedIndex, NotFound | Unavailable, CurrentOrganization> {
        const key = `${yield* CurrentOrganization} ${chatbotId}`
        const cached = freshness === "cached" ? slots.peek(key)?.entry : undefined
        const cachedQuery = cached && queryOf(key, cached, question)
        if (cached !== undefined && cachedQuery !== undefined) {
          slots.touch(key, yield* currentMonotonicMillis)
          return yield* opened(chatbotId, question, cached, cachedQuery, false)
        }
        const entry = yield* current(key, chatbotId, question)
        const query = queryOf(key, entry, question)
        // Questions of others have displaced the words at this very moment.
        if (query === undefined) return yield* open(chatbotId, question, "current")
        return yield* opened(chatbotId, question, entry, query, true)
      })

      return {
        /**
         * Returns an index of a chatbot's knowledge, and the question in its terms. Where the knowledge base is too
         * large for an index in memory, the index contains only the chunks that the database finds for this question.
         *
         * A word that occurs in no earlier question takes a round trip to the database, at any freshness.
         */
        open,

        /** The number of knowledge bases that are kept in memory, and the bytes that their indexes take. */
        usage: Effect.sync(() => slots.usage),
      }
    }),
}) {
  static readonly layer = (settings: KnowledgeIndexesSettings) => Layer.effect(this, this.make(settings))
}
