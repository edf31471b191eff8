import { commonness } from "./Commonness.ts"

/*
 * How much a word of any language says, and whether two words are forms of one.
 */

/** The logarithm to base two of the rarest word's share of texts. */
const RAREST_BITS = 14

/** Words that no language's list of commonest words has are at least as rare as this, by length. */
export const weightOf = (word: string): number => Math.min(1, -Math.log2(commonness(word)) / RAREST_BITS)

/** Certainty that two words mean the same, 0–1: as forms of one word, and where one is a part of the other. */
const FORM = 0.9
const PART = 0.6
/** The least number of letters at the beginning that two forms of a word share. */
const SHARED_MIN = 4
/** The least length of a part of a compound. */
const PART_MIN = 5

/** Whether words are forms of one word, or one is a part of the other. */
export const similarity = (a: string, b: string): number => {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  let shared = 0
  while (shared < shorter.length && shorter.charCodeAt(shared) === longer.charCodeAt(shared)) shared++
  // Letters beyond ASCII belong to languages that change the ends of words more.
  const least = a.charCodeAt(0) < 0x80 ? SHARED_MIN : SHARED_MIN - 1
  if (shared >= least && shared >= 0.6 * longer.length) return FORM
  if (shared === shorter.length && shared === SHARED_MIN - 1 && longer.length - shared <= 2) return PART
  if (shorter.length < PART_MIN) return 0
  return shared === shorter.length || (longer.length > shorter.length && longer.endsWith(shorter)) ? PART : 0
}
