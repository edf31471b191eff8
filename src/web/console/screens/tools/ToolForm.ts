import type { Schema } from "effect"
import { isFields } from "../../server/Unknown.ts"

/*
 * A tool as it is written in a form, and what is sent. The server says what is wrong with it; that the schema is JSON at
 * all is checked while it is typed.
 */

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
export type Method = (typeof methods)[number]

/** A header of the request. The server never shows a stored value again. */
export interface HeaderDraft {
  readonly id: number
  readonly name: string
  /** Empty for a stored value that stays. */
  readonly value: string
  readonly isStored: boolean
}

export interface ToolDraft {
  readonly name: string
  readonly description: string
  readonly method: Method
  readonly url: string
  /** The JSON Schema of the input, as it is typed. */
  readonly schema: string
  readonly headers: ReadonlyArray<HeaderDraft>
  /** Milliseconds; empty for the server's default. */
  readonly timeout: string
}

/** A tool as the API shows it, as far as a form changes it. */
export interface StoredTool {
  readonly name: string
  readonly description: string
  readonly method: Method
  readonly url: string
  readonly input_schema: object
  readonly headers: Readonly<Record<string, null>>
  readonly timeout_ms: number | null
}

type Field = keyof ToolDraft

/** A schema to begin with. */
export const schemaTemplate = JSON.stringify(
  {
    type: "object",
    properties: { orderId: { type: "string", description: "The number of the order, such as A-4711." } },
    required: ["orderId"],
  },
  undefined,
  2,
)

export const newDraft: ToolDraft = {
  name: "",
  description: "",
  method: "GET",
  url: "",
  schema: schemaTemplate,
  headers: [],
  timeout: "",
}

export const draftOf = (tool: StoredTool): ToolDraft => ({
  name: tool.name,
  description: tool.description,
  method: tool.method,
  url: tool.url,
  schema: JSON.stringify(tool.input_schema, undefined, 2),
  headers: Object.keys(tool.headers).map((name, id) => ({ id, name, value: "", isStored: true })),
  timeout: tool.timeout_ms === null ? "" : String(tool.timeout_ms),
})

/** A text as a JSON object; otherwise why it is none. */
export const objectIn = (text: string): { readonly object: Schema.JsonObject } | { readonly problem: string } => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? { object: value as Schema.JsonObject } : { problem: "Expected an object in braces" }
  } catch (error) {
    return { problem: `This is no JSON yet: ${error instanceof Error ? error.message : "it cannot be read"}` }
  }
}

/** The problem of headers, of which none may be lost on the way; undefined when there is none. */
export const headersProblem = (headers: ReadonlyArray<HeaderDraft>): string | undefined => {
  const names = headers.map(({ name }) => name.trim().toLowerCase())
  if (new Set(names).size < names.length) return "A header is there twice"
  const isUnfinished = headers.some(({ isStored, name, value }) => name.trim() === "" || (!isStored && value === ""))
  return isUnfinished ? "Every new header needs a name and a value" : undefined
}

/** The fields of the form by the names that the server gives them. */
const fieldNames: Readonly<Record<string, Field>> = { input_schema: "schema", timeout_ms: "timeout" }

/** The errors that the server has found, by field of the form. */
export const refusalsOf = (
  errors: ReadonlyArray<{ readonly path: string; readonly message: string }>,
): Partial<Record<Field, string>> =>
  Object.fromEntries(
    errors.map(({ message, path }) => {
      const [field = "", ...rest] = path.split(".")
      const where = rest.length === 0 ? "" : `${rest.join(".")}: `
      return [fieldNames[field] ?? field, where + message]
    }),
  )

/** The body of the request that stores a draft, which has no problems. */
export const payloadOf = (draft: ToolDraft, stored?: StoredTool) => {
  const read = objectIn(draft.schema)
  const kept = new Set(draft.headers.filter(({ isStored }) => isStored).map(({ name }) => name))
  const removed = Object.keys(stored?.headers ?? {}).filter((name) => !kept.has(name))
  const given = draft.headers.filter(({ value }) => value !== "").map(({ name, value }) => [name.trim(), value])
  return {
    name: draft.name,
    description: draft.description.trim(),
    method: draft.method,
    url: draft.url.trim(),
    input_schema: "object" in read ? read.object : {},
    // An empty text takes a stored header away. What is given again under the same name is not taken away.
    headers: Object.fromEntries([...removed.map((name) => [name, ""]), ...given]) as Readonly<Record<string, string>>,
    timeout_ms: draft.timeout === "" ? null : Number(draft.timeout),
  }
}

/** An input that a schema may allow, for somebody to change. */
export const sampleOf = (schema: unknown, depth = 0): unknown => {
  if (!isFields(schema) || depth > 8) return null
  const { default: preset, enum: choices, examples, properties, type } = schema
  if (preset !== undefined) return preset
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (Array.isArray(choices) && choices.length > 0) return choices[0]
  switch (Array.isArray(type) ? type[0] : type) {
    case "object":
      return Object.fromEntries(
        Object.entries(isFields(properties) ? properties : {}).map(([name, one]) => [name, sampleOf(one, depth + 1)]),
      )
    case "array":
      return schema["items"] === undefined ? [] : [sampleOf(schema["items"], depth + 1)]
    case "string":
      return ""
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0
    case "boolean":
      return false
    default:
      return null
  }
}
