import type { Schema } from "effect"
import { type Answer, call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"
import { fieldsIn, isFields } from "../../server/Unknown.ts"

/*
 * A tool as it is written in a form, and what is sent. The server says what is wrong with it; that the schema is JSON at
 * all is checked while it is typed.
 */

export type Tool = Answer<"GET /api/external/chatbot/:chatbotId/tools">["tools"][number]

export const toolsOf = resources(async (chatbotId: string) => {
  const { tools } = await call("GET /api/external/chatbot/:chatbotId/tools", { params: { chatbotId } })
  return tools
})

export const methods = { GET: "GET", POST: "POST", PUT: "PUT", PATCH: "PATCH", DELETE: "DELETE" }

/** A header of the request. The server never shows a stored value again. */
export interface HeaderDraft {
  readonly name: string
  /** Empty for a stored value that stays. */
  readonly value: string
  readonly isStored: boolean
}

/** A tool as the API shows it, as far as a form changes it. */
type StoredTool = Pick<Tool, "name" | "description" | "method" | "url" | "input_schema" | "headers" | "timeout_ms">

const schemaTemplate = {
  type: "object",
  properties: { orderId: { type: "string", description: "Order number, such as A-4711." } },
  required: ["orderId"],
}

/** The kinds of values that an input may have, in words. */
export const inputTypes = { string: "Text", number: "Number", integer: "Whole number", boolean: "Yes or no" }

/** A schema as far as it is written; otherwise why it is none. */
type Read = { readonly object: Schema.JsonObject } | { readonly problem: string }

/** A property of the input. */
export interface InputDraft {
  readonly name: string
  readonly type: keyof typeof inputTypes
  readonly description: string
  readonly isRequired: boolean
}

const isInputType = (type: unknown): type is InputDraft["type"] =>
  typeof type === "string" && Object.hasOwn(inputTypes, type)

const hasOnly = (value: object, names: ReadonlyArray<string>): boolean =>
  Object.keys(value).every((name) => names.includes(name))

/** The inputs of a schema; undefined where it says more about them than fields can show. */
export const inputsOf = (schema: Schema.JsonObject): ReadonlyArray<InputDraft> | undefined => {
  const properties = Object.entries(fieldsIn(schema["properties"]))
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const inputs = properties.flatMap(([name, property]) => {
    const { description = "", type } = fieldsIn(property)
    return isInputType(type) && typeof description === "string" && hasOnly(fieldsIn(property), ["description", "type"])
      ? [{ name, type, description, isRequired: required.includes(name) }]
      : []
  })
  const isFlat = schema["type"] === "object" && hasOnly(schema, ["properties", "required", "type"])
  // A name with blanks around it would be stored without them.
  const isWhole = inputs.length === properties.length && inputs.every(({ name }) => name !== "" && name === name.trim())
  return isFlat && isWhole && inputs.filter(({ isRequired }) => isRequired).length === required.length
    ? inputs
    : undefined
}

/** The schema of inputs; otherwise why they have none. */
export const schemaOf = (inputs: ReadonlyArray<InputDraft>): Read => {
  const names = inputs.map(({ name }) => name.trim())
  if (new Set(names).size < names.length) return { problem: "Give each input a name of its own." }
  const properties = inputs.map(({ description, type }, at) => [
    names[at],
    { type, ...(description && { description }) },
  ])
  const required = names.filter((_, at) => inputs[at]?.isRequired)
  return { object: { type: "object", properties: Object.fromEntries(properties), required } }
}

const storedHeaders = (headers: StoredTool["headers"] = {}): ReadonlyArray<HeaderDraft> =>
  Object.keys(headers).map((name) => ({ name, value: "", isStored: true }))

/** The fields of a form for a tool, as they are typed; its schema by its inputs, or as text where these say too little. */
export const draftOf = (tool?: StoredTool) => ({
  name: tool?.name ?? "",
  description: tool?.description ?? "",
  method: tool?.method ?? "GET",
  url: tool?.url ?? "",
  inputs: inputsOf(tool?.input_schema ?? schemaTemplate),
  input_schema: JSON.stringify(tool?.input_schema ?? schemaTemplate, undefined, 2),
  headers: storedHeaders(tool?.headers),
  timeout_ms: String(tool?.timeout_ms ?? ""),
})

/** A text as a JSON object; otherwise why it is none. */
export const objectIn = (text: string): Read => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? { object: value as Schema.JsonObject } : { problem: "Enter a JSON object in braces." }
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : "it cannot be read"}` }
  }
}

/** The headers to send for a draft: an empty text takes a stored header away. */
export const headersOf = (
  draft: ReadonlyArray<HeaderDraft>,
  stored: StoredTool["headers"] = {},
): Readonly<Record<string, string>> => {
  const kept = new Set(draft.filter(({ isStored }) => isStored).map(({ name }) => name))
  const removed = Object.keys(stored).filter((name) => !kept.has(name))
  const given = draft.filter(({ value }) => value !== "").map(({ name, value }) => [name.trim(), value])
  // What is given again under the same name is not taken away.
  return Object.fromEntries([...removed.map((name) => [name, ""]), ...given])
}

const samples: Readonly<Record<string, unknown>> = { string: "", number: 0, integer: 0, boolean: false }

/** An input that a schema may allow, for somebody to change. */
export const sampleOf = (schema: unknown, depth = 0): unknown => {
  if (!isFields(schema) || depth > 8) return null
  const { default: preset, enum: choices, examples, items, minimum, properties, type } = schema
  const [first] = [examples, choices].flatMap((values) => (Array.isArray(values) ? values : []))
  const known = preset ?? first ?? minimum
  if (known !== undefined) return known
  const kind = String(Array.isArray(type) ? type[0] : type)
  if (kind === "array") return items === undefined ? [] : [sampleOf(items, depth + 1)]
  if (kind !== "object") return samples[kind] ?? null
  const all = Object.entries(isFields(properties) ? properties : {})
  return Object.fromEntries(all.map(([name, one]) => [name, sampleOf(one, depth + 1)]))
}
