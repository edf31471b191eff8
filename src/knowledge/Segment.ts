import type { ChunkId } from "../domain/Chunk.ts"
import type { DocumentId } from "../domain/Ids.ts"
import type { Language } from "../domain/Language.ts"
import { isInTitle, readLexemes, type Term } from "./Lexemes.ts"

/** What the index is built from: a row of `chunks`. */
export interface IndexedChunk {
  readonly id: ChunkId
  readonly documentId: DocumentId
  readonly revision: number
  readonly language: Language
  /** Binary `tsvector`, the title's positions weighted A. */
  readonly lexemes: Uint8Array
}

/** One revision of a document, whole: segments never share it. */
export interface SegmentDocument {
  readonly id: DocumentId
  readonly revision: number
  readonly chunks: number
}

/**
 * An inverted index of some documents that never changes. The postings of term `t` (its rank in `terms`) are
 * `offsets[t]` up to `offsets[t + 1]`: ascending chunks, each with its frequency and its positions, which for posting `p`
 * are `positions[starts[p]]` up to `positions[starts[p + 1]]`.
 */
export interface Segment {
  readonly documents: ReadonlyArray<SegmentDocument>
  readonly languages: ReadonlySet<Language>
  readonly chunkIds: ReadonlyArray<ChunkId>
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
  readonly bytes: number
}

/** A word of the title says more of what a chunk is about than one of its text. */
const TITLE_FREQUENCY = 2
const LARGEST_FREQUENCY = 255
/** A UUID string with its header and its slot in the array. */
const BYTES_PER_CHUNK_ID = 72

/** The rank of the term in the segment, or -1. */
export const rankOf = (segment: Segment, term: Term): number => search(segment.terms, term, 0, segment.terms.length)

/** The posting of the term of this rank in the chunk, or -1; the rank may be -1 too. */
export const postingOf = (segment: Segment, rank: number, chunk: number): number =>
  rank < 0 ? -1 : search(segment.chunks, chunk, segment.offsets[rank] ?? 0, segment.offsets[rank + 1] ?? 0)

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

/** Takes chunks one after the other, all of a document together, and makes a segment of them. */
export class SegmentBuilder {
  readonly #terms = new Map<Term, number>()
  readonly #documents: Array<{ id: DocumentId; revision: number; chunks: number }> = []
  readonly #languages = new Set<Language>()
  readonly #chunkIds: Array<ChunkId> = []
  readonly #documentOf = new Numbers(Uint32Array)
  readonly #lengths = new Numbers(Uint32Array)
  /** Of each posting, in the order of arrival; its positions end where those of the next begin. */
  readonly #postingTerms = new Numbers(Uint32Array)
  readonly #postingChunks = new Numbers(Uint32Array)
  readonly #frequencies = new Numbers(Uint8Array)
  readonly #starts = new Numbers(Uint32Array)
  readonly #positions = new Numbers(Uint16Array)

  add(chunk: IndexedChunk): void {
    const index = this.#chunkIds.push(chunk.id) - 1
    this.#documentOf.push(this.#documentIndexOf(chunk))
    this.#languages.add(chunk.language)
    let length = 0
    readLexemes(chunk.lexemes, (term, positions, count) => {
      let frequency = 0
      this.#starts.push(this.#positions.length)
      for (let place = 0; place < count; place++) {
        const position = positions[place] ?? 0
        frequency += isInTitle(position) ? TITLE_FREQUENCY : 1
        this.#positions.push(position)
      }
      length += frequency
      this.#postingTerms.push(this.#numberOf(term))
      this.#postingChunks.push(index)
      this.#frequencies.push(Math.min(frequency, LARGEST_FREQUENCY))
    })
    this.#lengths.push(length)
  }

  build(): Segment {
    const terms = Float64Array.from(this.#terms.keys()).sort()
    const rankOfNumber = new Uint32Array(terms.length)
    for (const [rank, term] of terms.entries()) rankOfNumber[this.#terms.get(term) ?? 0] = rank

    const arrivalTerms = this.#postingTerms.values()
    const arrivalChunks = this.#postingChunks.values()
    const arrivalFrequencies = this.#frequencies.values()
    const arrivalStarts = this.#starts.values()
    const arrivalPositions = this.#positions.values()
    const postings = arrivalTerms.length

    const offsets = new Uint32Array(terms.length + 1)
    for (const number of arrivalTerms) offsets[(rankOfNumber[number] ?? 0) + 1]! += 1
    for (let rank = 0; rank < terms.length; rank++) offsets[rank + 1]! += offsets[rank]!

    // A stable counting sort by term leaves the chunks of each term ascending.
    const next = offsets.slice(0, terms.length)
    const arrivalOf = new Uint32Array(postings)
    for (let arrival = 0; arrival < postings; arrival++) {
      const rank = rankOfNumber[arrivalTerms[arrival]!]!
      arrivalOf[next[rank]!++] = arrival
    }

    const chunks = new Uint32Array(postings)
    const frequencies = new Uint8Array(postings)
    const starts = new Uint32Array(postings + 1)
    const positions = new Uint16Array(arrivalPositions.length)
    let end = 0
    for (let posting = 0; posting < postings; posting++) {
      const arrival = arrivalOf[posting]!
      chunks[posting] = arrivalChunks[arrival]!
      frequencies[posting] = arrivalFrequencies[arrival]!
      starts[posting] = end
      const until = arrivalStarts[arrival + 1] ?? arrivalPositions.length
      for (let place = arrivalStarts[arrival]!; place < until; place++) positions[end++] = arrivalPositions[place]!
    }
    starts[postings] = end

    const arrays = {
      documentOf: this.#documentOf.values(),
      lengths: this.#lengths.values(),
      terms,
      offsets,
      chunks,
      frequencies,
      starts,
      positions,
    }
    return {
      ...arrays,
      documents: this.#documents,
      languages: this.#languages,
      chunkIds: this.#chunkIds,
      bytes: Object.values(arrays).reduce(
        (sum, array) => sum + array.byteLength,
        this.#chunkIds.length * BYTES_PER_CHUNK_ID,
      ),
    }
  }

  #documentIndexOf({ documentId, revision }: IndexedChunk): number {
    const last = this.#documents.at(-1)
    if (last?.id === documentId) {
      last.chunks += 1
      return this.#documents.length - 1
    }
    return this.#documents.push({ id: documentId, revision, chunks: 1 }) - 1
  }

  #numberOf(term: Term): number {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const number = this.#terms.size
    this.#terms.set(term, number)
    return number
  }
}

/** A typed array that grows. */
class Numbers<A extends Uint8Array | Uint16Array | Uint32Array> {
  readonly #make: new (length: number) => A
  #values: A
  length = 0

  constructor(make: new (length: number) => A) {
    this.#make = make
    this.#values = new make(1_024)
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new this.#make(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  /** A copy of exactly what was pushed. */
  values(): A {
    const exact = new this.#make(this.length)
    exact.set(this.#values.subarray(0, this.length))
    return exact
  }
}
