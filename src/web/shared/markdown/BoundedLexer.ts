import { Lexer, type Token, type TokensList } from "marked"

/** How deep quotes, lists, emphasis and links may stand inside of each other; what stands deeper is plain text. */
const MAX_DEPTH = 12

/**
 * The lexer of `marked` with a bound on nesting. Without it, a line of 100,000 `>` ends in a stack overflow, and one of
 * `**a *b` takes quadratic time.
 */
export class BoundedLexer extends Lexer {
  #blockDepth = 0
  #inlineDepth = 0

  /** @param known Definitions of links in blocks before the text. */
  constructor(known: Readonly<Record<string, LinkDefinition>> = {}) {
    super({ gfm: true, breaks: true })
    Object.assign(this.tokens.links, known)
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
    if (this.#inlineDepth >= MAX_DEPTH) return plain(src, tokens)
    this.#inlineDepth += 1
    super.inlineTokens(src, tokens)
    this.#inlineDepth -= 1
    return tokens
  }
}

/** Where a reference such as `[text][label]` points to. */
export interface LinkDefinition {
  readonly href: string | null
  readonly title: string | null
}

const plain = (src: string, tokens: Array<Token>): Array<Token> => {
  if (src !== "") tokens.push({ type: "text", raw: src, text: src, escaped: false })
  return tokens
}
