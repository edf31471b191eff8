import type { MarkedToken, Token, Tokens } from "marked"
import { BoundedLexer, TEXT_MAX_LENGTH, type LinkDefinition } from "./BoundedLexer.ts"
import { cutOf, lengthOf } from "./Cuts.ts"

/** A block of a Markdown document: a paragraph, a list, a table, a code block … */
export interface Block {
  /** Position of the block's first character, which names the block for as long as text is only added. */
  readonly start: number
  readonly token: Token
}

/** Text that comes at once is lexed in pieces of this length, as if it were streamed: in linear time. */
const PIECE_LENGTH = 8_192
/** Longer quotes, items and lines of tables are cut. */
const BLOCK_MAX_LENGTH = 16_384
/** The last items of a list, and the last rows of a table, which further text may change. */
const OPEN_PARTS = 2

/** `marked` declares that a token may be of any type; these are the types that its lexer makes. */
export const isKnown = (_token: Token): _token is MarkedToken => true

/** A token with the positions of its beginning and its end in the whole text. */
interface Placed {
  readonly start: number
  readonly end: number
  readonly token: Token
}

/** A list or a table at the end of the text, of which the first items or rows are finished. */
interface Group {
  readonly start: number
  readonly token: Tokens.List | Tokens.Table
  /** The first two lines of a table, without which its rows are no table. */
  readonly head: string
}

/**
 * The blocks of a Markdown text that grows at its end. Blocks, items of lists and rows of tables that no further text
 * can change are kept, as the same objects, and are not lexed again: text that is added costs as much as the block at
 * the end is long, and what is too long for that is cut. The blocks do not depend on the pieces in which the text comes.
 */
export class Blocks {
  #text = ""
  /** What may still change, which begins at `#start` of the text. */
  #open = ""
  #start = 0
  #finished: ReadonlyArray<Block> = []
  #group: Group | undefined
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
    return [...this.#finished, ...this.#merged(this.#lex(this.#open)).filter(hasContent)]
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
      if (first === undefined) return
      if (long === -1) return this.#finishParts(first)
      this.#finish(this.#lex(this.#open.slice(0, cutOf(this.#open, maxLengthOf(first.token)))))
    }
  }

  /** Lexes the beginning of what is open, with the head of the table that it goes on with. */
  #lex(source: string): ReadonlyArray<Placed> {
    const { head = "" } = this.#group ?? {}
    let end = this.#start - head.length
    return new BoundedLexer(this.#links).lex(head + source).map((token) => {
      const start = Math.max(end, this.#start)
      end += token.raw.length
      return { token, start, end }
    })
  }

  /** Puts together a list or table that has finished parts with those that are open. */
  #merged(placed: ReadonlyArray<Placed>): ReadonlyArray<Block> {
    const [first, ...others] = placed
    if (this.#group === undefined || first === undefined) return placed
    const { start, token } = this.#group
    const together = joined(token, first.token)
    return together === undefined ? [{ start, token }, ...placed] : [{ start, token: together }, ...others]
  }

  #finish(placed: ReadonlyArray<Placed>): void {
    const last = placed.at(-1)
    if (last === undefined) return
    for (const { token } of placed)
      if (isKnown(token) && token.type === "def") this.#links.set(token.tag, linkOf(token))
    const blocks = this.#merged(placed)
    this.#finished = [...this.#finished, ...blocks.filter(hasContent)]
    this.#group = undefined
    this.#drop(last.end)
  }

  /** Finishes the items or rows of the open list or table that cannot change any more. */
  #finishParts(first: Placed | undefined): void {
    if (first === undefined || !isKnown(first.token)) return
    const { token } = first
    const known = this.#group
    const start = known?.start ?? first.start
    if (token.type === "list" && token.items.length > OPEN_PARTS) {
      const items = token.items.slice(0, -OPEN_PARTS)
      const raw = items.map((item) => item.raw).join("")
      if (!token.raw.startsWith(raw)) return
      const finished = { ...token, items }
      this.#group = {
        start,
        head: "",
        token: known === undefined ? finished : (joined(known.token, finished) ?? finished),
      }
      this.#drop(first.start + raw.length)
    } else if (token.type === "table" && token.rows.length > OPEN_PARTS) {
      const rows = token.rows.slice(0, -OPEN_PARTS)
      const lines = token.raw.split("\n").slice(0, rows.length + 2)
      const head = `${lines.slice(0, 2).join("\n")}\n`
      const finished = { ...token, rows }
      this.#group = { start, head, token: known === undefined ? finished : (joined(known.token, finished) ?? finished) }
      this.#drop(first.end - token.raw.length + lines.join("\n").length + 1)
    }
  }

  #drop(end: number): void {
    this.#open = this.#open.slice(end - this.#start)
    this.#start = end
  }
}

/** Returns the blocks of a whole text. */
export const blocksOf = (text: string): ReadonlyArray<Block> => new Blocks().add(text, true)

const hasContent = ({ token: { type } }: Block): boolean => type !== "space" && type !== "def"

const linkOf = ({ href, title }: Tokens.Def): LinkDefinition => ({ href, title })

const joined = (first: Tokens.List | Tokens.Table, token: Token): Tokens.List | Tokens.Table | undefined => {
  if (!isKnown(token)) return undefined
  if (first.type === "list" && token.type === "list" && first.ordered === token.ordered) {
    return { ...first, items: [...first.items, ...token.items] }
  }
  return first.type === "table" && token.type === "table"
    ? { ...first, rows: [...first.rows, ...token.rows] }
    : undefined
}

const maxLengthOf = ({ type }: Token): number =>
  type === "paragraph" || type === "text" || type === "heading" ? TEXT_MAX_LENGTH : BLOCK_MAX_LENGTH

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
