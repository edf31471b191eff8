import type { ServingDocument } from "../../storage/search/ChunkPacks.ts"
import type { ChunkPlace } from "../../storage/search/Chunks.ts"
import type { Term } from "../segments/Lexemes.ts"
import { rankOf, type Segment } from "../segments/Segment.ts"

/** So many chunks tell the share of those that hold a word, for one in twenty, to a tenth of it. */
const SAMPLED_CHUNKS = 2_000

/** A sample stands for a knowledge base until that has become larger or smaller by so much. */
const OUTGROWN = 1.1

/** Chunks spread evenly over those of the documents; all when there are not more. */
export const placesToSample = (documents: ReadonlyArray<ServingDocument>): ReadonlyArray<ChunkPlace> => {
  const chunks = documents.reduce((sum, document) => sum + document.chunks, 0)
  const step = Math.max(1, chunks / SAMPLED_CHUNKS)
  const places: Array<ChunkPlace> = []
  let before = 0
  for (const { id, revision, chunks: count } of documents) {
    while (places.length * step < before + count) {
      places.push({ documentId: id, revision, ordinal: Math.floor(places.length * step) - before + 1 })
    }
    before += count
  }
  return places
}

/** Some chunks of a knowledge base, which stand for all of them. */
export class Sample {
  readonly bytes: number
  /** Of the knowledge base that it was drawn from. */
  private readonly chunks: number
  /** Of the sample. */
  readonly size: number
  /** Weighted number of words in a chunk. */
  readonly averageLength: number
  private readonly segment: Segment

  /** @param segment of the sampled chunks */
  constructor(chunks: number, segment: Segment) {
    this.segment = segment
    this.bytes = segment.bytes
    this.chunks = chunks
    this.size = segment.size
    this.averageLength = segment.lengths.reduce((sum, length) => sum + length, 0) / segment.size || 1
  }

  standsFor(chunks: number): boolean {
    return chunks < OUTGROWN * this.chunks && this.chunks < OUTGROWN * chunks
  }

  /** Those of the sample, by their numbers, that hold any of the terms. */
  holding(terms: ReadonlyArray<Term>): ReadonlySet<number> {
    const { chunks, offsets } = this.segment
    const found = new Set<number>()
    for (const term of terms) {
      const rank = rankOf(this.segment, term)
      if (rank < 0) continue
      for (const chunk of chunks.subarray(offsets[rank], offsets[rank + 1])) found.add(chunk)
    }
    return found
  }
}
