import { Context, Effect, Layer, Semaphore } from "effect"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { Language } from "../domain/Language.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { spacedWords } from "../domain/Words.ts"
import { commonness } from "../embeddings/Commonness.ts"
import { Chunks, type ServingDocument } from "../storage/Chunks.ts"
import { termOf } from "./Lexemes.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import { type LexicalQuery, makeLexicalQuery } from "./LexicalQuery.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"
import { planSegments } from "./SegmentPlan.ts"

/** What is known of a chatbot's knowledge at one version of it. */
interface Entry {
  readonly version: bigint
  readonly languages: ReadonlyArray<Language>
  /** Passages in all. */
  readonly chunks: number
  /** Absent when it would be too large. */
  readonly index: LexicalIndex | undefined
}

interface Slot {
  /** Held by whoever brings the entry up to date; the others wait and find it done. */
  readonly gate: Semaphore.Semaphore
  entry: Entry | undefined
}

/** About what a chunk of 400 tokens takes in an index. */
const EXPECTED_BYTES_PER_CHUNK = 1_600
/** Chunks read, and added to an index, in one go: more would hold up other requests for more than a few ms. */
const CHUNKS_AT_ONCE = 250
/** Of a knowledge base too large for an index, so many chunks are scored for a question. */
const MATCHES_WITHOUT_INDEX = 1_000

/** In-process lexical indexes, one for each knowledge base that was lately searched. */
export class KnowledgeIndexes extends Context.Service<
  KnowledgeIndexes,
  {
    /**
     * An index of all that the chatbot knows at the time of the call, and the question in the index's terms. Usually one
     * round trip to the database, which checks the chatbot and its knowledge's version and stems the question. Of a
     * knowledge base too large for an index, an index of what the database finds for this question.
     */
    readonly open: (
      chatbotId: ChatbotId,
      question: string,
    ) => Effect.Effect<
      { readonly index: LexicalIndex; readonly query: LexicalQuery },
      NotFound | Unavailable,
      CurrentOrganization
    >
  }
>()("parley/knowledge/KnowledgeIndexes") {
  /** @param options `bytes` is the memory that all indexes may take together */
  static readonly layer = (options: { readonly bytes: number }) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const chunks = yield* Chunks
        /** Least recently used first. */
        const slots = new Map<ChatbotId, Slot>()

        const touch = (chatbotId: ChatbotId): Slot => {
          const slot = slots.get(chatbotId) ?? { gate: Semaphore.makeUnsafe(1), entry: undefined }
          slots.delete(chatbotId)
          slots.set(chatbotId, slot)
          return slot
        }

        const makeRoom = (): void => {
          const bytesOf = (slot: Slot): number => slot.entry?.index?.bytes ?? 0
          let used = Array.from(slots.values(), bytesOf).reduce((sum, bytes) => sum + bytes, 0)
          for (const [chatbotId, slot] of slots) {
            if (used <= options.bytes || slots.size === 1) return
            used -= bytesOf(slot)
            slots.delete(chatbotId)
          }
        }

        const load = Effect.fnUntraced(function* (chatbotId: ChatbotId, documents: ReadonlyArray<ServingDocument>) {
          const builder = new SegmentBuilder()
          for (const batch of batchesOf(documents)) {
            for (const row of yield* chunks.lexemes(chatbotId, batch)) builder.add(row)
          }
          return builder.build()
        })

        const build = Effect.fn("KnowledgeIndexes.build")(function* (
          chatbotId: ChatbotId,
          version: bigint,
          previous: LexicalIndex | undefined,
        ): Effect.fn.Return<Entry, Unavailable, CurrentOrganization> {
          const serving = yield* chunks.serving(chatbotId)
          const size = serving.reduce((sum, document) => sum + document.chunks, 0)
          if (size * EXPECTED_BYTES_PER_CHUNK > options.bytes) {
            return { version, languages: yield* chunks.languages(chatbotId), chunks: size, index: undefined }
          }
          const plan = planSegments(previous?.segments ?? [], serving)
          const added = plan.load.length === 0 ? [] : [yield* load(chatbotId, plan.load)]
          const revisions = new Map(serving.map((document) => [document.id, document.revision]))
          const index = new LexicalIndex([...plan.keep, ...added], {
            // A newer revision than was listed may have been read: it serves, and the version has moved on.
            isGone: (document) => document.revision < (revisions.get(document.id) ?? Infinity),
          })
          return { version, languages: index.languages, chunks: index.size, index }
        })

        /** An entry of this version or a later one. */
        const atLeast = Effect.fnUntraced(function* (chatbotId: ChatbotId, version: bigint) {
          const slot = touch(chatbotId)
          if (slot.entry !== undefined && slot.entry.version >= version) return slot.entry
          return yield* Semaphore.withPermit(
            slot.gate,
            Effect.gen(function* () {
              if (slot.entry !== undefined && slot.entry.version >= version) return slot.entry
              slot.entry = yield* build(chatbotId, version, slot.entry?.index)
              makeRoom()
              return slot.entry
            }),
          )
        })

        const matchesWithoutIndex = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          entry: Entry,
          asked: ReturnType<typeof wordsIn>,
        ) {
          const { matches, holding } = yield* chunks.matching(chatbotId, asked, MATCHES_WITHOUT_INDEX)
          const builder = new SegmentBuilder()
          for (const match of matches) builder.add(match)
          const holdingOf = new Map(holding.map(({ lexemes, chunks }) => [termOf(lexemes), chunks]))
          return new LexicalIndex([builder.build()], {
            collection: { chunks: entry.chunks, holding: (term) => holdingOf.get(term) ?? 0 },
          })
        })

        const open = Effect.fnUntraced(function* (chatbotId: ChatbotId, question: string) {
          const known = slots.get(chatbotId)?.entry
          let asked = wordsIn(known?.languages ?? [], question)
          const probed = yield* chunks.probe(chatbotId, asked)
          const entry = yield* atLeast(chatbotId, probed.version)
          let analyses = probed.analyses
          if (entry.languages.join() !== known?.languages.join()) {
            asked = wordsIn(entry.languages, question)
            analyses = (yield* chunks.probe(chatbotId, asked)).analyses
          }
          return {
            index: entry.index ?? (yield* matchesWithoutIndex(chatbotId, entry, asked)),
            query: makeLexicalQuery(spacedWords(question), analyses, commonness),
          }
        })

        return { open }
      }),
    )
}

const wordsIn = (languages: ReadonlyArray<Language>, question: string) =>
  languages.map((language) => ({ language, words: spacedWords(question, language) }))

function* batchesOf(documents: ReadonlyArray<ServingDocument>): Generator<ReadonlyArray<DocumentId>> {
  let batch: Array<DocumentId> = []
  let size = 0
  for (const document of documents) {
    batch.push(document.id)
    size += document.chunks
    if (size < CHUNKS_AT_ONCE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}
