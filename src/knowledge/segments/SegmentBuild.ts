import { Effect, Stream } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { type ChunkPack, joinPack, type ServingDocument, unpack } from "../../storage/search/ChunkPacks.ts"
import type { ChunkRange, Chunks } from "../../storage/search/Chunks.ts"
import type { BuildArgument, BuildReply, BuildRequest } from "./BuildMain.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"

/** The number of chunks in a pack. Adding more at once would block the event loop for more than a few milliseconds. */
const PACK_SIZE = 250
/** The number of packs in progress: while one is added to an index, the database makes the next. */
const CONCURRENT_PACKS = 2

/** Reads the chunks of documents from the database in order, as packs to build a segment from. */
export const packsOf = (
  chunks: Chunks["Service"],
  chatbotId: ChatbotId,
  documents: ReadonlyArray<ServingDocument>,
  embeddingModel: string | undefined,
) =>
  Stream.fromIterable(batchesOf(documents)).pipe(
    Stream.mapEffect((ranges) => chunks.lexemes(chatbotId, ranges, embeddingModel), { concurrency: CONCURRENT_PACKS }),
  )

/** Adds the chunks of a pack to a segment, and yields regularly so that other fibers are not held up. */
export const addPack = Effect.fnUntraced(function* (builder: SegmentBuilder, pack: ChunkPack) {
  let added = 0
  for (const chunk of unpack(pack)) {
    builder.add(chunk)
    if (++added % PACK_SIZE === 0) yield* Effect.yieldNow
  }
})

export const buildSegment = Effect.fnUntraced(function* <E, R>(packs: Stream.Stream<ChunkPack, E, R>) {
  const builder = new SegmentBuilder()
  yield* Stream.runForEach(packs, (pack) => addPack(builder, pack))
  return builder.build()
})

/**
 * Builds a segment of any size on another thread, which takes up to twice the memory of the segment meanwhile.
 *
 * @param isAwaited whether searches wait for it; if not, the thread leaves the processors to requests
 */
export const buildSegmentElsewhere = Effect.fnUntraced(function* <E, R>(
  packs: Stream.Stream<ChunkPack, E, R>,
  isAwaited: boolean,
) {
  const request = yield* startThread(isAwaited ? [] : ["behind-requests"])
  yield* Stream.runForEach(packs, (pack) => request(joinPack(pack).buffer))
  const segment = yield* request("finish")
  return segment === "added" ? yield* buildFailure : segment
}, Effect.scoped)

const SCRIPT = new URL("./BuildMain.ts", import.meta.url)

const buildFailure = new Unavailable({ detail: "A search index could not be built.", retry_after_seconds: 1 })

/**
 * Starts a thread, and returns a function that sends it a message and waits for the reply. The thread ends with the
 * scope, which frees its memory.
 */
const startThread = (argv: Array<BuildArgument>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Worker(SCRIPT, { argv })),
      (worker) => Effect.sync(() => worker.terminate()),
    ),
    (worker) => (request: BuildRequest) =>
      Effect.callback<BuildReply, Unavailable>((resume) => {
        worker.onmessage = ({ data }: MessageEvent<BuildReply>) => resume(Effect.succeed(data))
        worker.onerror = ({ message }) =>
          resume(Effect.andThen(Effect.logError("Building a search index failed", message), Effect.fail(buildFailure)))
        worker.postMessage(request, request instanceof ArrayBuffer ? [request] : [])
      }),
  )

/** Splits the chunks of documents into batches of `PACK_SIZE`, in order. */
function* batchesOf(documents: ReadonlyArray<ServingDocument>): Generator<ReadonlyArray<ChunkRange>> {
  let batch: Array<ChunkRange> = []
  let room = PACK_SIZE
  for (const { id: documentId, revision, chunks } of documents) {
    for (let first = 1; first <= chunks;) {
      const last = Math.min(chunks, first + room - 1)
      batch.push({ documentId, revision, first, last })
      room -= last - first + 1
      first = last + 1
      if (room > 0) continue
      yield batch
      batch = []
      room = PACK_SIZE
    }
  }
  if (batch.length > 0) yield batch
}
