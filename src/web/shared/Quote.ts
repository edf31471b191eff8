/** A passage in three parts, of which the middle one is the quote; it is empty where the passage does not hold it. */
export interface MarkedPassage {
  readonly before: string
  readonly quote: string
  readonly after: string
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`)

/** Matches what stands between two words of a quote: white space, and marks of list items and cells. */
const BETWEEN = String.raw`(?:\s|[-*+•|]|\d{1,3}[.)])+`

/** Finds a quote in a passage, whatever white space and marks stand between its words. */
export const markQuote = (passage: string, quote: string): MarkedPassage => {
  const words = quote.split(/\s+/u).filter(Boolean)
  const found = words.length === 0 ? null : new RegExp(words.map(escapePattern).join(BETWEEN), "iu").exec(passage)
  if (found === null) return { before: passage, quote: "", after: "" }
  const end = found.index + found[0].length
  return { before: passage.slice(0, found.index), quote: found[0], after: passage.slice(end) }
}
