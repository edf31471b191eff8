/** A passage in three parts, of which the middle one is the quote; it is empty where the passage does not hold it. */
export interface MarkedPassage {
  readonly before: string
  readonly quote: string
  readonly after: string
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`)

/** Finds a quote in a passage, whatever white space stands between its words. */
export const markQuote = (passage: string, quote: string): MarkedPassage => {
  const words = quote.split(/\s+/u).filter(Boolean)
  const found =
    words.length === 0 ? null : new RegExp(words.map(escapePattern).join(String.raw`\s+`), "iu").exec(passage)
  if (found === null) return { before: passage, quote: "", after: "" }
  const end = found.index + found[0].length
  return { before: passage.slice(0, found.index), quote: found[0], after: passage.slice(end) }
}
