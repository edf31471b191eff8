const WORD = String.raw`[A-Za-z0-9_\x80-\uffff][\w$\x80-\uffff]*`
const TAG = String.raw`(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?`

/** Matches one token. A quotation that is not closed runs to the end; Postgres reports what is wrong with it. */
const TOKEN = new RegExp(
  [
    String.raw`(?<blank>\s+|--[^\n]*)`,
    String.raw`[eE]'(?:[^'\\]|\\[\s\S]|'')*'?`,
    String.raw`'(?:[^']|'')*'?`,
    String.raw`"(?:[^"]|"")*"?`,
    String.raw`\$(?<tag>${TAG})\$[\s\S]*?(?:\$\k<tag>\$|$)`,
    // Words are matched whole, because the `$` in `a$b$c` opens no quotation, and neither does the `e'` in `type'x'`.
    WORD,
    String.raw`[\s\S]`,
  ].join("|"),
  "y",
)

/**
 * Splits a script into its statements, as psql does, because Postgres's extended protocol takes one statement at a
 * time. Each is returned as written, without its semicolon and without blanks or comments around it. Function bodies
 * must be quoted (`$$ … $$`); the form `begin atomic … end` is not supported.
 */
export const splitStatements = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let start = -1
  let end = 0
  const finish = (): void => {
    if (start >= 0) statements.push(script.slice(start, end))
    start = -1
  }
  for (let at = 0; at < script.length;) {
    const next = script.startsWith("/*", at) ? commentEnd(script, at) : undefined
    if (next !== undefined) {
      at = next
      continue
    }
    TOKEN.lastIndex = at
    const token = TOKEN.exec(script)
    const length = token?.[0].length ?? 1
    if (token?.[0] === ";") finish()
    else if (token?.groups?.["blank"] === undefined) {
      if (start < 0) start = at
      end = at + length
    }
    at += length
  }
  finish()
  return statements
}

/** The end of a block comment. Postgres's block comments nest. */
const commentEnd = (script: string, from: number): number => {
  const mark = /\/\*|\*\//g
  mark.lastIndex = from
  let depth = 0
  for (let found = mark.exec(script); found !== null; found = mark.exec(script)) {
    depth += found[0] === "/*" ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return script.length
}
