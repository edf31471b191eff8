/*
 * Addresses with `{placeholders}` in their path and query. Whatever fills them stays where it stands: it can neither
 * reach another server, nor another path segment, nor add a parameter.
 */

/** Longest template, in UTF-16 code units. */
export const URL_TEMPLATE_MAX_LENGTH = 2_048

const placeholder = /\{([^{}]*)\}/g

/** The names in it, each once. */
export const placeholdersOf = (template: string): ReadonlyArray<string> =>
  Array.from(new Set(Array.from(template.matchAll(placeholder), ([, name = ""]) => name)))

/** Why a text is no template, if it is none. */
export const urlTemplateProblem = (template: string): string | undefined => {
  if (!/^https?:\/\/[^/?#]/i.test(template) || !URL.canParse(template)) return "Expected an http(s) URL"
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(template) ?? []
  if (/[{}]/.test(authority)) return "Expected placeholders in the path and the query only"
  if (authority.includes("@")) return "Expected no user or password; send a header"
  if (/[\s\\]/.test(template)) return "Expected no spaces and no backslashes"
  if (rest.includes("#")) return "Expected no fragment"
  if (/[{}]/.test(rest.replace(placeholder, ""))) return "Expected every brace to belong to a {placeholder}"
  return undefined
}

/** The server that is called: scheme, host and port. */
export const originOf = (template: string): string => new URL(template).origin

// The name of a placeholder may hold any character, and none of them ends a segment or the path.
const beforeQuery = /^(?:\{[^{}]*\}|[^?])*/
const segments = /(?:\{[^{}]*\}|[^/])+/g

const encode = (value: string): string => encodeURIComponent(value.toWellFormed())

/**
 * Fills a template with texts by name. Undefined when a value is missing or would move the path: an empty segment, `.`
 * or `..`.
 */
export const fillTemplate = (template: string, values: ReadonlyMap<string, string>): URL | undefined => {
  const [path = ""] = beforeQuery.exec(template) ?? []
  const names = placeholdersOf(template)
  if (names.some((name) => !values.has(name))) return undefined
  const fill = (part: string) => part.replaceAll(placeholder, (_, name: string) => encode(values.get(name) ?? ""))
  const moves = (path.match(segments) ?? []).some((segment) => {
    const filled = fill(segment)
    return filled !== segment && (filled === "" || /^(?:\.|%2e){1,2}$/i.test(filled))
  })
  return moves ? undefined : new URL(fill(template))
}
