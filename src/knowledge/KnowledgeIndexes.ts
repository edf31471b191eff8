import { Context, Effect, Layer, Semaphore } from "effect"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { Language } from "../domain/Language.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { commonness } from "../embeddings/Commonness.ts"
import { Chunks, type ServingDocument } from "../storage/Chunks.ts"
import { LexemeIndexes } from "../storage/LexemeIndexes.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import { placesToSample, Sample } from "./Sample.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"
import { outdatedBy, planSegments } from "./SegmentPlan.ts"
import { select } from "./Selection.ts"
import { Stems } from "./Stems.ts"

/** What is known of a chatbot's knowledge at one version of it. */
interface Entry {
  readonly version: bigint
  readonly languages: ReadonlyArray<Language>
  /** Passages in all. */
  readonly chunks: number
  /** Where an index would be too large, a sample tells what to ask the database for. */
  readonly held: LexicalIndex | Sample
}

export interface OpenedIndex {
  readonly index: LexicalIndex
  readonly query: LexicalQuery
  /** Passages of the chatbot in all, whether or not they are in the index. */
  readonly chunks: number
  /** Of the chatbot's knowledge: the index is that of this version, or of a later one. */
  readonly version: bigint
  /** Whether the version was that of the database at the time of the call. */
  readonly isCurrent: boolean
}

interface Slot {
  /** Held by whoever brings the entry up to date; the others wait and find it done. */
  readonly gate: Semaphore.Semaphore
  entry: Entry | undefined
}

/** About what a chunk of 400 tokens takes in an index, without its sketch. */
const EXPECTED_BYTES_PER_CHUNK = 1_600
const EXPECTED_SKETCH_BYTES = 512
/** Chunks read, and added to an index, in one go: more would hold up other requests for more than a few ms. */
const CHUNKS_AT_ONCE = 250
/** While one batch is added, the database reads the next. */
const BATCHES_AT_ONCE = 2
/** Of a knowledge base too large for an index, about so many chunks are scored for a question. */
const MATCHES_WITHOUT_INDEX = 1_500

/** In-process lexical indexes, one for each knowledge base that was lately searched. */
export class KnowledgeIndexes extends Context.Service<
  KnowledgeIndexes,
  {
    /**
     * An index of what the chatbot knows, and the question in the index's terms. Of a knowledge base too large for an
     * index, an index of what the database finds for this question.
     *
     * `current`: as of the call, which takes a round trip to the database; so does a word that no question had before.
     * `remembered`: of an earlier time, if possible without a round trip. Then whoever reads what was found has to
     * compare the version, and to ask again when it has moved.
     */
    readonly open: (
      chatbotId: ChatbotId,
      question: string,
      wanted: "current" | "remembered",
    ) => Effect.Effect<OpenedIndex, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/knowledge/KnowledgeIndexes") {
  /** @param options `bytes` is the memory that all indexes may take together */
  static readonly layer = (options: { readonly bytes: number }) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const chunks = yield* Chunks
        const embeddings = yield* Embeddings
        const lexemeIndexes = yield* LexemeIndexes
        const stems = new Stems()
        /** Vectors that tell spelling only are compared here; those that tell meaning are searched in the database. */
        const sketched = embeddings.isSemantic ? undefined : embeddings.model
        const expectedBytes = EXPECTED_BYTES_PER_CHUNK + (sketched === undefined ? 0 : EXPECTED_SKETCH_BYTES)
        /** Least recently used first; by organization, so that nobody gets to see an index without asking the database. */
        const slots = new Map<string, Slot>()

        const touch = (key: string): Slot => {
          const slot = slots.get(key) ?? { gate: Semaphore.makeUnsafe(1), entry: undefined }
          slots.delete(key)
          slots.set(key, slot)
          return slot
        }

        const makeRoom = (): void => {
          const bytesOf = (slot: Slot): number => slot.entry?.held.bytes ?? 0
          let used = Array.from(slots.values(), bytesOf).reduce((sum, bytes) => sum + bytes, 0)
          for (const [key, slot] of slots) {
            if (used <= options.bytes || slots.size === 1) return
            used -= bytesOf(slot)
            slots.delete(key)
          }
        }

        const load = Effect.fnUntraced(function* (chatbotId: ChatbotId, documents: ReadonlyArray<ServingDocument>) {
          const builder = new SegmentBuilder()
          const add = (batch: ReadonlyArray<DocumentId>) =>
            Effect.map(chunks.lexemes(chatbotId, batch, sketched), (rows) => {
              for (const row of rows) builder.add(row)
            })
          yield* Effect.forEach(batchesOf(documents), add, { concurrency: BATCHES_AT_ONCE, discard: true })
          return builder.build()
        })

        const sampleOf = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          serving: ReadonlyArray<ServingDocument>,
          size: number,
          previous: Entry["held"] | undefined,
        ) {
          if (previous instanceof Sample && previous.standsFor(size)) return previous
          return new Sample(size, yield* chunks.sample(chatbotId, placesToSample(serving)))
        })

        const build = Effect.fn("KnowledgeIndexes.build")(function* (
          chatbotId: ChatbotId,
          version: bigint,
          previous: Entry["held"] | undefined,
        ): Effect.fn.Return<Entry, Unavailable, CurrentOrganization> {
          const serving = yield* chunks.serving(chatbotId, sketched)
          const size = serving.reduce((sum, document) => sum + document.chunks, 0)
          if (size * expectedBytes > options.bytes) {
            yield* lexemeIndexes.want(chatbotId)
            const languages = yield* chunks.languages(chatbotId)
            return { version, languages, chunks: size, held: yield* sampleOf(chatbotId, serving, size, previous) }
          }
          const plan = planSegments(previous instanceof LexicalIndex ? previous.segments : [], serving)
          const added = plan.load.length === 0 ? [] : [yield* load(chatbotId, plan.load)]
          const index = new LexicalIndex([...plan.keep, ...added], { isGone: outdatedBy(serving) })
          return { version, languages: index.languages, chunks: index.size, held: index }
        })

        /** An entry of this version or a later one. */
        const atLeast = Effect.fnUntraced(function* (key: string, chatbotId: ChatbotId, version: bigint) {
          const slot = touch(key)
          if (slot.entry !== undefined && slot.entry.version >= version) return slot.entry
          return yield* Semaphore.withPermit(
            slot.gate,
            Effect.gen(function* () {
              if (slot.entry !== undefined && slot.entry.version >= version) return slot.entry
              slot.entry = yield* build(chatbotId, version, slot.entry?.held)
              makeRoom()
              return slot.entry
            }),
          )
        })

        const selected = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          question: string,
          { chunks: size, languages, held }: Entry & { readonly held: Sample },
          query: LexicalQuery,
        ) {
          const room = MATCHES_WITHOUT_INDEX
          const lexemes = stems.lexemes(languages, question)
          const { best, next, isWhole, holding } = select(query, held, size, lexemes, room)
          const matches = yield* chunks.matching(chatbotId, { best, next, room })
          const builder = new SegmentBuilder(new Set(lexemes.keys()))
          for (const match of matches) builder.add({ ...match, sketch: null, embedding: null })
          return new LexicalIndex([builder.build()], {
            collection: {
              chunks: size,
              holding: (term) => (isWhole(term) ? undefined : holding(term)),
              averageLength: held.averageLength,
            },
          })
        })

        /** Asks the database for the version, and for the stems that are missing. */
        const current = Effect.fnUntraced(function* (key: string, chatbotId: ChatbotId, question: string) {
          let asked = stems.unknown(slots.get(key)?.entry?.languages ?? [], question)
          const { version, analyses } = yield* chunks.probe(chatbotId, asked)
          stems.learn(asked, analyses)
          const entry = yield* atLeast(key, chatbotId, version)
          asked = stems.unknown(entry.languages, question)
          if (asked.length > 0) stems.learn(asked, (yield* chunks.probe(chatbotId, asked)).analyses)
          return entry
        })

        const opened = (
          chatbotId: ChatbotId,
          question: string,
          entry: Entry,
          query: LexicalQuery,
          isCurrent: boolean,
        ) => {
          const { chunks, held, version } = entry
          const made =
            held instanceof LexicalIndex
              ? Effect.succeed(held)
              : selected(chatbotId, question, { ...entry, held }, query)
          return Effect.map(made, (index): OpenedIndex => ({ index, query, chunks, version, isCurrent }))
        }

        const open = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          question: string,
          wanted: "current" | "remembered",
        ) {
          const key = `${yield* CurrentOrganization} ${chatbotId}`
          const known = wanted === "remembered" ? slots.get(key)?.entry : undefined
          const asked = known && stems.query(known.languages, question, commonness)
          if (known !== undefined && asked !== undefined) {
            touch(key)
            return yield* opened(chatbotId, question, known, asked, false)
          }
          const entry = yield* current(key, chatbotId, question)
          return yield* opened(
            chatbotId,
            question,
            entry,
            stems.query(entry.languages, question, commonness) ?? [],
            true,
          )
        })

        return { open }
      }),
    )
}

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
