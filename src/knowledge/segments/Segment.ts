import { ChunkId } from "../../domain/Chunk.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import type { Language } from "../../text/Language.ts"
import { uuidText } from "../../storage/search/ChunkPacks.ts"
import type { Term } from "./Lexemes.ts"

/** One revision of a document, whole: segments never share it. */
export interface SegmentDocument {
  readonly id: DocumentId
  readonly revision: number
  readonly chunks: number
  /** Whether all of its chunks have their sketches. */
  readonly isEmbedded: boolean
}

/**
 * An inverted index of some documents that never changes. The postings of term `t` (its rank in `terms`) are
 * `offsets[t]` up to `offsets[t + 1]`: ascending chunks, each with its frequency and its positions, which for posting `p`
 * are `positions[starts[p]]` up to `positions[starts[p + 1]]`.
 */
export interface Segment {
  readonly documents: ReadonlyArray<SegmentDocument>
  readonly languages: ReadonlySet<Language>
  /** Number of its chunks. */
  readonly size: number
  /** Sixteen bytes each. */
  readonly chunkIds: Uint8Array
  /** Index into `documents`. */
  readonly documentOf: Uint32Array
  /** Weighted number of words. */
  readonly lengths: Uint32Array
  readonly terms: Float64Array
  readonly offsets: Uint32Array
  readonly chunks: Uint32Array
  readonly frequencies: Uint8Array
  readonly starts: Uint32Array
  readonly positions: Uint16Array
  /** Of each chunk its vector's sketch, see `Sketch.ts`, of `sketchBytes` each; 0 when the vectors are not looked at here. */
  readonly sketches: Uint8Array
  readonly sketchBytes: number
  readonly bytes: number
}

export const CHUNK_ID_BYTES = 16

export const chunkIdOf = (segment: Segment, chunk: number): ChunkId =>
  ChunkId.make(uuidText(segment.chunkIds, CHUNK_ID_BYTES * chunk), { disableChecks: true })

/** The rank of the term in the segment, or -1. */
export const rankOf = (segment: Segment, term: Term): number => search(segment.terms, term, 0, segment.terms.length)

/** The posting of the term of this rank in the chunk, or -1; the rank may be -1 too. */
export const postingOf = (segment: Segment, rank: number, chunk: number): number =>
  rank < 0 ? -1 : search(segment.chunks, chunk, segment.offsets[rank] ?? 0, segment.offsets[rank + 1] ?? 0)

/** Words this far apart still count as neighbours: one stop word may stand between. */
const REACH = 2

/**
 * How often the word of the first posting stands shortly before that of the second, both of one chunk. Positions carry
 * their weight in their top bits, so words of the title and of the text are never neighbours.
 */
export const timesAdjacent = (segment: Segment, leftPosting: number, rightPosting: number): number => {
  const { positions, starts } = segment
  const leftEnd = starts[leftPosting + 1] ?? 0
  const rightEnd = starts[rightPosting + 1] ?? 0
  let right = starts[rightPosting] ?? 0
  let times = 0
  for (let left = starts[leftPosting] ?? 0; left < leftEnd; left++) {
    const position = positions[left] ?? 0
    while (right < rightEnd && (positions[right] ?? 0) <= position) right++
    if (right < rightEnd && (positions[right] ?? 0) - position <= REACH) times++
  }
  return times
}

/** Chunks that hold the term of this rank, which may be -1. */
export const postingsOf = (segment: Segment, rank: number): number =>
  rank < 0 ? 0 : (segment.offsets[rank + 1] ?? 0) - (segment.offsets[rank] ?? 0)

const search = (sorted: Float64Array | Uint32Array, value: number, from: number, to: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low < to && sorted[low] === value ? low : -1
}
