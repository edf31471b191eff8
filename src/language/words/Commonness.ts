import { table as encoded } from "./CommonnessTable.ts"
import { hash } from "../../text/Hashing.ts"

/** The length of a stem in characters: longer words are cut, which is a rough stemmer for any language. */
const STEM_CHARACTERS = 6

/**
 * The table has two parts: a byte for each word, to recognize it, and half a byte for how common it is. Both stand in one
 * of two slots, whichever was free. One unknown word in five hundred is mistaken for a known one.
 */
const SLOTS = 2 ** 18
/** The bits of a hash below those that recognize a word, of which the slots are made. */
const PLACE_BITS = 24
const SLOT_BITS = 18
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

/**
 * Level of a word's commonness, by its rough stem: an index into `SHARES`; 0 for a word that the table does not have.
 *
 * @param words a table that `makeTable` has made
 */
export const levelOf = (stem: string, words = table): number => {
  const bits = hash(stem)
  return levelIn(words, firstSlot(bits), bits) || levelIn(words, secondSlot(bits), bits)
}

const levelIn = (words: Uint8Array, slot: number, bits: number): number =>
  words[slot] === bits >>> PLACE_BITS ? ((words[SLOTS + (slot >>> 1)] ?? 0) >>> shiftOf(slot)) & 15 : 0

/** The share of texts that hold a word, by level. */
export const SHARES: ReadonlyArray<number> = Array.from({ length: COMMONEST_LEVEL + 1 }, (_, level) =>
  level === 0 ? UNKNOWN_SHARE : 2 ** (LEVEL_BITS * (level - COMMONEST_LEVEL)),
)

/**
 * Makes the table from the shares of words by rough stem. Where both slots of a word are taken, one of these words moves
 * to its other slot; where it cannot, the commoner words stay.
 */
export const makeTable = (shares: ReadonlyMap<string, number>): Uint8Array => {
  const hashes: Array<number | undefined> = []
  const levels = new Uint8Array(SLOTS)
  const put = (slot: number, bits: number, level: number): void => {
    hashes[slot] = bits
    levels[slot] = level
  }
  const slotsOf = (bits: number): ReadonlyArray<number> => [firstSlot(bits), secondSlot(bits)]
  const freeFor = (bits: number): number | undefined => slotsOf(bits).find((slot) => levels[slot] === 0)
  for (const [stem, share] of Array.from(shares).sort(([, left], [, right]) => right - left)) {
    const level = Math.round(COMMONEST_LEVEL + Math.log2(share) / LEVEL_BITS)
    if (level <= 0) continue
    const bits = hash(stem)
    const slot = freeFor(bits) ?? slotsOf(bits).find((taken) => freeFor(hashes[taken] ?? 0) !== undefined)
    if (slot === undefined) continue
    const other = hashes[slot]
    if (other !== undefined) put(freeFor(other) ?? slot, other, levels[slot] ?? 0)
    put(slot, bits, level)
  }
  const made = new Uint8Array(SLOTS + SLOTS / 2)
  for (const [slot, bits = 0] of hashes.entries()) made[slot] = bits >>> PLACE_BITS
  for (const [slot, level] of levels.entries()) {
    const place = SLOTS + (slot >>> 1)
    made[place] = (made[place] ?? 0) | (level << shiftOf(slot))
  }
  return made
}

const firstSlot = (bits: number): number => bits & (SLOTS - 1)
const secondSlot = (bits: number): number => (bits >>> (PLACE_BITS - SLOT_BITS)) & (SLOTS - 1)
const shiftOf = (slot: number): number => 4 * (slot & 1)

/** Inflates without `node:zlib`, which takes a twentieth of the server's start to load. */
const table: Uint8Array = Bun.inflateSync(Buffer.from(encoded, "base64"))
