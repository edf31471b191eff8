/** A query for chunks: by a lexeme that they contain, or by any or all of several queries. */
export type LexemeQuery =
  | string
  | { readonly any: ReadonlyArray<LexemeQuery> }
  | { readonly all: ReadonlyArray<LexemeQuery> }

/** The text of the query as a `tsquery`. */
export const tsqueryOf = (query: LexemeQuery): string => {
  if (typeof query === "string") return `'${query.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
  const [parts, operator] = "any" in query ? [query.any, " | "] : [query.all, " & "]
  return `(${parts.map(tsqueryOf).join(operator)})`
}
