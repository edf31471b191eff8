import { expect } from "bun:test"
import { Schema } from "effect"
import type { Client, Reply, Sent } from "../Client.ts"
import { type ApiDocument, type JsonSchema, type Operation, readApiDocument } from "../safety/ApiDocument.ts"
import { type Belongings, makeMember, nothing } from "../safety/Belongings.ts"
import { callTool, mcpOperations } from "../safety/McpCalls.ts"
import { placesOf } from "../safety/Places.ts"
import { isObject, setField, validRequest } from "../safety/ValidRequests.ts"
import { sampleOf } from "../safety/Values.ts"
import { publish, visit, type VisitorClient } from "../Visitors.ts"
import { english } from "./Texts.ts"

/*
 * Requests of every operation that takes text, with a text in each field that may hold one, as long as the field may be.
 * The operations are those of the OpenAPI document, and the tools of the Model Context Protocol.
 */

/** The longest text of a field whose schema names no length, in UTF-16 code units: that of a message. */
const LENGTH = 31_000
/** The length of a document that is no longer than a few pages, so that a text of any script may take what it takes. */
const DOCUMENT_LENGTH = 5_000
/** The requests that `send` of an operation makes, at most, each of which may take what one may. */
export const REQUESTS = 2
/** The messages of one request. */
const TURNS = 5
/** How often a request is sent without what was refused. */
const REFUSALS_MAX = 4

/** A text of some length. */
export type Write = (length: number) => string

/** An operation that takes text. */
export interface TextOperation {
  readonly name: string
  /** Sends a request of the operation and a second one that goes on with it, and returns the status of the last. */
  readonly send: (write: Write) => Promise<number>
}

/** Operations whose answer has no end, and those whose work is not done for an organization. */
const LEFT_OUT = new Set(["GET /api/external/events", "POST /api/admin/backups"])

const nested = (schema: unknown): ReadonlyArray<JsonSchema> =>
  Array.isArray(schema) ? schema.filter((one): one is JsonSchema => typeof one === "object" && one !== null) : []

const isText = ({ allOf, const: fixed, enum: options, format, pattern, type }: JsonSchema): boolean =>
  type === "string" && [allOf, fixed, options, format, pattern].every((restriction) => restriction === undefined)

/** Whether a value of a schema may hold a text that the caller chooses. */
const takesText = (given: JsonSchema, document: ApiDocument): boolean => {
  const schema = document.resolve(given)
  return (
    isText(schema) ||
    nested(schema.anyOf ?? schema.oneOf).some((one) => takesText(one, document)) ||
    nested([schema.items]).some((one) => takesText(one, document)) ||
    nested(Object.values(schema.properties ?? {})).some((one) => takesText(one, document))
  )
}

/** A value of a schema with a text wherever one may be, except at the paths that take none. */
const written = (
  given: JsonSchema,
  document: ApiDocument,
  write: Write,
  without: ReadonlySet<string> = new Set(),
  path: ReadonlyArray<string> = [],
): unknown => {
  const schema = document.resolve(given)
  if (without.has(path.join("."))) return sampleOf(schema, document.resolve)
  if (isText(schema)) return write(Math.min(schema.maxLength ?? LENGTH, LENGTH))
  if (!takesText(schema, document)) return sampleOf(schema, document.resolve)
  const either = nested(schema.anyOf ?? schema.oneOf).find((one) => takesText(one, document))
  if (either !== undefined) return written(either, document, write, without, path)
  const [items] = nested([schema.items])
  if (items !== undefined) {
    const length = Math.min(schema.maxItems ?? 2, 2)
    return Array.from({ length }, (_, at) => written(items, document, write, without, [...path, String(at)]))
  }
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      if (typeof field !== "object") return []
      const at = [...path, name]
      const isTaken = takesText(field, document) && !without.has(at.join("."))
      const isNeeded = isTaken || (schema.required ?? []).includes(name)
      return isNeeded ? [[name, written(field, document, write, without, at)]] : []
    }),
  )
}

const messages = (write: Write) =>
  Array.from({ length: TURNS }, (_, turn) => ({ role: turn % 2 === 0 ? "user" : "assistant", content: write(LENGTH) }))

/** The fields of bodies that have to agree in ways which a schema does not express, by operation. */
const agreeing: Readonly<Record<string, (write: Write, turn: number) => object>> = {
  // Several messages that are sent, and then one after those that are stored.
  "POST /api/external/chatbot/{chatbotId}/chat": (write, turn) => ({
    messages: turn === 0 ? messages(write) : messages(write).slice(-1),
  }),
  "POST /api/external/chatbot/{chatbotId}/chat/try": (write) => ({
    messages: messages(write),
    model: "local/extractive",
  }),
  "POST /v1/chat/completions": (write) => ({ messages: messages(write) }),
  "POST /api/admin/api-keys": () => ({ scopes: ["chat"], kind: "secret" }),
  // Nothing is called: the address is private.
  "POST /api/external/chatbot/{chatbotId}/tools/try": () => ({ url: "https://127.0.0.1/" }),
}

const formOf = (document: ApiDocument, schema: JsonSchema, values: Readonly<Record<string, string>>, write: Write) => {
  const form = new FormData()
  for (const [name, given] of Object.entries(document.resolve(schema).properties ?? {})) {
    if (typeof given !== "object") continue
    const field = document.resolve(given)
    const isFile = field.format === "binary" || nested([field.items]).some(({ format }) => format === "binary")
    // Another document each time: one that is there already is not read again.
    const file = () => [`# ${write(200)}\n\n${crypto.randomUUID()}\n\n${write(DOCUMENT_LENGTH)}`]
    if (isFile) form.append(name, new File(file(), `${write(200)}.md`))
    else form.append(name, values[name] ?? String(written(field, document, write)))
  }
  return form
}

/** The names of the things that the requests of an operation name. */
const valuesFor = (document: ApiDocument, operation: Operation, own: Belongings): Record<string, string> => {
  const names = operation.method === "DELETE" ? nothing() : own
  return Object.fromEntries(
    placesOf(document, operation)
      .filter(({ required, kinds }) => required || kinds === "chosen" || kinds.includes("chatbot"))
      .map(({ kinds, name }) => [name, kinds === "chosen" ? crypto.randomUUID() : names[kinds[0] ?? "chatbot"]]),
  )
}

/** An operation with the paths of its body that take no text of any kind. */
interface Target {
  readonly document: ApiDocument
  readonly operation: Operation
  readonly without: Set<string>
}

/** The request of an operation with texts in all fields of its body and its query, or only in those that it needs. */
const requestOf = (
  { document, operation, without }: Target,
  values: Readonly<Record<string, string>>,
  write: Write,
  turn: number,
) => {
  const texts = operation.parameters
    .filter(
      ({ in: where, name, schema }) => where !== "header" && !(name in values) && isText(document.resolve(schema)),
    )
    .map(({ name, schema }) => [name, write(Math.min(document.resolve(schema).maxLength ?? 2_000, 2_000))] as const)
  const request = validRequest(document, operation, { ...Object.fromEntries(texts), ...values })
  const { body } = operation
  if (body === undefined) return request
  if (body.mediaType === "multipart/form-data") {
    const headers = { ...request.sent.headers, prefer: "wait=30" }
    return { ...request, sent: { headers, form: formOf(document, body.schema, values, write) } }
  }
  const filled = written(body.schema, document, write, without)
  const json = { ...(isObject(filled) ? filled : {}), ...agreeing[operation.name]?.(write, turn) }
  const parameters = new Set(operation.parameters.map(({ name }) => name))
  for (const [name, value] of Object.entries(values)) if (!parameters.has(name)) setField(json, name, value)
  return { ...request, sent: { ...request.sent, json } }
}

const hasText = (document: ApiDocument, { body, parameters }: Operation): boolean =>
  (body !== undefined && (body.mediaType !== "application/json" || takesText(body.schema, document))) ||
  parameters.some(({ in: where, schema }) => where !== "header" && isText(document.resolve(schema)))

/** What two messages of a visitor in one conversation are answered with. */
const talk = async (visitor: VisitorClient, write: Write): Promise<number> => {
  const first = await visitor.hear(write(LENGTH))
  if (first.response.status !== 200) return first.response.status
  return (await visitor.hear(write(LENGTH), { conversation_id: first.ids.conversation })).response.status
}

/** Sends requests of whoever may send them. */
type Send = (method: string, path: string, sent: Sent) => Promise<Reply>

/** Sends a request, and another one about the same things. */
const twice = async (target: Target, own: Belongings, write: Write, send: Send): Promise<Reply> => {
  const values = valuesFor(target.document, target.operation, own)
  const both = [0, 1].map((turn) => requestOf(target, values, write, turn))
  const replies: Array<Reply> = []
  for (const { method, path, sent } of both) replies.push(await send(method, path, sent))
  return replies.at(-1) ?? expect.unreachable()
}

const isRefusal = Schema.is(Schema.Struct({ errors: Schema.Array(Schema.Struct({ path: Schema.String })) }))

/** Leaves out the texts that are refused, whatever they are, so that the others get further. */
const learn = async (target: Target, send: (write: Write) => Promise<Reply>): Promise<void> => {
  for (let tries = 0; tries < REFUSALS_MAX; tries++) {
    const { body } = await send(english)
    const paths = isRefusal(body) ? body.errors.map(({ path }) => path).filter((path) => !target.without.has(path)) : []
    if (paths.length === 0) return
    for (const path of paths) target.without.add(path)
  }
}

/** All operations of a server that take text. The client is that of the operator. */
export const textOperations = async (operator: Client): Promise<ReadonlyArray<TextOperation>> => {
  const document = readApiDocument((await operator.get("/openapi.json")).body)
  const { client, own } = await makeMember(operator)
  const key = await publish(client, own.chatbot)
  const asVisitor: Send = async (method, path, sent) => {
    const { session } = await visit(client, key)
    const headers = { ...sent.headers, authorization: `Bearer ${session.token}` }
    return client.withKey(undefined).send(method, path, { ...sent, headers })
  }
  const senderOf = ({ name, needsKey, needsVisitor, path }: Operation): Send => {
    if (needsVisitor) return asVisitor
    if (path.startsWith("/mcp")) {
      return (method, at, sent) => callTool(name.split(" ").at(-1) ?? "")(client, { method, path: at, sent })
    }
    const one = path.startsWith("/api/admin/organizations") ? operator : needsKey ? client : client.withKey(undefined)
    return (method, at, sent) => one.send(method, at, sent)
  }
  const made: Array<TextOperation> = []
  for (const operation of [...document.operations, ...mcpOperations]) {
    const { name } = operation
    if (LEFT_OUT.has(name) || !hasText(document, operation)) continue
    // Its answer is a stream, whose first event names the conversation.
    if (name === "POST /api/widget/chat") {
      made.push({ name, send: async (write) => talk(await visit(client, key), write) })
      continue
    }
    const target = { document, operation, without: new Set<string>() }
    const send = (write: Write) => twice(target, own, write, senderOf(operation))
    await learn(target, send)
    made.push({ name, send: async (write) => (await send(write)).status })
  }
  return made
}
