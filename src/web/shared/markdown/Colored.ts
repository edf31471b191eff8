import { SugarHigh, tokenize } from "sugar-high/core"
import { languages } from "sugar-high/lang"

/** A piece of code, with its kind where that has a colour of its own. */
export interface CodePart {
  readonly kind: string | undefined
  readonly text: string
}

/** The kinds that `markdown.css` has colours for. */
const kinds = new Set(["keyword", "string", "comment", "class", "property", "entity"])

/** Divides code in a language, by one of its usual names, into parts; `undefined` for a language that is not known. */
export const colored = (code: string, language: string): ReadonlyArray<CodePart> | undefined => {
  const name = language.toLowerCase()
  const found = languages.find(({ aliases, id }) => id === name || aliases.includes(name))
  if (found === undefined) return undefined
  const parts: Array<{ kind: string | undefined; text: string }> = []
  for (const [type, text] of tokenize(code, found.config)) {
    const name = SugarHigh.TokenTypes[type] ?? ""
    const kind = kinds.has(name) ? name : undefined
    const last = parts.at(-1)
    if (last !== undefined && last.kind === kind) last.text += text
    else parts.push({ kind, text })
  }
  return parts
}
