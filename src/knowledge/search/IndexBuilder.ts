import { Deferred, Duration, Effect, Option, Semaphore, Stream } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import type { ServingDocument } from "../../storage/search/ChunkPacks.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { LexemeIndexes } from "../../storage/search/LexemeIndexes.ts"
import { addPack, packsOf } from "../segments/Packs.ts"
import type { Segment } from "../segments/Segment.ts"
import { SegmentBuilder } from "../segments/SegmentBuilder.ts"
import { disjoint, missingFrom, outdatedBy, planSegments, sizeOf } from "../segments/SegmentPlan.ts"
import { Snapshots } from "../segments/Snapshots.ts"
import { LexicalIndex } from "./LexicalIndex.ts"
import { placesToSample, Sample } from "./Sample.ts"
import type { Entry, Slot, Slots } from "./Slots.ts"

export interface KnowledgeIndexesSettings {
  /** The memory in bytes that all indexes may take together. */
  readonly bytes: number
  /** The most chunks that are read within a search. A larger index is built on another thread and kept on disk. */
  readonly chunksWithinSearch?: number
}

/** The memory that a chunk of 400 tokens takes in an index, without its sketch. */
const EXPECTED_BYTES_PER_CHUNK = 1_600
const EXPECTED_SKETCH_BYTES = 512
/** The number of such chunks in the largest knowledge base whose index fits this many bytes. */
export const chunksThatFit = (bytes: number): number =>
  Math.floor(bytes / (EXPECTED_BYTES_PER_CHUNK + EXPECTED_SKETCH_BYTES))

const CHUNKS_WITHIN_SEARCH = 2_000
/** How long a search waits for an index that is being built, before the database answers it. */
const PATIENCE = Duration.millis(250)
/** The pause after a failed build, during which no other is begun. */
const RETRY_AFTER = Duration.seconds(30)

const buildFailed = new Unavailable({ detail: "A search index could not be built.", retry_after_seconds: 1 })

/**
 * Makes the function that brings the entry of a slot up to date with the database: with an index, or with a sample
 * where the index would be too large or is still being built.
 */
export const makeIndexBuilder = Effect.fnUntraced(function* (settings: KnowledgeIndexesSettings, slots: Slots) {
  const chunks = yield* Chunks
  const embeddings = yield* Embeddings
  const lexemeIndexes = yield* LexemeIndexes
  const snapshots = yield* Snapshots
  const scope = yield* Effect.scope
  const chunksWithinSearch = settings.chunksWithinSearch ?? CHUNKS_WITHIN_SEARCH
  /** The model whose vectors are compared in the index. Vectors that express meaning are compared in the database. */
  const sketched = embeddings.isSemantic ? undefined : embeddings.model
  const expectedBytes = EXPECTED_BYTES_PER_CHUNK + (sketched === undefined ? 0 : EXPECTED_SKETCH_BYTES)

  const load = Effect.fnUntraced(function* (chatbotId: ChatbotId, documents: ReadonlyArray<ServingDocument>) {
    const builder = new SegmentBuilder()
    yield* Stream.runForEach(packsOf(chunks, chatbotId, documents, sketched), (pack) => addPack(builder, pack))
    return builder.build()
  })

  /**
   * Begins to build a segment on another thread, and returns without waiting; `slot.pendingBuild` has the result. It is
   * not interruptible, because a search that leaves would leave a pending build behind that nobody makes.
   */
  const begin = Effect.fnUntraced(function* (
    slot: Slot,
    chatbotId: ChatbotId,
    version: bigint,
    documents: ReadonlyArray<ServingDocument>,
  ) {
    const pending = yield* Deferred.make<Segment, Unavailable>()
    slot.pendingBuild = pending
    slot.lastBuildVersion = version
    yield* snapshots.build(chatbotId, packsOf(chunks, chatbotId, documents, sketched)).pipe(
      Effect.tap((segment) => Deferred.succeed(pending, segment)),
      Effect.tap((segment) => Semaphore.withPermit(slot.lock, finish(slot, chatbotId, segment))),
      Effect.tapCause((cause) => Effect.logWarning("A search index was not built", cause)),
      Effect.onExit(() => {
        if (slot.pendingBuild === pending) slot.pendingBuild = undefined
        return Deferred.fail(pending, buildFailed)
      }),
      Effect.catchCause(() =>
        Effect.andThen(
          Effect.sleep(RETRY_AFTER),
          Effect.sync(() => {
            slot.lastBuildVersion = -1n
            slot.entry = undefined
          }),
        ),
      ),
      Effect.forkIn(scope),
    )
  }, Effect.uninterruptible)

  /** Replaces the slot's sample by an index with the segment that was built. */
  const finish = Effect.fnUntraced(
    function* (slot: Slot, chatbotId: ChatbotId, segment: Segment) {
      yield* adopt(slot, segment)
      slot.pendingBuild = undefined
      // The slot was evicted meanwhile; the next search opens the segment from disk.
      if (slots.peek(slot.key) !== slot) return
      const { version } = yield* chunks.probe(chatbotId, [])
      slot.entry = yield* build(slot, chatbotId, version)
      slots.makeRoom()
    },
    Effect.catchTag("NotFound", () => Effect.void),
  )

  /** Adds a segment to the slot, in place of those that share a document with it. */
  const adopt = Effect.fnUntraced(function* (slot: Slot, segment: Segment) {
    const segments = disjoint([segment, ...slot.segments.filter((each) => each !== segment)])
    yield* snapshots.discard(slot.segments.filter((each) => !segments.includes(each)))
    slot.segments = segments
  })

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
    version: bigint,
    serving: ReadonlyArray<ServingDocument>,
  ) {
    const [languages, content] = yield* Effect.all(
      [chunks.languages(chatbotId), sampleOf(chatbotId, serving, slot.entry?.content)],
      { concurrency: "unbounded" },
    )
    const revisions = new Map(serving.map(({ id, revision }) => [id, revision]))
    return { version, languages, chunks: sizeOf(serving), content, revisions }
  })

  const build = Effect.fn("KnowledgeIndexes.build")(function* (
    slot: Slot,
    chatbotId: ChatbotId,
    version: bigint,
  ): Effect.fn.Return<Entry<LexicalIndex | Sample>, Unavailable, CurrentOrganization> {
    const serving = yield* chunks.serving(chatbotId, sketched)
    if (sizeOf(serving) * expectedBytes > settings.bytes) {
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
      if (slot.pendingBuild === undefined && slot.lastBuildVersion < version) {
        yield* begin(slot, chatbotId, version, plan.load)
      }
      const built = slot.pendingBuild && (yield* awaitBriefly(slot.pendingBuild))
      if (built !== undefined) yield* adopt(slot, built)
      const missing = missingFrom(slot.segments, serving)
      if (sizeOf(missing) > chunksWithinSearch) return yield* withoutIndex(slot, chatbotId, version, serving)
      if (missing.length > 0) slot.segments = [...slot.segments, yield* load(chatbotId, missing)]
    }
    const index = new LexicalIndex(slot.segments, { isOutdated: outdatedBy(serving) })
    return { version, languages: index.languages, chunks: index.size, content: index }
  })

  return build
})

/** The segment that is being built, if it is ready within `PATIENCE`. */
const awaitBriefly = (pending: Deferred.Deferred<Segment, Unavailable>) =>
  Deferred.await(pending).pipe(
    Effect.timeoutOption(PATIENCE),
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined),
  )
