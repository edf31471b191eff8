import { WordTable } from "../../text/WordTable.ts"

/** What a text search configuration makes of a word. */
export interface Word {
  readonly name: string
  isKnown: boolean
  /** Places that it takes among the words of a text, also where it is not indexed. */
  width: number
  /** What it is indexed as, and at which of its places, from 1. */
  lexemes: ReadonlyArray<Lexeme>
  places: ReadonlyArray<number>
}

interface Lexeme {
  readonly bytes: Uint8Array
  /** The vector, by its number, that the rest is about. */
  vector: number
  /** As Postgres stores them: the weight in the top two bits. */
  readonly positions: Array<number>
  part: number
  limit: number
}

/** Of title, headings and text: A, B and D in the top two bits of a position. */
const WEIGHTS = [3 << 14, 2 << 14, 0]
const PLACE = 0x3fff
/** Postgres counts words no further, */
const LAST_PLACE = 16_383
/** and keeps so many positions of a lexeme in one text, one more where two are joined. */
const MAX_POSITIONS = 255

/** The words of one text search configuration, each learned from Postgres once. */
export class Lexicon {
  /** Comes after a word that is asked about, so that its place tells how many the word takes. */
  static readonly afterWord = " 0"

  readonly #words = new WordTable<Word>()
  readonly #lexemes = new Map<string, Lexeme>()
  #made = 0

  /** Its words' lengths together, which its memory goes by. */
  get characters(): number {
    return this.#words.characters
  }

  /** The words between single spaces, in order; new ones are still to be learned. */
  read(spaced: string): ReadonlyArray<Word> {
    return this.#words.read(spaced, (name) => ({ name, isKnown: false, width: 0, lexemes: [], places: [] }))
  }

  /** @param analysis binary `tsvector` of the word and what comes after it */
  learn(word: Word, analysis: Uint8Array): void {
    const lexemes: Array<Lexeme> = []
    const places: Array<number> = []
    for (const { bytes, positions } of entriesOf(analysis)) {
      if (bytes.length === 1 && bytes[0] === AFTER_WORD) word.width = (positions.pop() ?? 1) - 1
      for (const place of positions) {
        lexemes.push(this.#lexemeOf(bytes))
        places.push(place)
      }
    }
    word.lexemes = lexemes
    word.places = places
    word.isKnown = true
  }

  /** The binary `tsvector` of the parts, all of whose words are known. */
  vectorOf(parts: ReadonlyArray<ReadonlyArray<Word>>): Uint8Array {
    this.#made++
    const lexemes: Array<Lexeme> = []
    // Where two vectors are joined, the places of the second follow the last that the first has kept.
    let last = 0
    for (const [part, words] of parts.entries()) {
      const before = last
      let taken = 0
      for (const word of words) {
        for (let index = 0; index < word.lexemes.length; index++) {
          const lexeme = word.lexemes[index]
          if (lexeme === undefined) continue
          if (lexeme.vector !== this.#made) {
            lexeme.vector = this.#made
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

  #lexemeOf(bytes: Uint8Array): Lexeme {
    const name = Buffer.from(bytes).toString("latin1")
    const known = this.#lexemes.get(name)
    if (known !== undefined) return known
    const made: Lexeme = { bytes: bytes.slice(), vector: 0, positions: [], part: -1, limit: 0 }
    this.#lexemes.set(name, made)
    return made
  }
}

const AFTER_WORD = Lexicon.afterWord.charCodeAt(1)

/** False when Postgres would not keep it. */
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

/** The form that `tsvectorrecv` reads, which sorts the lexemes itself. */
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
