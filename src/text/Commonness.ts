import { table as encoded } from "./CommonnessTable.ts"
import { hash } from "./Hashing.ts"

/** The length of a stem in characters: longer words are cut, which is a rough stemmer for any language. */
const STEM_CHARACTERS = 6

/**
 * The table has one byte for each word: four bits to recognize the word, and four for how common it is. The byte stands
 * in one of two slots, whichever was free. Three in a hundred unknown words are mistaken for a known one, mostly a rare
 * one.
 */
const SLOTS = 0x10000
const COMMONEST_LEVEL = 15
/** The logarithm to base two of the factor between two levels. */
const LEVEL_BITS = 0.85
/** The share of texts that hold a word which is not in the table. */
export const UNKNOWN_SHARE = 2 ** -14

/** The rough stem of a word in lower case. */
export const roughStem = (word: string): string =>
  // Numbers and codes are told apart by their ends.
  word.length <= STEM_CHARACTERS || /\d/.test(word) ? word : word.slice(0, STEM_CHARACTERS)

/** The share of all texts in a word's language that hold the word, 0–1. Takes words as `spacedWords` returns them. */
export const commonness = (word: string): number => SHARES[levelOf(roughStem(word))] ?? UNKNOWN_SHARE

/** Level of a word's commonness, by its rough stem: an index into `SHARES`. */
export const levelOf = (stem: string): number => {
  const bits = hash(stem)
  return levelIn(firstSlot(bits), bits) || levelIn(secondSlot(bits), bits)
}

const levelIn = (slot: number, bits: number): number => {
  const byte = table[slot] ?? 0
  return byte >>> 4 === bits >>> 28 ? byte & 15 : 0
}

/** The share of texts that hold a word, by level. */
export const SHARES: ReadonlyArray<number> = Array.from({ length: COMMONEST_LEVEL + 1 }, (_, level) =>
  level === 0 ? UNKNOWN_SHARE : 2 ** (LEVEL_BITS * (level - COMMONEST_LEVEL)),
)

/**
 * Makes the table from the shares of words by rough stem. Where both slots of two words are the same, the commoner word
 * stays.
 */
export const makeTable = (shares: ReadonlyMap<string, number>): Uint8Array => {
  const made = new Uint8Array(SLOTS)
  for (const [stem, share] of Array.from(shares).sort(([, left], [, right]) => right - left)) {
    const level = Math.round(COMMONEST_LEVEL + Math.log2(share) / LEVEL_BITS)
    const bits = hash(stem)
    const free = [firstSlot(bits), secondSlot(bits)].find((slot) => made[slot] === 0)
    if (level > 0 && free !== undefined) made[free] = ((bits >>> 28) << 4) | level
  }
  return made
}

const firstSlot = (bits: number): number => bits & (SLOTS - 1)
const secondSlot = (bits: number): number => (bits >>> 12) & (SLOTS - 1)

/** Inflates without `node:zlib`, which takes a twentieth of the server's start to load. */
const table: Uint8Array = Bun.inflateSync(Buffer.from(encoded, "base64"))
