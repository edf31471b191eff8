import type { ServingDocument } from "../../storage/search/ChunkPacks.ts"
import type { ChunkPlace } from "../../storage/search/Chunks.ts"
import type { Term } from "../segments/Lexemes.ts"
import { rankOf, type Segment } from "../segments/Segment.ts"

/** The size of a sample. It estimates how many chunks contain a word, for one chunk in twenty, to within a tenth. */
const SAMPLED_CHUNKS = 2_000

/** A sample represents a knowledge base until the knowledge base has grown or shrunk by this factor. */
const OUTGROWN = 1.1

/** Chooses chunks that are spread evenly over the documents: `SAMPLED_CHUNKS`, or all when there are fewer. */
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

/** Some chunks of a knowledge base, by which the frequency of words in all of them is estimated. */
export class Sample {
  readonly bytes: number
  /** The number of chunks in the knowledge base when the sample was taken. */
  private readonly chunks: number
  readonly size: number
  /** The average of `Segment.lengths`. */
  readonly averageLength: number
  private readonly segment: Segment

  /**
   * @param chunks the number of chunks in the knowledge base
   * @param segment the sampled chunks
   */
  constructor(chunks: number, segment: Segment) {
    this.segment = segment
    this.bytes = segment.bytes
    this.chunks = chunks
    this.size = segment.size
    this.averageLength = segment.lengths.reduce((sum, length) => sum + length, 0) / segment.size || 1
  }

  /** Whether the sample still represents the knowledge base when that has this many chunks. */
  isRepresentativeOf(chunks: number): boolean {
    return chunks < OUTGROWN * this.chunks && this.chunks < OUTGROWN * chunks
  }

  /** The numbers of the sampled chunks that contain any of the terms. */
  chunksWith(terms: ReadonlyArray<Term>): ReadonlySet<number> {
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
