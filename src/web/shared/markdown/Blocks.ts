import type { MarkedToken, Token, Tokens } from "marked"
import { BoundedLexer, TEXT_MAX_LENGTH, type LinkDefinition } from "./BoundedLexer.ts"

/** A block of a Markdown document: a paragraph, a list, a table, a code block … */
export interface Block {
  /** Position of the block's first character, which names the block for as long as text is only added. */
  readonly start: number
  readonly token: Token
}

/** Text that comes at once is lexed in pieces of this length, as if it were streamed: in linear time. */
const PIECE_LENGTH = 8_192
/** Longer quotes, lists and tables are cut. */
const BLOCK_MAX_LENGTH = 16_384

/** `marked` declares that a token may be of any type; these are the types that its lexer makes. */
export const isKnown = (_token: Token): _token is MarkedToken => true

/** A token with the positions of its beginning and its end in the whole text. */
interface Placed {
  readonly start: number
  readonly end: number
  readonly token: Token
}

/**
 * The blocks of a Markdown text that grows at its end. Blocks that no further text can change are kept, as the same
 * objects, and are not lexed again: text that is added costs as much as the block at the end is long, and what is too
 * long for that is cut. The blocks do not depend on the pieces in which the text comes.
 */
export class Blocks {
  #text = ""
  /** The end of the text that may still change, from `#start` on. */
  #open = ""
  #start = 0
  #finished: ReadonlyArray<Block> = []
  readonly #links = new Map<string, LinkDefinition>()

  /**
   * Adds text and returns the blocks of the whole text.
   *
   * @param isLast No further text comes. References to links that were defined below them are then resolved.
   */
  add(text: string, isLast = false): ReadonlyArray<Block> {
    const added = withoutControls(text)
    this.#text += added
    const blocks = this.#addPieces(added, isLast)
    if (!isLast || this.#links.size === 0) return blocks
    this.#open = ""
    this.#start = 0
    this.#finished = []
    return this.#addPieces(this.#text, true)
  }

  #addPieces(text: string, isLast: boolean): ReadonlyArray<Block> {
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      const piece = text.slice(at, at + PIECE_LENGTH)
      this.#open += piece
      const line = this.#open.length - this.#open.lastIndexOf("\n") - 1
      // A line that has only begun may make two lines a table, and undo it as it goes on.
      const settled = line > TEXT_MAX_LENGTH ? 0 : line
      if (settled === 0 || piece.includes("\n")) this.#settle(this.#start + this.#open.length - settled, false)
    }
    if (isLast) this.#settle(this.#start + this.#open.length, true)
    return [...this.#finished, ...this.#lex(this.#open).filter(hasContent)]
  }

  /** Finishes what cannot change any more of the text before a position, which is the end of a line. */
  #settle(until: number, isLast: boolean): void {
    for (;;) {
      const source = this.#open.slice(0, until - this.#start)
      const placed = this.#lex(source)
      const long = placed.findIndex(({ token }) => lengthOf(token) > maxLengthOf(token))
      const count = long === -1 ? (isLast ? placed.length : finishedCount(placed)) : long
      const [first] = placed.slice(count)
      this.#finish(placed.slice(0, count))
      if (first === undefined || long === -1) return
      this.#finish(this.#lex(this.#open.slice(0, cutOf(this.#open, first.token.type, maxLengthOf(first.token)))))
    }
  }

  #lex(source: string): ReadonlyArray<Placed> {
    let end = this.#start
    return new BoundedLexer(this.#links).lex(source).map((token) => {
      const start = end
      end += token.raw.length
      return { token, start, end }
    })
  }

  #finish(placed: ReadonlyArray<Placed>): void {
    const last = placed.at(-1)
    if (last === undefined) return
    for (const { token } of placed)
      if (isKnown(token) && token.type === "def") this.#links.set(token.tag, linkOf(token))
    this.#finished = [...this.#finished, ...placed.filter(hasContent)]
    this.#open = this.#open.slice(last.end - this.#start)
    this.#start = last.end
  }
}

/** Returns the blocks of a whole text. */
export const blocksOf = (text: string): ReadonlyArray<Block> => new Blocks().add(text, true)

const hasContent = ({ token: { type } }: Block): boolean => type !== "space" && type !== "def"

const linkOf = ({ href, title }: Tokens.Def): LinkDefinition => ({ href, title })

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

/** Counts the tokens at the beginning that further lines cannot change: those before the last block. */
const finishedCount = (placed: ReadonlyArray<Placed>): number =>
  Math.max(
    0,
    placed.findLastIndex(({ token: { type } }) => type !== "space"),
  )

/**
 * Removes what makes text look like another one: controls that embed, isolate or override directions (a right-to-left
 * mark alone is harmless), and control characters beside tabs and ends of lines.
 */
export const withoutControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- Control characters are what it is about.
  text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, "")
