import { Lexer, type Token, type TokensList } from "marked"
import { mathExtensions } from "./MathTokens.ts"

/** Depth of quotes, lists, emphasis and links inside of each other, below which everything is plain text. */
const MAX_DEPTH = 12
/** Longer text within a block is plain text. */
export const TEXT_MAX_LENGTH = 3_000
/** Text with more signs of emphasis is plain text: each one that has no partner is looked for to the end. */
const MAX_DELIMITERS = 240

/** Target of a reference such as `[text][label]`. */
export interface LinkDefinition {
  readonly href: string
  readonly title: string | undefined
}

/**
 * The lexer of `marked` with bounds on nesting and on length. Without them, a line of 100,000 `>` ends in a stack
 * overflow, and one of `*a_` takes quadratic time.
 */
export class BoundedLexer extends Lexer {
  #blockDepth = 0
  #inlineDepth = 0

  /** @param known Definitions of links in blocks before the text, by their labels. */
  constructor(known: ReadonlyMap<string, LinkDefinition>) {
    super({ gfm: true, breaks: true, extensions: mathExtensions })
    for (const [label, { href, title }] of known) {
      Object.defineProperty(this.tokens.links, label, { value: { href, title }, configurable: true, writable: true })
    }
  }

  override blockTokens(src: string, tokens?: Array<Token>, lastParagraphClipped?: boolean): Array<Token>
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList
  override blockTokens(src: string, tokens: Array<Token> = [], lastParagraphClipped = false): Array<Token> {
    if (this.#blockDepth >= MAX_DEPTH) return plain(src, tokens)
    this.#blockDepth += 1
    super.blockTokens(src, tokens, lastParagraphClipped)
    this.#blockDepth -= 1
    return tokens
  }

  override inlineTokens(src: string, tokens: Array<Token> = []): Array<Token> {
    if (this.#inlineDepth >= MAX_DEPTH || isTooMuch(src)) return plain(src, tokens)
    this.#inlineDepth += 1
    super.inlineTokens(src, tokens)
    this.#inlineDepth -= 1
    return tokens
  }
}

const isTooMuch = (src: string): boolean =>
  src.length > TEXT_MAX_LENGTH || (src.length > MAX_DELIMITERS && (src.match(/[*_~]+/gu)?.length ?? 0) > MAX_DELIMITERS)

const plain = (src: string, tokens: Array<Token>): Array<Token> => {
  if (src !== "") tokens.push({ type: "text", raw: src, text: src, escaped: false })
  return tokens
}
