import { Stream } from "effect"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { ServingDocument } from "../../storage/search/ChunkPacks.ts"
import type { ChunkRange, Chunks } from "../../storage/search/Chunks.ts"

/** Chunks read, and added to an index, in one go: more would hold up other requests for more than a few ms. */
const CHUNKS_AT_ONCE = 250
/** While one pack is added, the database makes the next. */
const PACKS_AT_ONCE = 2

/** Reads what an index is built from, in pieces, in order. */
export const packsOf = (
  chunks: Chunks["Service"],
  chatbotId: ChatbotId,
  documents: ReadonlyArray<ServingDocument>,
  embeddingModel: string | undefined,
) =>
  Stream.fromIterable(batchesOf(documents)).pipe(
    Stream.mapEffect((ranges) => chunks.lexemes(chatbotId, ranges, embeddingModel), { concurrency: PACKS_AT_ONCE }),
  )

/** The chunks of the documents, in order, so many at once. */
function* batchesOf(documents: ReadonlyArray<ServingDocument>): Generator<ReadonlyArray<ChunkRange>> {
  let batch: Array<ChunkRange> = []
  let room = CHUNKS_AT_ONCE
  for (const { id: documentId, revision, chunks } of documents) {
    for (let first = 1; first <= chunks;) {
      const last = Math.min(chunks, first + room - 1)
      batch.push({ documentId, revision, first, last })
      room -= last - first + 1
      first = last + 1
      if (room > 0) continue
      yield batch
      batch = []
      room = CHUNKS_AT_ONCE
    }
  }
  if (batch.length > 0) yield batch
}
