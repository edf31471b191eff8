import { Context, Deferred, Duration, Effect, Layer, Option, Predicate, Semaphore, Stream } from "effect"
import { type NotFound, Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { commonness } from "../../text/Commonness.ts"
import { type ChunkPack, type ServingDocument, unpack } from "../../storage/search/ChunkPacks.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { LexemeIndexes } from "../../storage/search/LexemeIndexes.ts"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import { placesToSample, Sample } from "./Sample.ts"
import { packsOf } from "../segments/Reading.ts"
import type { Segment } from "../segments/Segment.ts"
import { SegmentBuilder } from "../segments/SegmentBuilder.ts"
import { disjoint, missingFrom, outdatedBy, planSegments, sizeOf } from "../segments/SegmentPlan.ts"
import { Snapshots } from "../segments/Snapshots.ts"
import { select } from "./Selection.ts"
import { type Entry, ParkedIndex, type Slot, Slots } from "./Slots.ts"
import { Stems } from "./Stems.ts"

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

/** About what a chunk of 400 tokens takes in an index, without its sketch. */
const EXPECTED_BYTES_PER_CHUNK = 1_600
const EXPECTED_SKETCH_BYTES = 512
/** Of knowledge bases with chunks of that size, the largest for an index of so many bytes. */
export const chunksThatFit = (bytes: number): number =>
  Math.floor(bytes / (EXPECTED_BYTES_PER_CHUNK + EXPECTED_SKETCH_BYTES))

const CHUNKS_WITHIN_SEARCH = 2_000
/** How long a search waits for an index that is being built, before it does without. */
const PATIENCE = Duration.millis(250)
/** What could not be built is not read again before. */
const RETRY_AFTER = Duration.seconds(30)
/** Of a knowledge base without an index in memory, about so many chunks are scored for a question. */
const MATCHES_WITHOUT_INDEX = 1_500
/** Without an index of words either, so many passages are looked through for a question, the newest. */
const SCANNED_WITHOUT_INDEX = 50_000
/** Chunks added to an index before others have their turn. */
const CHUNKS_PER_TURN = 250

export interface KnowledgeIndexesSettings {
  /** Memory that all indexes may take together. */
  readonly bytes: number
  /** So many chunks are read within a search; what takes more is built on another thread, and kept on disk. */
  readonly chunksWithinSearch?: number
}

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
>()("parley/knowledge/search/KnowledgeIndexes") {
  static readonly layer = ({ bytes: bytesMax, chunksWithinSearch = CHUNKS_WITHIN_SEARCH }: KnowledgeIndexesSettings) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const chunks = yield* Chunks
        const embeddings = yield* Embeddings
        const lexemeIndexes = yield* LexemeIndexes
        const snapshots = yield* Snapshots
        const scope = yield* Effect.scope
        const stems = new Stems()
        /** Vectors that tell spelling only are compared here; those that tell meaning are searched in the database. */
        const sketched = embeddings.isSemantic ? undefined : embeddings.model
        const expectedBytes = EXPECTED_BYTES_PER_CHUNK + (sketched === undefined ? 0 : EXPECTED_SKETCH_BYTES)
        const slots = new Slots(bytesMax, snapshots.pathOf)

        const load = Effect.fnUntraced(function* (chatbotId: ChatbotId, documents: ReadonlyArray<ServingDocument>) {
          const builder = new SegmentBuilder()
          yield* Stream.runForEach(packsOf(chunks, chatbotId, documents, sketched), (pack) => addInTurns(builder, pack))
          return builder.build()
        })

        /** On another thread, without being waited for: whoever wants it looks at `slot.building`. */
        const begin = Effect.fnUntraced(function* (
          slot: Slot,
          key: string,
          chatbotId: ChatbotId,
          version: bigint,
          documents: ReadonlyArray<ServingDocument>,
        ) {
          const building = yield* Deferred.make<Segment, Unavailable>()
          slot.building = building
          slot.begunFor = version
          yield* snapshots.build(chatbotId, packsOf(chunks, chatbotId, documents, sketched)).pipe(
            Effect.tap((segment) => Deferred.succeed(building, segment)),
            Effect.tap((segment) => Semaphore.withPermit(slot.gate, finish(slot, key, chatbotId, segment))),
            Effect.tapCause((cause) => Effect.logWarning("A search index was not built", cause)),
            Effect.onExit(() => {
              if (slot.building === building) slot.building = undefined
              return Deferred.fail(building, notBuilt)
            }),
            Effect.catchCause(() =>
              Effect.andThen(
                Effect.sleep(RETRY_AFTER),
                Effect.sync(() => {
                  slot.begunFor = -1n
                  slot.entry = undefined
                }),
              ),
            ),
            Effect.forkIn(scope),
          )
        })

        /** What was built takes the place of what it was made of, and of a sample. */
        const finish = Effect.fnUntraced(
          function* (slot: Slot, key: string, chatbotId: ChatbotId, segment: Segment) {
            yield* take(slot, segment)
            slot.building = undefined
            // Room was made for others meanwhile: the next search finds it on disk.
            if (slots.peek(key) !== slot) return
            const { version } = yield* chunks.probe(chatbotId, [])
            slot.entry = yield* build(slot, key, chatbotId, version)
            slots.makeRoom()
          },
          Effect.catchTag("NotFound", () => Effect.void),
        )

        const take = Effect.fnUntraced(function* (slot: Slot, segment: Segment) {
          const segments = disjoint([segment, ...slot.segments.filter((each) => each !== segment)])
          yield* snapshots.discard(slot.segments.filter((each) => !segments.includes(each)))
          slot.segments = segments
        })

        const sampleOf = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          serving: ReadonlyArray<ServingDocument>,
          previous: Entry["held"] | undefined,
        ) {
          const size = sizeOf(serving)
          if (previous instanceof Sample && previous.standsFor(size)) return previous
          const builder = new SegmentBuilder()
          yield* addInTurns(builder, yield* chunks.sample(chatbotId, placesToSample(serving)))
          return new Sample(size, builder.build())
        })

        /** For searches that the database answers. */
        const withoutIndex = Effect.fnUntraced(function* (
          slot: Slot,
          chatbotId: ChatbotId,
          version: bigint,
          serving: ReadonlyArray<ServingDocument>,
        ) {
          const [languages, held] = yield* Effect.all(
            [chunks.languages(chatbotId), sampleOf(chatbotId, serving, slot.entry?.held)],
            { concurrency: "unbounded" },
          )
          return { version, languages, chunks: sizeOf(serving), held }
        })

        const build = Effect.fn("KnowledgeIndexes.build")(function* (
          slot: Slot,
          key: string,
          chatbotId: ChatbotId,
          version: bigint,
        ): Effect.fn.Return<Entry<LexicalIndex | Sample>, Unavailable, CurrentOrganization> {
          const serving = yield* chunks.serving(chatbotId, sketched)
          if (sizeOf(serving) * expectedBytes > bytesMax) {
            yield* lexemeIndexes.request(chatbotId)
            slot.segments = []
            return yield* withoutIndex(slot, chatbotId, version, serving)
          }
          if (slot.segments.length === 0 && sizeOf(serving) > chunksWithinSearch) {
            slot.segments = disjoint(yield* snapshots.open(chatbotId))
          }
          const plan = planSegments(slot.segments, serving)
          if (sizeOf(plan.load) <= chunksWithinSearch) {
            const added = plan.load.length === 0 ? [] : [yield* load(chatbotId, plan.load)]
            yield* snapshots.discard(slot.segments.filter((segment) => !plan.keep.includes(segment)))
            slot.segments = [...plan.keep, ...added]
          } else {
            if (slot.building === undefined && slot.begunFor < version) {
              yield* begin(slot, key, chatbotId, version, plan.load)
            }
            const built = slot.building && (yield* awaited(slot.building))
            if (built !== undefined) yield* take(slot, built)
            const missing = missingFrom(slot.segments, serving)
            // The little that is new is added at once: what it is to be one with comes later.
            if (sizeOf(missing) > chunksWithinSearch) return yield* withoutIndex(slot, chatbotId, version, serving)
            if (missing.length > 0) slot.segments = [...slot.segments, yield* load(chatbotId, missing)]
          }
          const index = new LexicalIndex(slot.segments, { isGone: outdatedBy(serving) })
          return { version, languages: index.languages, chunks: index.size, held: index }
        })

        /** An entry of this version or a later one. */
        const atLeast = Effect.fnUntraced(function* (key: string, chatbotId: ChatbotId, version: bigint) {
          const slot = slots.touch(key)
          const held = Effect.gen(function* () {
            const { entry } = slot
            return entry === undefined || entry.version < version ? undefined : yield* revived(slot, entry, chatbotId)
          })
          const made = Effect.gen(function* () {
            const entry = yield* build(slot, key, chatbotId, version)
            slot.entry = entry
            slots.makeRoom()
            return entry
          })
          const orMade = Effect.filterOrElse(held, Predicate.isNotUndefined, () => made)
          return (yield* held) ?? (yield* Semaphore.withPermit(slot.gate, orMade))
        })

        const selected = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          question: string,
          { chunks: size, languages, held }: Entry<Sample>,
          query: LexicalQuery,
        ) {
          const [room, scannedMax] = [MATCHES_WITHOUT_INDEX, SCANNED_WITHOUT_INDEX]
          const lexemes = stems.lexemes(languages, question)
          const { best, next, isWhole, holding } = select(query, held, size, lexemes, room)
          const builder = new SegmentBuilder(new Set(lexemes.keys()))
          yield* addInTurns(builder, yield* chunks.matching(chatbotId, { best, next, room, scannedMax }))
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
          let asked = stems.unknown(slots.peek(key)?.entry?.languages ?? [], question)
          const { version, analyses } = yield* chunks.probe(chatbotId, asked)
          stems.learn(asked, analyses)
          const entry = yield* atLeast(key, chatbotId, version)
          asked = stems.unknown(entry.languages, question)
          if (asked.length > 0) stems.learn(asked, (yield* chunks.probe(chatbotId, asked)).analyses)
          return entry
        })

        /** The entry with its index, if it was parked; undefined when that is not to be had any more. */
        const revived = Effect.fnUntraced(function* (slot: Slot, entry: Entry, chatbotId: ChatbotId) {
          const { held } = entry
          if (!(held instanceof ParkedIndex)) return { ...entry, held }
          const segments: Array<Segment> = []
          for (const part of held.parts) {
            const segment = typeof part === "string" ? yield* snapshots.reopen(chatbotId, part) : part
            if (segment !== undefined) segments.push(segment)
          }
          if (segments.length < held.parts.length) {
            slot.entry = undefined
            return undefined
          }
          const back = { ...entry, held: new LexicalIndex(segments, { norms: held.norms }) }
          if (slot.entry === entry) {
            slot.entry = back
            slot.segments = segments
            slots.makeRoom()
          }
          return back
        })

        const opened = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          question: string,
          entry: Entry<LexicalIndex | Sample>,
          query: LexicalQuery,
          isCurrent: boolean,
        ) {
          const { chunks, held, version } = entry
          const index =
            held instanceof LexicalIndex ? held : yield* selected(chatbotId, question, { ...entry, held }, query)
          return { index, query, chunks, version, isCurrent }
        })

        const open = Effect.fnUntraced(function* (
          chatbotId: ChatbotId,
          question: string,
          wanted: "current" | "remembered",
        ): Effect.fn.Return<OpenedIndex, NotFound | Unavailable, CurrentOrganization> {
          const key = `${yield* CurrentOrganization} ${chatbotId}`
          const known = wanted === "remembered" ? slots.peek(key)?.entry : undefined
          const asked = known && stems.query(known.languages, question, commonness)
          if (known !== undefined && asked !== undefined) {
            const entry = yield* revived(slots.touch(key), known, chatbotId)
            if (entry !== undefined) return yield* opened(chatbotId, question, entry, asked, false)
          }
          const entry = yield* current(key, chatbotId, question)
          const query = stems.query(entry.languages, question, commonness) ?? []
          return yield* opened(chatbotId, question, entry, query, true)
        })

        return { open }
      }),
    )
}

const notBuilt = new Unavailable({ detail: "A search index could not be built.", retry_after_seconds: 1 })

/** What is being built, if it is there before long. */
const awaited = (building: Deferred.Deferred<Segment, Unavailable>) =>
  Deferred.await(building).pipe(
    Effect.timeoutOption(PATIENCE),
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined),
  )

const addInTurns = Effect.fnUntraced(function* (builder: SegmentBuilder, pack: ChunkPack) {
  let added = 0
  for (const chunk of unpack(pack)) {
    builder.add(chunk)
    if (++added % CHUNKS_PER_TURN === 0) yield* Effect.yieldNow
  }
})
