import { Effect, Stream } from "effect"
import type { ChatbotId } from "../../domain/Ids.ts"
import { type ChunkPack, type ServingDocument, unpack } from "../../storage/search/ChunkPacks.ts"
import type { ChunkRange, Chunks } from "../../storage/search/Chunks.ts"
import type { SegmentBuilder } from "./SegmentBuilder.ts"

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
