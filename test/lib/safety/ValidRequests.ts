import { makeZip } from "client-zip"
import type { Sent } from "../Client.ts"
import type { ApiDocument, JsonSchema, Operation } from "./ApiDocument.ts"
import { sampleOf } from "./Values.ts"

/*
 * Valid requests of operations, made from the OpenAPI document.
 */

/** A request with everything but the key. */
export interface ValidRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly sent: Sent
}

const question = { messages: [{ role: "user", content: "What drains?" }] }

/** The fields of bodies that have to agree in ways which a schema does not express, by operation. */
export const agreeing: Readonly<Record<string, object>> = {
  "POST /api/external/chatbot/{chatbotId}/chat": question,
  "POST /api/external/chatbot/{chatbotId}/chat/try": { ...question, model: "local/extractive" },
  "POST /v1/chat/completions": question,
  "POST /api/external/chatbot/{chatbotId}/sources": { kind: "website", urls: ["https://docs.example/"] },
  "POST /api/external/chatbot/{chatbotId}/sources/preview": { kind: "website", urls: ["https://docs.example/"] },
  "PATCH /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}": { variants: ["Another way"] },
  "PATCH /api/external/chatbot/{chatbotId}/conversations/{sessionId}": { state: "open" },
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/handover": {},
  "POST /api/external/chatbot/{chatbotId}/tests": { expectations: {} },
  "PATCH /api/external/chatbot/{chatbotId}/tests/{testId}": { expectations: {} },
  "PATCH /api/external/chatbot/{chatbotId}/test-plan": { judge_model: null },
  "POST /api/admin/api-keys": { scopes: ["chat"] },
  "POST /api/admin/model-connections": { name: "models", base_url: "https://models.example.com" },
  "POST /api/admin/models/test": { model: "local/extractive" },
  "POST /api/admin/people": { name: "Somebody", roles: [{ role: "viewer", chatbot_id: null }] },
  "PATCH /api/admin/people/{personId}": { name: "Somebody else" },
  "POST /api/admin/backups": { directory: "/nonexistent/backup" },
  "POST /api/external/webhooks/{webhookId}/deliveries/resend": { since: "2026-01-01T00:00:00Z" },
}

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
  "base64",
)

/** An export of a knowledge base of one text. */
const archived = [
  { format: "parley-knowledge-base", version: 1 },
  { type: "source", key: "1", source: { kind: "text", name: "Note", text: "The archive drains." } },
]
const archive = await new Response(
  makeZip([{ name: "knowledge-base.jsonl", input: archived.map((line) => JSON.stringify(line)).join("\n") }]),
).arrayBuffer()

/** A file that the field of a form takes. Every call has another content, except of an avatar and of an archive. */
export const fileFor = (field: string, operation = ""): File => {
  if (field === "avatar" || operation.endsWith("/attachments")) return new File([png], "avatar.png")
  if (operation.endsWith("/knowledge-base/import")) return new File([archive], "knowledge-base.zip")
  if (operation.endsWith("/tests/import")) return new File([`question\n${crypto.randomUUID()}`], "tests.csv")
  return operation.endsWith("/import")
    ? new File([`question,answer\n${crypto.randomUUID()},An answer`], "questions.csv")
    : new File([`# Note\n\nNote ${crypto.randomUUID()} drains.`], "note.md")
}

const isBinary = ({ format }: JsonSchema) => format === "binary"

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

/** Sets a field, whose name has a dot before each nested name. */
export const setField = (target: Record<string, unknown>, name: string, value: unknown): void => {
  const [first = "", ...rest] = name.split(".")
  if (rest.length === 0) {
    target[first] = value
    return
  }
  const inner = target[first]
  const next = isObject(inner) ? inner : {}
  target[first] = next
  setField(next, rest.join("."), value)
}

const formOf = (document: ApiDocument, operation: string, schema: JsonSchema, values: Values): FormData => {
  const form = new FormData()
  const isTurn = operation.endsWith("/voice/turns")
  for (const [name, given] of Object.entries(document.resolve(schema).properties ?? {})) {
    // A spoken turn has either audio or a text, and says how much was heard of the reply that it names.
    if (
      isTurn &&
      !(name in values || name === "text" || (name === "heard_characters" && "heard_message_id" in values))
    ) {
      continue
    }
    if (typeof given !== "object") continue
    const field = document.resolve(given)
    const items = typeof field.items === "object" && !Array.isArray(field.items) ? field.items : {}
    if (isBinary(field) || isBinary(items)) form.append(name, fileFor(name, operation))
    else if (name === "heard_characters") form.append(name, "1")
    else form.append(name, values[name] ?? String(sampleOf(field, document.resolve)))
  }
  return form
}

/** What stands at the places of a request, by their names. */
export type Values = Readonly<Record<string, string>>

/** Makes a valid request of an operation with these values at its places, and the least that is valid elsewhere. */
export const validRequest = (document: ApiDocument, operation: Operation, values: Values): ValidRequest => {
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let path = operation.path
  for (const { in: where, name, required, schema } of operation.parameters) {
    const value = values[name] ?? (required ? String(sampleOf(schema, document.resolve)) : undefined)
    if (value === undefined) continue
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (where === "query") query.set(name, value)
    else headers[name] = value
  }
  if (query.size > 0) path += `?${query}`
  const { body, method } = operation
  if (body === undefined) return { method, path, sent: { headers } }
  if (body.mediaType === "multipart/form-data") {
    return { method, path, sent: { headers, form: formOf(document, operation.name, body.schema, values) } }
  }
  const sample = sampleOf(body.schema, document.resolve)
  const json: Record<string, unknown> = { ...(isObject(sample) ? sample : {}), ...agreeing[operation.name] }
  const parameters = new Set(operation.parameters.map(({ name }) => name))
  for (const [name, value] of Object.entries(values)) if (!parameters.has(name)) setField(json, name, value)
  return { method, path, sent: { headers, json } }
}
