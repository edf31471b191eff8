import { DocumentId } from "../../domain/Ids.ts"
import type { Language } from "../../language/Language.ts"
import { areEqual, type PackedChunk, uuidText } from "../../storage/search/ChunkPacks.ts"
import { plainLetters } from "../../language/words/PlainLetters.ts"
import { COMPOUND_LEAST, hasCompounds } from "./Compounds.ts"
import { isInTitle, placeOf, readLexemes, type Term, termOf } from "./Lexemes.ts"
import { CHUNK_ID_BYTES, type Segment } from "./Segment.ts"
import { inverseLengths, quantize } from "./Quantized.ts"

/** A word of the title counts this many times, since it says more about the chunk's subject than a word of the text. */
const TITLE_FREQUENCY = 2
const LARGEST_FREQUENCY = 255

/** Builds a segment from chunks, which are added one by one, those of the same document together. */
export class SegmentBuilder {
  private readonly terms = new Map<Term, number>()
  private readonly only: ReadonlySet<Term> | undefined
  private readonly documents: Array<{ id: DocumentId; revision: number; chunks: number; isEmbedded: boolean }> = []
  private readonly languages = new Map<Language, number>()
  private readonly chunkIds: Array<Uint8Array> = []
  private lastDocument = new Uint8Array()
  private readonly documentOf = new Numbers(Uint32Array)
  private readonly lengths = new Numbers(Uint32Array)
  /** The postings in the order of arrival. The positions of a posting end where those of the next begin. */
  private readonly postingTerms = new Numbers(Uint32Array)
  private readonly postingChunks = new Numbers(Uint32Array)
  private readonly frequencies = new Numbers(Uint8Array)
  private readonly starts = new Numbers(Uint32Array)
  private readonly positions = new Numbers(Uint16Array)
  /** The numbers of the terms whose lexemes have other plain letters, with the terms of those. */
  private readonly plain: Array<{ readonly term: Term; readonly number: number }> = []
  private readonly compounds = new Map<Language, Array<string>>()
  private readonly sketches = new Items(Uint8Array)
  private readonly vectors = new Items(Int8Array)

  /** @param only the terms to index; defaults to all */
  constructor(only?: ReadonlySet<Term>) {
    this.only = only
  }

  add(chunk: PackedChunk): void {
    const index = this.chunkIds.push(chunk.id.slice()) - 1
    const document = this.documentWith(chunk)
    this.documentOf.push(this.documents.length - 1)
    this.languages.set(chunk.language, (this.languages.get(chunk.language) ?? 0) + 1)
    let [last, lastOfTitle] = [0, 0]
    readLexemes(chunk.lexemes, chunk.language, (term, positions, count, from, to) => {
      const isIndexed = this.only?.has(term) !== false
      if (isIndexed) this.starts.push(this.positions.length)
      let frequency = 0
      for (let index = 0; index < count; index++) {
        const position = positions[index] ?? 0
        last = Math.max(last, placeOf(position))
        if (isInTitle(position)) {
          lastOfTitle = Math.max(lastOfTitle, placeOf(position))
          frequency += TITLE_FREQUENCY
        } else frequency += 1
        if (isIndexed) this.positions.push(position)
      }
      if (!isIndexed) return
      let number = this.terms.get(term)
      if (number === undefined) {
        number = this.terms.size
        this.terms.set(term, number)
        this.noteForms(number, chunk.lexemes.subarray(from, to), chunk.language)
      }
      this.postingTerms.push(number)
      this.postingChunks.push(index)
      this.frequencies.push(Math.min(frequency, LARGEST_FREQUENCY))
    })
    this.lengths.push(last + (TITLE_FREQUENCY - 1) * lastOfTitle)
    // A copy, because the bytes are a view that would keep the whole pack in memory.
    if (chunk.sketch !== null) this.sketches.set(index, chunk.sketch.slice())
    else if (chunk.embedding !== null) this.vectors.set(index, quantize(chunk.embedding))
    else document.isEmbedded = false
  }

  build(): Segment {
    const terms = Float64Array.from(this.terms.keys()).sort()
    const rankOfNumber = new Uint32Array(terms.length)
    for (const [rank, term] of terms.entries()) rankOfNumber[this.terms.get(term) ?? 0] = rank
    const ranks = this.postingTerms.values()
    for (let arrival = 0; arrival < ranks.length; arrival++) {
      ranks[arrival] = rankOfNumber[ranks[arrival] ?? 0] ?? 0
    }
    const offsets = offsetsOf(ranks, terms.length)
    const vectors = this.vectors.joined(this.chunkIds.length)
    const plain = this.plain.sort((one, other) => one.term - other.term)
    const compounds = new Map(Array.from(this.compounds, ([language, texts]) => [language, textsBetweenFeeds(texts)]))
    const arrays = {
      chunkIds: joined(this.chunkIds, new Uint8Array(CHUNK_ID_BYTES * this.chunkIds.length), CHUNK_ID_BYTES),
      documentOf: this.documentOf.values(),
      lengths: this.lengths.values(),
      terms,
      offsets,
      plainTerms: Float64Array.from(plain, ({ term }) => term),
      plainRanks: Uint32Array.from(plain, ({ number }) => rankOfNumber[number] ?? 0),
      sketches: this.sketches.joined(this.chunkIds.length),
      vectors,
      inverseLengths: inverseLengths(vectors, this.vectors.bytes),
      ...this.postingsInOrder(arrivalsInOrder(ranks, offsets)),
    }
    return {
      ...arrays,
      documents: this.documents,
      languages: this.languages,
      compounds,
      size: this.chunkIds.length,
      sketchBytes: this.sketches.bytes,
      vectorBytes: this.vectors.bytes,
      bytes: [...Object.values(arrays), ...compounds.values()].reduce((sum, array) => sum + array.byteLength, 0),
    }
  }

  /** @param arrivals the order of the result: each posting by its number in the order of arrival */
  private postingsInOrder(arrivals: Uint32Array) {
    const arrivalChunks = this.postingChunks.values()
    const arrivalFrequencies = this.frequencies.values()
    const arrivalStarts = this.starts.values()
    const arrivalPositions = this.positions.values()
    const chunks = new Uint32Array(arrivals.length)
    const frequencies = new Uint8Array(arrivals.length)
    const starts = new Uint32Array(arrivals.length + 1)
    const positions = new Uint16Array(arrivalPositions.length)
    let end = 0
    // Here and below, loops count and use no iterators, because an index has millions of postings.
    for (let posting = 0; posting < arrivals.length; posting++) {
      const arrival = arrivals[posting] ?? 0
      chunks[posting] = arrivalChunks[arrival] ?? 0
      frequencies[posting] = arrivalFrequencies[arrival] ?? 0
      starts[posting] = end
      const until = arrivalStarts[arrival + 1] ?? arrivalPositions.length
      for (let place = arrivalStarts[arrival] ?? 0; place < until; place++) {
        positions[end++] = arrivalPositions[place] ?? 0
      }
    }
    starts[arrivals.length] = end
    return { chunks, frequencies, starts, positions }
  }

  /** The document of this chunk, counted with the chunk: the last one, or a new one. */
  private documentWith({ documentId, revision }: PackedChunk) {
    const last = this.documents.at(-1)
    if (last !== undefined && areEqual(documentId, this.lastDocument)) {
      last.chunks += 1
      return last
    }
    this.lastDocument = documentId.slice()
    const id = DocumentId.make(uuidText(documentId, 0), { disableChecks: true })
    const begun = { id, revision, chunks: 1, isEmbedded: true }
    this.documents.push(begun)
    return begun
  }

  /** Notes by what else than itself the lexeme of a new term is found. */
  private noteForms(number: number, lexeme: Uint8Array, language: Language): void {
    const mayBeCompound = lexeme.length >= COMPOUND_LEAST && hasCompounds(language)
    if (!mayBeCompound && lexeme.every((byte) => byte < 0x80)) return
    const text = Buffer.from(lexeme.buffer, lexeme.byteOffset, lexeme.byteLength).toString()
    const plain = plainLetters(text)
    if (plain !== text) this.plain.push({ term: termOf(plain, language), number })
    if (!mayBeCompound) return
    const known = this.compounds.get(language)
    if (known === undefined) this.compounds.set(language, [text])
    else known.push(text)
  }
}

/** Joins items of `bytes` bytes each. A missing item leaves zeros. */
const joined = <A extends Uint8Array | Int8Array>(items: ReadonlyArray<A | undefined>, into: A, bytes: number): A => {
  for (const [index, item] of items.entries()) if (item) into.set(item, index * bytes)
  return into
}

const textsBetweenFeeds = (texts: ReadonlyArray<string>): Uint8Array =>
  new Uint8Array(Buffer.from(`\n${texts.join("\n")}\n`))

/** Items of chunks, all of the same size. A missing item becomes zeros, which occur in no sketch and no vector. */
class Items<A extends Uint8Array | Int8Array> {
  private readonly make: new (length: number) => A
  private readonly items: Array<A | undefined> = []
  /** The size of one item; 0 while there is none. */
  bytes = 0

  constructor(make: new (length: number) => A) {
    this.make = make
  }

  /** Sets the item of a chunk. One of another size than the first is left out: it cannot be compared. */
  set(index: number, item: A): void {
    if (this.bytes === 0) this.bytes = item.length
    if (item.length === this.bytes) this.items[index] = item
  }

  joined(count: number): A {
    return joined(this.items, new this.make(count * this.bytes), this.bytes)
  }
}

/** The offset at which the postings of each term begin when they are sorted by term, and the end of the last. */
const offsetsOf = (ranks: Uint32Array, terms: number): Uint32Array => {
  const offsets = new Uint32Array(terms + 1)
  for (let arrival = 0; arrival < ranks.length; arrival++) {
    const next = (ranks[arrival] ?? 0) + 1
    offsets[next] = (offsets[next] ?? 0) + 1
  }
  for (let rank = 1; rank <= terms; rank++) offsets[rank] = (offsets[rank] ?? 0) + (offsets[rank - 1] ?? 0)
  return offsets
}

/** Sorts postings by term, with a counting sort. It is stable, so that the chunks of each term stay ascending. */
const arrivalsInOrder = (ranks: Uint32Array, offsets: Uint32Array): Uint32Array => {
  const next = offsets.slice()
  const arrivals = new Uint32Array(ranks.length)
  for (let arrival = 0; arrival < ranks.length; arrival++) {
    const rank = ranks[arrival] ?? 0
    const place = next[rank] ?? 0
    arrivals[place] = arrival
    next[rank] = place + 1
  }
  return arrivals
}

/** A typed array that grows as numbers are added. */
class Numbers<A extends Uint8Array | Uint16Array | Uint32Array> {
  private readonly make: new (length: number) => A
  private buffer: A
  length = 0

  constructor(make: new (length: number) => A) {
    this.make = make
    this.buffer = new make(1_024)
  }

  push(value: number): void {
    if (this.length === this.buffer.length) {
      const larger = new this.make(2 * this.length)
      larger.set(this.buffer)
      this.buffer = larger
    }
    this.buffer[this.length++] = value
  }

  /** The numbers that were added, as an array of exactly their length. */
  values(): A {
    const exact = new this.make(this.length)
    exact.set(this.buffer.subarray(0, this.length))
    return exact
  }
}
