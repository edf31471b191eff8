import type { Token } from "marked"
import { BoundedLexer, type LinkDefinition } from "./BoundedLexer.ts"

/** A block of a Markdown document: a paragraph, a list, a table, a code block … */
export interface Block {
  /** Position of the block's first character, which names the block for as long as text is only added. */
  readonly start: number
  readonly token: Token
}

const isBlank = ({ type }: Token): boolean => type === "space" || type === "def"

/**
 * The blocks of a Markdown text that grows at its end. Blocks that no further text can change are kept, as the same
 * objects, and are not lexed again: text that is added costs as much as the last two blocks are long.
 */
export class Blocks {
  #source = ""
  #finished: ReadonlyArray<Block> = []
  #finishedEnd = 0
  readonly #links: Record<string, LinkDefinition> = {}

  /**
   * Adds text and returns the blocks of the whole text.
   *
   * @param isLast No further text comes. References to links that were defined below them are then resolved.
   */
  add(text: string, isLast = false): ReadonlyArray<Block> {
    this.#source += withoutControls(text)
    if (isLast && Object.keys(this.#links).length > 0) {
      this.#finished = []
      this.#finishedEnd = 0
    }
    const lexer = new BoundedLexer(this.#links)
    const tokens = lexer.lex(this.#source.slice(this.#finishedEnd))
    const open: Array<Block> = []
    let start = this.#finishedEnd
    for (const token of tokens) {
      open.push({ start, token })
      start += token.raw.length
    }
    const firstOpen = isLast ? open.length : finishedCount(tokens)
    for (const { token } of open.slice(0, firstOpen)) {
      if (token.type === "def") this.#links[token["tag"]] = { href: token["href"], title: token["title"] }
    }
    this.#finished = [...this.#finished, ...open.slice(0, firstOpen).filter(({ token }) => !isBlank(token))]
    this.#finishedEnd = open[firstOpen]?.start ?? start
    return [...this.#finished, ...open.slice(firstOpen).filter(({ token }) => !isBlank(token))]
  }
}

/** Returns the blocks of a whole text. */
export const blocksOf = (text: string): ReadonlyArray<Block> => new Blocks().add(text, true)

/**
 * Counts the tokens at the beginning that further text cannot change: those before the last block, and where its only
 * line may still become part of the block before it (`2` becomes `2. …`), those before that one.
 */
const finishedCount = (tokens: ReadonlyArray<Token>): number => {
  const isContent = ({ type }: Token): boolean => type !== "space"
  const last = tokens.findLastIndex(isContent)
  if (last <= 0) return 0
  if (tokens[last]?.raw.includes("\n") === true) return last
  return Math.max(0, tokens.slice(0, last).findLastIndex(isContent))
}

/**
 * Removes what makes text look like another one: controls that embed, isolate or override directions (a right-to-left
 * mark alone is harmless), and control characters beside tabs and ends of lines.
 */
export const withoutControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- Control characters are what it is about.
  text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, "")
