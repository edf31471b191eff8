/** A direction of writing. */
export type Direction = "ltr" | "rtl"

/** Longer texts are judged by their beginning. */
const MAX_LENGTH = 1_000

/** Parts of Markdown that are in Latin letters in every language: addresses, and code within a line. */
const neutral = /\]\([^)]*\)|https?:\/\/\S+|`[^`]*`/gu

/** Letters of the scripts that are written from right to left, such as Hebrew and Arabic. */
const isFromTheRight = (letter: string): boolean => /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u.test(letter)

/**
 * Returns the direction of a Markdown text; `undefined` without any letters. Lines in Arabic often begin with a Latin
 * name, or hold several. A text is written from right to left where half of its letters are,
 * or a quarter with the first one among them.
 */
export const directionOf = (source: string): Direction | undefined => {
  const text = source.slice(0, MAX_LENGTH).replace(neutral, "")
  const letters = text.match(/\p{L}/gu) ?? []
  const [first] = letters
  if (first === undefined) return undefined
  const share = letters.filter(isFromTheRight).length / letters.length
  return share >= (isFromTheRight(first) ? 0.25 : 0.5) ? "rtl" : "ltr"
}
