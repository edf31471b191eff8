import type { Schema } from "effect"
import { type Answer, call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"
import { isFields } from "../../server/Unknown.ts"

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

const storedHeaders = (headers: StoredTool["headers"] = {}): ReadonlyArray<HeaderDraft> =>
  Object.keys(headers).map((name) => ({ name, value: "", isStored: true }))

/** The fields of a form for a tool, with its schema and its time-out as they are typed; for a new one without one. */
export const draftOf = (tool?: StoredTool) => ({
  name: tool?.name ?? "",
  description: tool?.description ?? "",
  method: tool?.method ?? "GET",
  url: tool?.url ?? "",
  input_schema: JSON.stringify(tool?.input_schema ?? schemaTemplate, undefined, 2),
  headers: storedHeaders(tool?.headers),
  timeout_ms: String(tool?.timeout_ms ?? ""),
})

/** A text as a JSON object; otherwise why it is none. */
export const objectIn = (text: string): { readonly object: Schema.JsonObject } | { readonly problem: string } => {
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
