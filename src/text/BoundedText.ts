import type { Brand } from "effect"
import { cut } from "./Cut.ts"
import { normalize } from "./Normalization.ts"

/**
 * A text from outside, in a form whose analysis takes a bounded time: composed (NFC), without long runs of combining
 * marks, and short enough, also in Unicode's compatibility form (NFKC), in which one character may become eighteen.
 *
 * Everything that looks for words, sentences or languages takes this type and not `string`, so that the compiler finds
 * what would analyse a text of any length. Only `bounded` makes it.
 */
export type BoundedText = string & Brand.Brand<"BoundedText">

/** Most of a message, a question or a name that is analysed, in UTF-16 code units of its compatibility form. */
export const MESSAGE_MAX_LENGTH = 2_000

/** Most of a passage of a document that is analysed: several times as much as the longest passage has. */
const PASSAGE_MAX_LENGTH = 8_000

/**
 * Most growth of a text in its compatibility form: a factor of its length, and code units on top for short ones, so
 * that a document costs no more than its size. Texts of people stay far below.
 */
const GROWTH_MAX = 2
const GROWTH_FREE = 64

/** Matches a character beyond ASCII: a text without one is its own compatibility form. */
const BEYOND_ASCII = /[^\0-\x7f]/

/**
 * Makes a text fit for analysis. A text that fits is only composed. Of a longer one, the beginning and the end remain,
 * between which people put what they quote.
 *
 * @param max the most UTF-16 code units that remain, also in the compatibility form
 */
export const bounded = (text: string, max: number = PASSAGE_MAX_LENGTH): BoundedText => {
  const part = ends(text, max)
  if (!BEYOND_ASCII.test(part)) return part as BoundedText
  const composed = normalize(part, "NFC")
  const compatible = normalize(composed, "NFKC")
  const limit = Math.min(max, GROWTH_MAX * composed.length + GROWTH_FREE)
  const fits = composed.length <= limit && compatible.length <= limit
  return (fits ? composed : ends(compatible, limit)) as BoundedText
}

/** The first and the last part of a text, on lines of their own. */
const ends = (text: string, max: number): string => {
  if (text.length <= max) return text
  const half = Math.floor((max - 1) / 2)
  return `${cut(text, half)}\n${text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "")}`
}
