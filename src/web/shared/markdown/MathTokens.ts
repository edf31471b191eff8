import type { MarkedOptions, Token } from "marked"

/** A formula of TeX within a Markdown document. */
export interface MathToken {
  readonly type: "math"
  readonly raw: string
  readonly text: string
  /** Whether it stands in a line of its own. */
  readonly isDisplay: boolean
}

export const isMath = (token: Token | MathToken): token is MathToken => token.type === "math"

/** `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` in lines of their own. */
const inline = /^(?:\$((?:\\[^\n]|[^\\$\n]){1,300})\$(?!\d)|\\\(((?:[^\\\n]|\\(?!\))){1,300})\\\))/u
const display = /^(?:\$\$((?:\\[^]|[^\\$]){1,2000})\$\$|\\\[((?:[^\\]|\\(?!\])){1,2000})\\\])/u

/** Matches what prices and brackets do not hold: a command, an index, an equation, or a single letter. */
const formula = /[\\^_={}]|^[A-Za-z]$/u

const tokenOf = (match: RegExpExecArray | null, isDisplay: boolean): MathToken | undefined => {
  if (match === null) return undefined
  const [raw, dollars, brackets = ""] = match
  const text = dollars ?? brackets
  if (!formula.test(text.trim()) || (!isDisplay && dollars !== undefined && text !== text.trim())) return undefined
  return { type: "math", raw, text: text.trim(), isDisplay }
}

/** Extensions of `marked` for places where a text or a block may be a formula. */
export const mathExtensions: NonNullable<MarkedOptions["extensions"]> = {
  renderers: {},
  childTokens: {},
  inline: [(text) => tokenOf(display.exec(text), true) ?? tokenOf(inline.exec(text), false)],
  block: [
    (text) => {
      const token = tokenOf(display.exec(text), true)
      return /^[ \t]*(?:\n|$)/u.test(text.slice(token?.raw.length)) ? token : undefined
    },
  ],
  startInline: [(text) => text.search(/\$|\\[([]/u)],
}
