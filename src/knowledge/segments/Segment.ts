import { ChunkId } from "../../domain/knowledge/Chunk.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import type { Language } from "../../language/Language.ts"
import { uuidText } from "../../storage/search/ChunkPacks.ts"
import type { Term } from "./Lexemes.ts"

/** One revision of a document in a segment. All of its chunks are in the same segment. */
export interface SegmentDocument {
  readonly id: DocumentId
  readonly revision: number
  readonly chunks: number
  /** Whether every chunk has a sketch of its vector. */
  readonly isEmbedded: boolean
}

/**
 * An immutable inverted index of some documents.
 *
 * The postings of the term with rank `t` (its place in `terms`) are those from `offsets[t]` up to `offsets[t + 1]`, by
 * ascending chunk. Posting `p` has the chunk `chunks[p]`, the frequency `frequencies[p]`, and the positions from
 * `positions[starts[p]]` up to `positions[starts[p + 1]]`.
 */
export interface Segment {
  readonly documents: ReadonlyArray<SegmentDocument>
  /** The number of chunks in each language. */
  readonly languages: ReadonlyMap<Language, number>
  readonly size: number
  /** The UUIDs of the chunks, of sixteen bytes each. */
  readonly chunkIds: Uint8Array
  /** The document of each chunk, as an index into `documents`. */
  readonly documentOf: Uint32Array
  /**
   * The number of words in each chunk, where a word of the title counts twice. Stop words count, too, so that a chunk
   * has the same length in every language.
   */
  readonly lengths: Uint32Array
  /** The distinct terms, ascending. */
  readonly terms: Float64Array
  readonly offsets: Uint32Array
  readonly chunks: Uint32Array
  readonly frequencies: Uint8Array
  readonly starts: Uint32Array
  readonly positions: Uint16Array
  /** The terms of lexemes in plain letters (see `PlainLetters.ts`), ascending, where those are others. */
  readonly plainTerms: Float64Array
  /** The rank of the lexeme of each plain term. */
  readonly plainRanks: Uint32Array
  /** The lexemes that may be compounds in each language that has them, each between line feeds, in UTF-8. */
  readonly compounds: ReadonlyMap<Language, Uint8Array>
  /** The sketch of each chunk's vector (see `Sketch.ts`). */
  readonly sketches: Uint8Array
  /** The size of one sketch; 0 when the segment has no sketches. */
  readonly sketchBytes: number
  /** The compressed vector of each chunk where vectors express meaning (see `Quantized.ts`). */
  readonly vectors: Int8Array
  /** The size of one compressed vector; 0 when the segment has none. */
  readonly vectorBytes: number
  /** One divided by the length of each compressed vector; 0 for a chunk that has none. */
  readonly inverseLengths: Float32Array
  /** The memory that the segment takes. */
  readonly bytes: number
}

export const CHUNK_ID_BYTES = 16

export const chunkIdOf = (segment: Segment, chunk: number): ChunkId =>
  ChunkId.make(uuidText(segment.chunkIds, CHUNK_ID_BYTES * chunk), { disableChecks: true })

/** The rank of a term in a segment, or -1 when no chunk contains it. */
export const rankOf = (segment: Segment, term: Term): number => search(segment.terms, term, 0, segment.terms.length)

/** The terms whose lexemes have these plain letters. */
export const termsWithPlain = ({ plainRanks, plainTerms, terms }: Segment, plain: Term): ReadonlyArray<Term> => {
  const found: Array<Term> = []
  let index = firstOf(plainTerms, plain, 0, plainTerms.length)
  for (; plainTerms[index] === plain; index++) found.push(terms[plainRanks[index] ?? 0] ?? 0)
  return found
}

/** The posting of the term with this rank in a chunk, or -1 when the chunk does not contain it. The rank may be -1. */
export const postingOf = (segment: Segment, rank: number, chunk: number): number =>
  rank < 0 ? -1 : search(segment.chunks, chunk, segment.offsets[rank] ?? 0, segment.offsets[rank + 1] ?? 0)

/** The largest distance between neighbours: one stop word may stand between them. */
const REACH = 2

/**
 * Counts how often the word of the first posting stands shortly before the word of the second, both in the same chunk.
 * Positions contain their weight in the top bits, so that words of the title and of the text are never neighbours.
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

/** The number of chunks that contain the term with this rank. The rank may be -1. */
export const postingCount = (segment: Segment, rank: number): number =>
  rank < 0 ? 0 : (segment.offsets[rank + 1] ?? 0) - (segment.offsets[rank] ?? 0)

/** The index of a value between `from` and `to` in a sorted array, or -1. */
const search = (sorted: Float64Array | Uint32Array, value: number, from: number, to: number): number => {
  const first = firstOf(sorted, value, from, to)
  return first < to && sorted[first] === value ? first : -1
}

/** The index of the first value of at least this one between `from` and `to` in a sorted array, or `to`. */
const firstOf = (sorted: Float64Array | Uint32Array, value: number, from: number, to: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
