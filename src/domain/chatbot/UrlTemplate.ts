/*
 * URLs with `{placeholders}` in their path and query. A value stays within its place: it cannot change the server, add
 * or leave a path segment, or add a parameter.
 */

/** Longest template, in UTF-16 code units. */
export const URL_TEMPLATE_MAX_LENGTH = 2_048

const placeholder = /\{([^{}]*)\}/g

/** The names of the placeholders, each once. */
export const placeholdersOf = (template: string): ReadonlyArray<string> =>
  Array.from(new Set(Array.from(template.matchAll(placeholder), ([, name = ""]) => name)))

/** Reason why a text is not a template; undefined when it is one. */
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

/** The origin of the server that is called: scheme, host and port. */
export const originOf = (template: string): string => new URL(template).origin

// The name of a placeholder may hold any character, so none of its characters ends a segment or the path.
const beforeQuery = /^(?:\{[^{}]*\}|[^?])*/
const segments = /(?:\{[^{}]*\}|[^/])+/g

const encode = (value: string): string => encodeURIComponent(value.toWellFormed())

/**
 * Fills the placeholders of a template. Undefined when a value is missing, or would change the path by an empty
 * segment, `.` or `..`.
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
