/** A direction of writing. */
export type Direction = "ltr" | "rtl"

/** Longer texts are judged by their beginning. */
const MAX_LENGTH = 1_000

/** Parts of Markdown that are in Latin letters in every language: addresses, and code within a line. */
const neutral = /\]\([^)]*\)|https?:\/\/\S+|`[^`]*`/gu

/** Letters of the scripts that are written from right to left, such as Hebrew and Arabic. */
const fromTheRight = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/gu

/**
 * Returns the direction of a Markdown text; `undefined` without any letters. A third of its letters decides for right to
 * left, since lines in Arabic often begin with a Latin name, or hold several.
 */
export const directionOf = (source: string): Direction | undefined => {
  const text = source.slice(0, MAX_LENGTH).replace(neutral, "")
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return undefined
  return 3 * (text.match(fromTheRight)?.length ?? 0) >= letters ? "rtl" : "ltr"
}
