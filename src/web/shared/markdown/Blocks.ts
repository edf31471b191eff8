import type { MarkedToken, Token } from "marked"
import { BoundedLexer, TEXT_MAX_LENGTH, type LinkDefinition } from "./BoundedLexer.ts"

/** A block of a Markdown document: a paragraph, a list, a table, a code block … */
export interface Block {
  /** Position of the block's first character, which names the block for as long as text is only added. */
  readonly start: number
  readonly token: Token
}

/** Longer quotes, lists and tables are cut. */
const BLOCK_MAX_LENGTH = 16_384

/** `marked` declares that a token may be of any type; these are the types that its lexer makes. */
export const isKnown = (_token: Token): _token is MarkedToken => true

/**
 * Returns the blocks of a text. Where it had blocks `before` more text was added at its end, all but the last two of
 * them stay the same objects and are not lexed again: then text that is added costs as much as the blocks at the end are
 * long. Rarely a line that has only begun divides an earlier block, and a link may be defined far from the reference to
 * it: so that a text which has ended is lexed once more as a whole.
 */
export const blocksOf = (source: string, before: ReadonlyArray<Block> = []): ReadonlyArray<Block> => {
  const text = withoutControls(source)
  const kept = before.slice(0, -2)
  const start = kept.length === 0 ? 0 : (before[kept.length]?.start ?? 0)
  const links = new Map<string, LinkDefinition>()
  const blocks = lexFrom(text, start, links)
  // A link may be defined below the references to it.
  return [...kept, ...(links.size === 0 ? blocks : lexFrom(text, start, links))]
}

/** Lexes a text from a position on, in pieces that are not too long, and adds the links that are defined there. */
const lexFrom = (text: string, from: number, links: Map<string, LinkDefinition>): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let start = from
  let length = BLOCK_MAX_LENGTH
  while (start < text.length) {
    const piece = text.slice(start, start + length)
    let tokens: ReadonlyArray<Token> = new BoundedLexer(links).lex(piece)
    const [first] = tokens
    if (first === undefined) break
    const long = tokens.findIndex((token) => lengthOf(token) > maxLengthOf(token))
    // The last block of a piece may go on in the next one.
    const last = start + length < text.length ? tokens.findLastIndex(({ type }) => type !== "space") : tokens.length
    const count = long === -1 ? last : long
    if (count <= 0 && first.type === "code") {
      length *= 2
      continue
    }
    tokens =
      count > 0
        ? tokens.slice(0, count)
        : new BoundedLexer(links).lex(piece.slice(0, cutOf(piece, first.type, maxLengthOf(first))))
    for (const token of tokens) {
      if (isKnown(token) && token.type === "def") links.set(token.tag, { href: token.href, title: token.title })
      else if (token.type !== "space") blocks.push({ start, token })
      start += token.raw.length
    }
    length = BLOCK_MAX_LENGTH
  }
  return blocks
}

/** The length of what is lexed at once of a block. Code is taken as it is, however long. */
const lengthOf = ({ raw, type }: Token): number => (type === "code" ? 0 : raw.length)

const maxLengthOf = ({ type }: Token): number =>
  type === "paragraph" || type === "text" || type === "heading" ? TEXT_MAX_LENGTH : BLOCK_MAX_LENGTH

/**
 * Returns where to cut a block that is longer than `maxLength`: at the end of a line, a sentence or a word, or else
 * somewhere. What follows begins with a letter, so that it begins no list or heading.
 */
const cutOf = (text: string, type: string, maxLength: number): number => {
  const piece = text.slice(0, maxLength)
  const line = piece.lastIndexOf("\n") + 1
  if ((type === "list" || type === "table") && line > 0) return line
  for (const end of [/\n(?=\p{L})/gu, /[.!?。！？]\s+(?=\p{L})/gu, /\s+(?=\p{L})/gu]) {
    const last = Array.from(piece.matchAll(end)).at(-1)
    const at = last === undefined ? 0 : last.index + last[0].length
    if (at > maxLength / 2) return at
  }
  // Not between the halves of a character.
  return /[\uD800-\uDBFF]$/.test(piece) ? maxLength - 1 : maxLength
}

/**
 * Removes what makes text look like another one: controls that embed, isolate or override directions (a right-to-left
 * mark alone is harmless), and control characters beside tabs and ends of lines.
 */
const withoutControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- Control characters are what it is about.
  text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, "")
