import type { Schema } from "effect"
import { type Operation, resolve, type Shape } from "./Schemas.ts"

/*
 * Examples of requests with curl, derived from the examples of the OpenAPI document.
 */

/** Fields of a body that an example shows when none is required. */
const SHOWN_OPTIONAL = 2

/** A value that a schema allows: its first example, or one made of the examples within it. */
const valueOf = (schema: Shape): Schema.Json => {
  const { anyOf = [], examples = [], items = {}, properties = {}, required = [], type, ...rest } = resolve(schema)
  const [given] = [...examples, ...(rest.enum ?? [])]
  if (given !== undefined) return given
  const [first] = anyOf
  if (first !== undefined) return valueOf(first)
  if (type === "object") {
    const all = Object.entries(properties)
    const needed = all.filter(([name]) => required.includes(name))
    const shown = needed.length > 0 ? needed : all.slice(0, SHOWN_OPTIONAL)
    return Object.fromEntries(shown.map(([name, value]) => [name, valueOf(value)]))
  }
  if (type === "array") return [valueOf(items)]
  if (type === "integer" || type === "number") return rest.minimum ?? 1
  return type === "boolean" ? true : "…"
}

/** A value in an address or a form. */
const plain = (schema: Shape = {}): string => {
  const value = valueOf(schema)
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** A text in single quotes, as a shell takes it. */
const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** The options of curl for a body. */
const optionsOf = (mediaType: string, schema: Shape): ReadonlyArray<string> => {
  if (mediaType !== "multipart/form-data")
    return [`-H ${quoted(`content-type: ${mediaType}`)}`, `-d ${quoted(JSON.stringify(valueOf(schema), null, 2))}`]
  const needed = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
  return needed.map(([name, value]) => {
    const isFile = JSON.stringify(value).includes('"binary"')
    return `-F ${quoted(`${name}=${isFile ? "@handbook.pdf" : plain(value)}`)}`
  })
}

/** What an operation asks for, in words, and the options of curl for it. */
export const credentialOf = ({ security }: Operation): readonly [string, ...ReadonlyArray<string>] => {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  if (schemes.has("apiKey")) return ["API key", '-H "$KEY"']
  return schemes.has("visitor") ? ["visitor token", '-H "Authorization: Bearer $TOKEN"'] : ["no key"]
}

/** A request with curl, with the variables that the guide sets. */
export const curl = (operation: Operation): string => {
  const { method, parameters, path, requestBody } = operation
  const [, ...options] = credentialOf(operation)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => plain(parameters.find((one) => one.name === name)?.schema))
  const query = parameters
    .filter((one) => one.in === "query" && one.required)
    .map((one, index) => `${index === 0 ? "?" : "&"}${one.name}=${plain(one.schema)}`)
  return [
    `curl "$URL${filled}${query.join("")}"`,
    ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]),
    ...options,
    ...Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) => optionsOf(mediaType, schema)),
  ].join(" \\\n  ")
}
