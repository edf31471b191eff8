import { scramble } from "../../text/Hashing.ts"
import type { Language } from "../../language/Language.ts"

/**
 * A term of the lexical index: 53 bits of a hash of a language and the UTF-8 of a lexeme in it. The same lexeme is a
 * different term in each language, so that a word matches only texts that were stemmed as the word was. A million
 * distinct terms make a collision with a probability of 1 in 18,000, and numbers take a tenth of the memory of strings.
 */
export type Term = number

/** The two halves of a hash of which a term is made. */
interface Halves {
  readonly low: number
  readonly high: number
}

const hashed = (bytes: Uint8Array, from: Halves): Halves => {
  let { low, high } = from
  for (const byte of bytes) {
    low = mixedLow(low, byte)
    high = mixedHigh(high, byte)
  }
  return { low, high }
}

const mixedLow = (half: number, byte: number): number => Math.imul(half ^ byte, 0x01000193)
const mixedHigh = (half: number, byte: number): number => Math.imul(half ^ byte, 0x85ebca6b)
const joined = (low: number, high: number): Term => (scramble(high) >>> 11) * 2 ** 32 + scramble(low)

/** The hash of each language, with which that of its lexemes begins. */
const beginnings = new Map<Language, Halves>()

const beginningOf = (language: Language): Halves => {
  const known = beginnings.get(language)
  if (known !== undefined) return known
  const made = hashed(Buffer.from(`${language}\0`), { low: 0x811c9dc5, high: 0x9dc5811c })
  beginnings.set(language, made)
  return made
}

/** The term of a lexeme, as `readLexemes` makes it. */
export const termOf = (lexeme: string, language: Language): Term => {
  const { low, high } = hashed(Buffer.from(lexeme), beginningOf(language))
  return joined(low, high)
}

/** The weight A of `setweight`, as it stands in the top two bits of a stored position. */
const TITLE_WEIGHT = 3

/**
 * Whether a position is within the title. Postgres stores a position in 16 bits: the weight in the top two, the place
 * from 1 in the others.
 */
export const isInTitle = (position: number): boolean => position >>> 14 === TITLE_WEIGHT

/** The place of a position in its text, without the weight. Postgres gives the place 16,383 to every word after it. */
export const placeOf = (position: number): number => position & 0x3fff

/**
 * Reads the binary form of a `tsvector` (`tsvectorsend`): a 32-bit count, then for each lexeme its text, a NUL, a
 * 16-bit count and 16-bit positions. No string is made. `visit` gets the positions ascending as numbers, so that those
 * of one weight are together; they are overwritten after the call. The text of the lexeme are the bytes `from` to before `to`.
 *
 * @param language the language whose stemmer made the lexemes
 */
export const readLexemes = (
  bytes: Uint8Array,
  language: Language,
  visit: (term: Term, positions: Uint16Array, count: number, from: number, to: number) => void,
): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lexemes = view.getUint32(0)
  const beginning = beginningOf(language)
  let offset = 4
  for (let lexeme = 0; lexeme < lexemes; lexeme++) {
    let { low, high } = beginning
    const from = offset
    for (let byte = bytes[offset++] ?? 0; byte !== 0; byte = bytes[offset++] ?? 0) {
      low = mixedLow(low, byte)
      high = mixedHigh(high, byte)
    }
    const to = offset - 1
    const count = view.getUint16(offset)
    offset += 2
    for (let index = 0; index < count; index++, offset += 2) scratch[index] = view.getUint16(offset)
    // Postgres sorts them by place alone, so that positions of different weights do not ascend as numbers.
    if (count > 1 && (scratch[0] ?? 0) > (scratch[count - 1] ?? 0)) scratch.subarray(0, count).sort()
    visit(joined(low, high), scratch, count, from, to)
  }
}

/** The lexemes of a binary `tsvector` as text, in the order in which `readLexemes` visits them. */
export const lexemeTexts = (bytes: Uint8Array): ReadonlyArray<string> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let offset = 4
  return Array.from({ length: view.getUint32(0) }, () => {
    const end = bytes.indexOf(0, offset)
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset, end - offset).toString()
    offset = end + 3 + 2 * view.getUint16(end + 1)
    return text
  })
}

/** Receives the positions of one lexeme, of which Postgres keeps at most 255. */
const scratch = new Uint16Array(256)
