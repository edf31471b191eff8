import { Deferred, Duration, Effect, Exit, Fiber, Option, Semaphore } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import type { ServingDocument } from "../../storage/search/ChunkPacks.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { LexemeIndexes } from "../../storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../../storage/search/VectorIndexes.ts"
import { addPack, buildSegment, buildSegmentElsewhere, packsOf } from "../segments/SegmentBuild.ts"
import type { Segment } from "../segments/Segment.ts"
import { SegmentBuilder } from "../segments/SegmentBuilder.ts"
import { disjoint, outdatedBy, planSegments, sizeOf } from "../segments/SegmentPlan.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import { placesToSample, Sample } from "./Sample.ts"
import type { Entry, Slot, Slots } from "./Slots.ts"

export interface KnowledgeIndexesSettings {
  /** The memory in bytes that all indexes may take together. */
  readonly bytes: number
  /** The most chunks that are read within a search. A larger index is built on another thread. */
  readonly chunksWithinSearch?: number
  /** The longest time for which searches wait for a segment that is being built. */
  readonly longestWait?: Duration.Duration
}

/** The state of a chatbot's knowledge of which an entry is built. */
export type KnowledgeState = Pick<Entry, "synonyms" | "version">

/** The memory that a chunk of 400 tokens takes in an index, without its sketch. */
const EXPECTED_BYTES_PER_CHUNK = 1_600
const EXPECTED_SKETCH_BYTES = 512
/**
 * The most numbers in the vectors of a knowledge base that are compared in memory, in up to two milliseconds of the event
 * loop. The vectors of a larger one are compared by the database, which has an index of them.
 */
export const NUMBERS_IN_MEMORY = 2 ** 24
/** The number of such chunks in the largest knowledge base whose index fits this many bytes. */
export const chunksThatFit = (bytes: number): number =>
  Math.floor(bytes / (EXPECTED_BYTES_PER_CHUNK + EXPECTED_SKETCH_BYTES))

const CHUNKS_WITHIN_SEARCH = 2_000
/**
 * The most chunks in a segment for which searches wait: one that is built in two seconds. For each search among as many,
 * the database and the server take a fifth of a second, so that those of several clients delay each other and the build.
 */
const CHUNKS_AWAITED = 30_000
/** The longest time for which they wait: on a busy machine, or after the segments of other knowledge bases. */
const LONGEST_WAIT = Duration.seconds(10)
/** The version of an entry that the next search replaces. */
const OUTDATED = -1n
/** The number of segments that are built at the same time. */
const CONCURRENT_BUILDS = 1
/** The pause after a build that failed, or that would have displaced indexes in use, during which no other is begun. */
const RETRY_AFTER = Duration.seconds(30)

/**
 * Makes the function that brings the entry of a slot up to date with the database: with an index, or with a sample
 * where the index would be too large or is still being built.
 */
export const makeIndexBuilder = Effect.fnUntraced(function* (settings: KnowledgeIndexesSettings, slots: Slots) {
  const chunks = yield* Chunks
  const embeddings = yield* Embeddings
  const lexemeIndexes = yield* LexemeIndexes
  const vectorIndexes = yield* VectorIndexes
  const builds = yield* Semaphore.make(CONCURRENT_BUILDS)
  const scope = yield* Effect.scope
  const { chunksWithinSearch = CHUNKS_WITHIN_SEARCH, longestWait = LONGEST_WAIT } = settings
  let dimensions: number | undefined

  /**
   * The vectors of an index of some documents: their model, undefined where the database compares them, and the expected
   * size of each. Before the first document is embedded there is nothing that the database could compare.
   */
  const vectorsOf = Effect.fnUntraced(function* (documents: ReadonlyArray<ServingDocument>) {
    const { isSemantic, model } = embeddings
    if (!isSemantic) return { model, bytes: EXPECTED_SKETCH_BYTES }
    const embedded = documents.find(({ isEmbedded }) => isEmbedded)
    if (embedded === undefined) return { model, bytes: 0 }
    dimensions ??= yield* chunks.dimensions(embedded)
    const isCompared = dimensions !== undefined && sizeOf(documents) * dimensions <= NUMBERS_IN_MEMORY
    return isCompared ? { model, bytes: dimensions ?? 0 } : { model: undefined, bytes: 0 }
  })

  const load = (chatbotId: ChatbotId, documents: ReadonlyArray<ServingDocument>, model: string | undefined) =>
    buildSegment(packsOf(chunks, chatbotId, documents, model))

  /** Adds a segment to the slot, in place of those that share a document with it. */
  const add = (slot: Slot, segment: Segment) => {
    slot.segments = disjoint([segment, ...slot.segments])
  }

  /** Replaces the slot's sample by an index with this segment, unless a search that waited for it has done so. */
  const adopt = Effect.fnUntraced(
    function* (slot: Slot, chatbotId: ChatbotId, segment: Segment) {
      // Otherwise the slot was evicted meanwhile.
      if (slots.peek(slot.key) !== slot || slot.segments.includes(segment)) return
      add(slot, segment)
      slot.entry = yield* build(slot, chatbotId, yield* chunks.probe(chatbotId, []))
      slots.makeRoom()
    },
    (adopted, { lock }) => Semaphore.withPermit(lock, adopted),
    Effect.catchTag("NotFound", () => Effect.void),
  )

  /**
   * Begins to build a segment on another thread, unless that would displace indexes in use, and returns at once. It is
   * not interruptible, because a search that leaves would leave a pending build behind that nobody makes.
   */
  const begin = Effect.fnUntraced(function* (
    slot: Slot,
    chatbotId: ChatbotId,
    version: bigint,
    documents: ReadonlyArray<ServingDocument>,
    vectors: Effect.Success<ReturnType<typeof vectorsOf>>,
  ) {
    if (slot.pending !== undefined || slot.lastBuildVersion >= version) return
    slot.lastBuildVersion = version
    const retry = Effect.delay(
      Effect.sync(() => {
        slot.lastBuildVersion = OUTDATED
        if (slot.entry !== undefined) slot.entry = { ...slot.entry, version: OUTDATED }
      }),
      RETRY_AFTER,
    )
    const size = sizeOf(documents)
    const bytes = size * (EXPECTED_BYTES_PER_CHUNK + vectors.bytes)
    if (!slots.hasRoom(slot, bytes)) {
      yield* lexemeIndexes.request(chatbotId)
      if (embeddings.isSemantic) yield* vectorIndexes.request
      return yield* Effect.forkIn(retry, scope)
    }
    const isAwaited = size <= CHUNKS_AWAITED
    const segment = yield* Deferred.make<Segment, Unavailable>()
    const awaited = yield* Effect.exit(Deferred.await(segment)).pipe(
      Effect.timeoutOption(isAwaited ? longestWait : Duration.zero),
      Effect.forkIn(scope),
    )
    slot.pending = { bytes, segment: Effect.map(Fiber.join(awaited), Option.flatMap(Exit.getSuccess)) }
    return yield* buildSegmentElsewhere(packsOf(chunks, chatbotId, documents, vectors.model), isAwaited).pipe(
      (building) => Semaphore.withPermit(builds, building),
      Effect.onExit((exit) => {
        slot.pending = undefined
        return Deferred.done(segment, exit)
      }),
      Effect.flatMap((built) => adopt(slot, chatbotId, built)),
      Effect.tapCause((cause) => Effect.logWarning("A search index was not built", cause)),
      Effect.catchCause(() => retry),
      Effect.forkIn(scope),
    )
  }, Effect.uninterruptible)

  const sampleOf = Effect.fnUntraced(function* (
    chatbotId: ChatbotId,
    serving: ReadonlyArray<ServingDocument>,
    previous: Entry["content"] | undefined,
  ) {
    const size = sizeOf(serving)
    if (previous instanceof Sample && previous.isRepresentativeOf(size)) return previous
    const builder = new SegmentBuilder()
    yield* addPack(builder, yield* chunks.sample(chatbotId, placesToSample(serving)))
    return new Sample(size, builder.build())
  })

  /** An entry for searches that the database answers. */
  const withoutIndex = Effect.fnUntraced(function* (
    slot: Slot,
    chatbotId: ChatbotId,
    { synonyms, version }: KnowledgeState,
    serving: ReadonlyArray<ServingDocument>,
  ) {
    const [languages, content] = yield* Effect.all(
      [chunks.languages(chatbotId), sampleOf(chatbotId, serving, slot.entry?.content)],
      { concurrency: "unbounded" },
    )
    const revisions = new Map(serving.map(({ id, revision }) => [id, revision]))
    return { version, synonyms, languages, chunks: sizeOf(serving), content, revisions }
  })

  const build = Effect.fn("KnowledgeIndexes.build")(function* (
    slot: Slot,
    chatbotId: ChatbotId,
    state: KnowledgeState,
  ): Effect.fn.Return<Entry, Unavailable, CurrentOrganization> {
    const stored = yield* chunks.serving(chatbotId, embeddings.model)
    const vectors = yield* vectorsOf(stored)
    // Otherwise segments without vectors would be replaced again and again by ones without vectors.
    const serving =
      vectors.model === undefined ? stored.map((document) => ({ ...document, isEmbedded: false })) : stored
    if (sizeOf(serving) * (EXPECTED_BYTES_PER_CHUNK + vectors.bytes) > settings.bytes) {
      yield* lexemeIndexes.request(chatbotId)
      slot.segments = []
      return yield* withoutIndex(slot, chatbotId, state, serving)
    }
    const plan = planSegments(slot.segments, serving)
    const { missing } = plan
    if (sizeOf(plan.load) <= chunksWithinSearch) {
      const added = plan.load.length === 0 ? [] : [yield* load(chatbotId, plan.load, vectors.model)]
      slot.segments = [...plan.keep, ...added]
    } else {
      yield* begin(slot, chatbotId, state.version, plan.load, vectors)
      if (sizeOf(missing) > chunksWithinSearch) {
        const segment = slot.pending === undefined ? Option.none() : yield* slot.pending.segment
        if (Option.isNone(segment)) return yield* withoutIndex(slot, chatbotId, state, serving)
        add(slot, segment.value)
        return yield* build(slot, chatbotId, state)
      }
      if (missing.length > 0) slot.segments = [...slot.segments, yield* load(chatbotId, missing, vectors.model)]
    }
    const index = new LexicalIndex(slot.segments, {
      isOutdated: outdatedBy(serving),
      hasVectors: vectors.model !== undefined,
    })
    const { synonyms, version } = state
    return { version, synonyms, languages: index.languages, chunks: index.size, content: index }
  })

  return build
})
