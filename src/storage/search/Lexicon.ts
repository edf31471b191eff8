import { WordTable } from "../../text/WordTable.ts"

/** A word, with the lexemes that a text search configuration makes of it. */
export interface Word {
  readonly name: string
  /** Whether its lexemes have been learned from Postgres. */
  isKnown: boolean
  /** The number of places that it takes in a text, whether or not it is indexed. */
  width: number
  /** The lexemes that it is indexed as. */
  lexemes: ReadonlyArray<Lexeme>
  /** The place of each lexeme within the word, from 1. */
  places: ReadonlyArray<number>
}

interface Lexeme {
  readonly bytes: Uint8Array
  /** The number of the vector to which the following fields belong. */
  vector: number
  /** The positions as Postgres stores them, with the weight in the top two bits. */
  readonly positions: Array<number>
  part: number
  limit: number
}

/** The weights of title, headings and text: A, B and D in the top two bits of a position. */
const WEIGHTS = [3 << 14, 2 << 14, 0]
/** The bits of a position that hold the place of the word. */
const PLACE = 0x3fff
/** Postgres counts the places of a text up to this one. */
const LAST_PLACE = 16_383
/** Postgres keeps this many positions of a lexeme in one text, and one more where two vectors are joined. */
const MAX_POSITIONS = 255

/** The words of one text search configuration, each of which is learned from Postgres once. */
export class Lexicon {
  /** Follows a word when Postgres analyses it, so that its place tells how many places the word takes. */
  static readonly afterWord = " 0"

  private readonly words = new WordTable<Word>()
  private readonly lexemes = new Map<string, Lexeme>()
  private vectors = 0

  /** The length of all words together, which determines the memory of the lexicon. */
  get characters(): number {
    return this.words.characters
  }

  /** Finds the words of a text with single spaces between them, in order. New ones are still to be learned. */
  read(spaced: string): ReadonlyArray<Word> {
    return this.words.read(spaced, (name) => ({ name, isKnown: false, width: 0, lexemes: [], places: [] }))
  }

  /**
   * Learns the lexemes of a word.
   *
   * @param analysis the binary `tsvector` of the word followed by `afterWord`
   */
  learn(word: Word, analysis: Uint8Array): void {
    const lexemes: Array<Lexeme> = []
    const places: Array<number> = []
    for (const { bytes, positions } of entriesOf(analysis)) {
      if (bytes.length === 1 && bytes[0] === AFTER_WORD) word.width = (positions.pop() ?? 1) - 1
      for (const place of positions) {
        lexemes.push(this.lexemeOf(bytes))
        places.push(place)
      }
    }
    word.lexemes = lexemes
    word.places = places
    word.isKnown = true
  }

  /** Makes the binary `tsvector` of a title, headings and a text, all of whose words must be known. */
  vectorOf(parts: ReadonlyArray<ReadonlyArray<Word>>): Uint8Array {
    this.vectors++
    const lexemes: Array<Lexeme> = []
    // As where Postgres joins two vectors, the places of the second follow the last place that the first has kept.
    let last = 0
    for (const [part, words] of parts.entries()) {
      const before = last
      let taken = 0
      for (const word of words) {
        for (let index = 0; index < word.lexemes.length; index++) {
          const lexeme = word.lexemes[index]
          if (lexeme === undefined) continue
          if (lexeme.vector !== this.vectors) {
            lexeme.vector = this.vectors
            lexeme.positions.length = 0
            lexeme.part = -1
            lexemes.push(lexeme)
          }
          const place = Math.min(before + Math.min(taken + (word.places[index] ?? 0), LAST_PLACE), LAST_PLACE)
          if (addPosition(lexeme, part, place)) last = Math.max(last, place)
        }
        taken += word.width
      }
    }
    return encode(lexemes)
  }

  private lexemeOf(bytes: Uint8Array): Lexeme {
    const name = Buffer.from(bytes).toString("latin1")
    const known = this.lexemes.get(name)
    if (known !== undefined) return known
    const made: Lexeme = { bytes: bytes.slice(), vector: 0, positions: [], part: -1, limit: 0 }
    this.lexemes.set(name, made)
    return made
  }
}

const AFTER_WORD = Lexicon.afterWord.charCodeAt(1)

/** Adds a position to a lexeme, or returns false when Postgres would not keep it. */
const addPosition = (lexeme: Lexeme, part: number, place: number): boolean => {
  const { positions } = lexeme
  if (lexeme.part !== part) {
    lexeme.part = part
    lexeme.limit = positions.length === 0 ? MAX_POSITIONS : MAX_POSITIONS + 1
  }
  if (positions.length >= lexeme.limit) return false
  if (positions.length > 0 && ((positions[positions.length - 1] ?? 0) & PLACE) >= place) return false
  positions.push((WEIGHTS[part] ?? 0) | place)
  return true
}

const entriesOf = (analysis: Uint8Array) => {
  const view = new DataView(analysis.buffer, analysis.byteOffset, analysis.byteLength)
  let offset = 4
  return Array.from({ length: view.getUint32(0) }, () => {
    const end = analysis.indexOf(0, offset)
    const bytes = analysis.subarray(offset, end)
    const positions = Array.from({ length: view.getUint16(end + 1) }, (_, index) => view.getUint16(end + 3 + 2 * index))
    offset = end + 3 + 2 * positions.length
    return { bytes, positions }
  })
}

/** Encodes a vector in the form that `tsvectorrecv` reads, which sorts the lexemes itself. */
const encode = (lexemes: ReadonlyArray<Lexeme>): Uint8Array => {
  let size = 4
  for (const { bytes, positions } of lexemes) size += bytes.length + 3 + 2 * positions.length
  const into = new Uint8Array(size)
  new DataView(into.buffer).setUint32(0, lexemes.length)
  let offset = 4
  for (const { bytes, positions } of lexemes) {
    for (const byte of bytes) into[offset++] = byte
    into[offset++] = 0
    into[offset++] = positions.length >>> 8
    into[offset++] = positions.length
    for (const position of positions) {
      into[offset++] = position >>> 8
      into[offset++] = position
    }
  }
  return into
}
