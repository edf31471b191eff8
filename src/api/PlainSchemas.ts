import type { Schema } from "effect"

/** What holds values and no schemas. */
const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"])
/** What says which fields an object has. */
const fieldKeywords = ["additionalProperties", "patternProperties", "properties"]

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Says the same of every schema below in the plainest way, since generators of clients take little else for what it is:
 * what `allOf` adds stands beside the rest, and an object of any fields says so.
 */
export const plainSchemas = (value: Schema.JsonObject): Schema.JsonObject =>
  plain(
    Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, valueKeywords.has(key) ? item : plainIn(item)]),
    ),
  )

const plainIn = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(plainIn)
  return isObject(value) ? plainSchemas(value) : value
}

const plain = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { allOf, ...rest } = schema
  if (Array.isArray(allOf) && allOf.every(isObject)) {
    const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
    if (new Set(keys).size === keys.length) return Object.assign({}, rest, ...allOf)
  }
  return schema["type"] === "object" && !fieldKeywords.some((keyword) => keyword in schema)
    ? { ...schema, additionalProperties: true }
    : schema
}
