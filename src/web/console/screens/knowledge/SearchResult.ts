import type { Answer } from "../../server/Endpoints.ts"

export type SearchAnswer = Answer<"POST /api/external/chatbot/:chatbotId/query-knowledge">
export type SearchResult = SearchAnswer["results"][number]

/** The title and the text of a result, whose content has both, with the passage's number between them. */
export const partsOf = (content: string): { readonly title: string; readonly text: string } => {
  const [, title, text] = /^Title: (.*)\nChunk: \d+\n\n([^]*)$/u.exec(content) ?? []
  return { title: title ?? "", text: text ?? content }
}

interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

const word = /[\p{L}\p{M}\p{N}]+/gu
/** The beginning of a word that its other forms share with it. */
const stemOf = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length <= 4 ? lower : lower.slice(0, Math.max(4, Math.ceil(lower.length * 0.7)))
}

/** The pieces of a text, of which those that are forms of the words match. */
export const piecesOf = (text: string, words: ReadonlyArray<string>): ReadonlyArray<Piece> => {
  const exact = new Set(words.map((each) => each.toLowerCase()))
  const stems = words.map(stemOf).filter((stem) => stem.length >= 4)
  const pieces: Array<Piece> = []
  let at = 0
  for (const match of text.matchAll(word)) {
    const found = match[0].toLowerCase()
    if (!exact.has(found) && !stems.some((stem) => found.startsWith(stem))) continue
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isMatch: false })
    pieces.push({ text: match[0], isMatch: true })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMatch: false })
  return pieces
}
