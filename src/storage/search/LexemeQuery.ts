/** What a chunk has to hold: a lexeme, or any or all of several such things. */
export type LexemeQuery =
  | string
  | { readonly any: ReadonlyArray<LexemeQuery> }
  | { readonly all: ReadonlyArray<LexemeQuery> }

/** A `tsquery` as text. */
export const tsqueryOf = (query: LexemeQuery): string => {
  if (typeof query === "string") return `'${query.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
  const [parts, operator] = "any" in query ? [query.any, " | "] : [query.all, " & "]
  return `(${parts.map(tsqueryOf).join(operator)})`
}
