import type { MarkedToken, Token } from "marked"

const isKnown = (_token: Token): _token is MarkedToken => true

const longest = (texts: ReadonlyArray<string>): number =>
  texts.reduce((length, text) => Math.max(length, text.length), 0)

/** Returns the length of what is lexed at once of a block: of a list its longest item, of a table its longest line. */
export const lengthOf = (token: Token): number => {
  if (!isKnown(token)) return 0
  // Code is taken as it is, however long.
  if (token.type === "code") return 0
  if (token.type === "list") return longest(token.items.map(({ raw }) => raw))
  if (token.type === "table") return longest(token.raw.split("\n"))
  return token.raw.length
}

/**
 * Returns where to cut a text that is longer than `maxLength`: at the end of a line, a sentence or a word, or else
 * somewhere. What follows begins with a letter, so that it begins no list or heading.
 */
export const cutOf = (text: string, maxLength: number): number => {
  const piece = text.slice(0, maxLength)
  for (const end of [/\n(?=\p{L})/gu, /[.!?。！？]\s+(?=\p{L})/gu, /\s+(?=\p{L})/gu]) {
    const last = Array.from(piece.matchAll(end)).at(-1)
    const at = last === undefined ? 0 : last.index + last[0].length
    if (at > maxLength / 2) return at
  }
  // Not between the halves of a character.
  return /[\uD800-\uDBFF]$/.test(piece) ? maxLength - 1 : maxLength
}
