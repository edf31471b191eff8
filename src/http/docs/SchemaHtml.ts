import type { Schema } from "effect"
import { isObject } from "../../domain/schema/Merge.ts"
import { escape } from "../web/Html.ts"

/*
 * Schemas of the OpenAPI document as HTML: the type of a value in a few words, and the fields of an object as a list.
 */

export type Json = Schema.Json | undefined

export const object = (value: Json): Schema.JsonObject => (isObject(value) ? value : {})
export const list = (value: Json): ReadonlyArray<Schema.Json> => (Array.isArray(value) ? value : [])
export const text = (value: Json): string => (typeof value === "string" ? value : "")

const code = (value: Json): string =>
  `<code>${escape(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))}</code>`

/** The name of the schema that a reference leads to. */
const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** The anchor of a schema's section. */
export const schemaAnchor = (name: string): string => `schema-${name}`

/** The type of a value, such as `string (uuid)`, a list of values that are allowed, or a link to a schema. */
export const typeOf = (schema: Schema.JsonObject): string => {
  const { $ref, additionalProperties, anyOf, format, items, type } = schema
  if (typeof $ref === "string") return `<a href="#${schemaAnchor(nameOf($ref))}">${escape(nameOf($ref))}</a>`
  if (Array.isArray(schema["enum"])) return schema["enum"].map(code).join(" or ")
  if (Array.isArray(anyOf)) return Array.from(new Set(anyOf.map((one) => typeOf(object(one))))).join(" or ")
  if (type === "array") return `list of ${typeOf(object(items))}`
  if (type === "object" && isObject(additionalProperties) && schema["properties"] === undefined)
    return `object of ${typeOf(additionalProperties)}`
  if (type === undefined) return "any value"
  return escape(format === undefined ? String(type) : `${String(type)} (${String(format)})`)
}

/** A lower and an upper bound in words, such as `1 to 200 characters`. JavaScript's largest integer is no bound. */
const bounds = (lowest: Json, highest: Json, unit: string): ReadonlyArray<string> => {
  const top = highest === Number.MAX_SAFE_INTEGER ? undefined : highest
  if (lowest === undefined && top === undefined) return []
  if (top === undefined) return lowest === 0 ? [] : [`at least ${String(lowest)}${unit}`]
  return [
    lowest === undefined || lowest === 0
      ? `at most ${String(top)}${unit}`
      : `${String(lowest)} to ${String(top)}${unit}`,
  ]
}

const limitsOf = (schema: Schema.JsonObject): ReadonlyArray<string> => [
  ...bounds(schema["minLength"], schema["maxLength"], " characters"),
  ...bounds(schema["minimum"], schema["maximum"], ""),
  ...bounds(schema["minItems"], schema["maxItems"], " items"),
  ...(schema["default"] === undefined ? [] : [`default ${code(schema["default"])}`]),
]

/** The form in which schemas are shown. */
export interface Showing {
  readonly markdown: (text: string) => string
  /** Whether required fields are marked: in what is sent to the server. In its answers they mean nothing to the reader. */
  readonly marksRequired: boolean
}

/** A field with its type, its bounds, what it means, and the fields within it. */
export const field = (
  name: string,
  schema: Schema.JsonObject,
  isRequired: boolean,
  showing: Showing,
  description = text(schema["description"]),
): string =>
  `<li><code class="name">${escape(name)}</code> <span class="type">${[typeOf(schema), ...limitsOf(schema)].join(", ")}</span>${
    isRequired && showing.marksRequired ? ' <strong class="required">required</strong>' : ""
  }${description === "" ? "" : showing.markdown(description)}${fieldsOf(schema, showing)}</li>`

/** The fields of an object, of the items of a list, or of each of several alternatives; empty for any other value. */
export const fieldsOf = (schema: Schema.JsonObject, showing: Showing): string => {
  const required = list(schema["required"])
  const own = Object.entries(object(schema["properties"])).map(([name, value]) =>
    field(name, object(value), required.includes(name), showing),
  )
  return [
    own.length === 0 ? "" : `<ul class="fields">${own.join("\n")}</ul>`,
    ...[schema["items"], schema["additionalProperties"], ...list(schema["anyOf"])]
      .filter(isObject)
      .map((one) => fieldsOf(one, showing)),
  ].join("")
}
