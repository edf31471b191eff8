import type { Schema } from "effect"
import { isObject } from "../../domain/schema/Merge.ts"
import { type Json, list, object, text } from "./SchemaHtml.ts"

/*
 * Examples of requests with curl, derived from the examples of the OpenAPI document.
 */

/** Fields of a body that an example shows when none is required. */
const SHOWN_OPTIONAL = 2

/** A value that a schema allows: its first example, or one made of the examples within it. */
const valueOf = (schema: Schema.JsonObject, resolve: (schema: Schema.JsonObject) => Schema.JsonObject): Schema.Json => {
  const { anyOf, examples, items, type } = resolve(schema)
  const [given] = [...list(examples), ...list(resolve(schema)["enum"]), ...list(schema["default"])]
  if (given !== undefined) return given
  const [first] = list(anyOf)
  if (isObject(first)) return valueOf(first, resolve)
  if (type === "object") {
    const { properties, required } = resolve(schema)
    const all = Object.entries(object(properties))
    const needed = all.filter(([name]) => list(required).includes(name))
    const shown = needed.length > 0 ? needed : all.slice(0, SHOWN_OPTIONAL)
    return Object.fromEntries(shown.map(([name, value]) => [name, valueOf(object(value), resolve)]))
  }
  if (type === "array") return [valueOf(object(items), resolve)]
  if (type === "integer" || type === "number") return Number(resolve(schema)["minimum"] ?? 1)
  return type === "boolean" ? true : "…"
}

/** A text in single quotes, as a shell takes it. */
const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** The names of the security schemes of an operation, each of which suffices. */
export const schemesOf = (operation: Schema.JsonObject): ReadonlySet<string> =>
  new Set(list(operation["security"]).flatMap((one) => Object.keys(object(one))))

/** A request with curl, with the variables that the guide sets. */
export const curl = (
  method: string,
  path: string,
  operation: Schema.JsonObject,
  resolve: (schema: Schema.JsonObject) => Schema.JsonObject,
): string => {
  const sample = (schema: Json) => valueOf(object(schema), resolve)
  const plain = (schema: Json) => {
    const value = sample(schema)
    return typeof value === "string" ? value : JSON.stringify(value)
  }
  const parameters = list(operation["parameters"]).map(object)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    plain(parameters.find((one) => one["name"] === name)?.["schema"]),
  )
  const query = parameters
    .filter((one) => one["in"] === "query" && one["required"] === true)
    .map((one) => `${text(one["name"])}=${plain(one["schema"])}`)
  const schemes = schemesOf(operation)
  const options = [
    ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]),
    ...(schemes.has("apiKey") ? ['-H "$KEY"'] : schemes.has("visitor") ? ['-H "Authorization: Bearer $TOKEN"'] : []),
  ]
  const [content] = Object.entries(object(object(operation["requestBody"])["content"]))
  if (content !== undefined) {
    const [mediaType, { schema }] = [content[0], object(content[1])]
    if (mediaType === "multipart/form-data") {
      for (const [name, value] of Object.entries(object(object(schema)["properties"]))) {
        if (!list(object(schema)["required"]).includes(name)) continue
        const isFile = JSON.stringify(value).includes('"binary"')
        options.push(`-F ${quoted(`${name}=${isFile ? "@handbook.pdf" : plain(value)}`)}`)
      }
    } else {
      options.push(
        `-H ${quoted(`content-type: ${mediaType}`)}`,
        `-d ${quoted(JSON.stringify(sample(schema), null, 2))}`,
      )
    }
  }
  const address = `"$URL${filled}${query.length === 0 ? "" : `?${query.join("&")}`}"`
  return [`curl ${address}`, ...options].join(" \\\n  ")
}
