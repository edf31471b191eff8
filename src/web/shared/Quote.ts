/** A letter or a digit in a list of texts: the index of its text, and where it stands in it. */
interface Place {
  readonly text: number
  readonly start: number
  readonly end: number
}

/** The first and the last letter of a quote. */
export interface FoundQuote {
  readonly first: Place
  readonly last: Place
}

const letter = /[\p{L}\p{M}\p{N}]/gu

/** Matches what of Markdown has letters or digits and is not shown: the addresses of links, and the numbers of items. */
const hidden = /\]\([^)]*\)|^\s*\d{1,3}[.)]\s/gmu

/**
 * Finds a quote in texts that follow each other. Only letters and digits count: neither white space nor the marks of
 * Markdown, which are shown otherwise than they are written.
 */
export const findQuote = (texts: ReadonlyArray<string>, quote: string): FoundQuote | undefined => {
  const wanted = Array.from(quote.replaceAll(hidden, " ").matchAll(letter), ([one]) => one.toLowerCase()).join("")
  const places: Array<Place> = []
  let letters = ""
  for (const [text, content] of texts.entries()) {
    for (const { 0: one, index: start } of content.matchAll(letter)) {
      const lower = one.toLowerCase()
      letters += lower
      // A letter may have several UTF-16 code units.
      places.push(...Array.from({ length: lower.length }, () => ({ text, start, end: start + one.length })))
    }
  }
  const at = letters.indexOf(wanted)
  const [first, last] = [places[at], places[at + wanted.length - 1]]
  return wanted === "" || first === undefined || last === undefined ? undefined : { first, last }
}
