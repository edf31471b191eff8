import type { Client, Reply } from "../Client.ts"
import { type ApiDocument, type JsonSchema, type Operation, readApiDocument } from "../safety/ApiDocument.ts"
import { makeMember } from "../safety/Belongings.ts"
import { placesOf } from "../safety/Places.ts"
import { agreeing, isObject, setField, validRequest } from "../safety/ValidRequests.ts"
import { sampleOf } from "../safety/Values.ts"
import { publish, visit } from "../Visitors.ts"

/*
 * The widest and deepest content of each format that a server parses, as large as it may be, for every operation that
 * takes a file; and the widest body of every operation that takes JSON. The operations are those of the OpenAPI document.
 */

const MEBIBYTE = 1024 * 1024

/** Makes a file of some size that repeats a unit between a head and an end. All are texts of bytes. */
const repeated = (head: string, unit: string, end = "") => {
  const [first, last] = [Buffer.from(head, "latin1"), Buffer.from(end, "latin1")]
  return (bytes: number) =>
    Buffer.concat([first, Buffer.alloc(bytes - first.length - last.length, Buffer.from(unit, "latin1")), last])
}

/** Content by its name, of which the extension tells the format, made as large as it may be. */
export const hostileContents = {
  "nested.webm": repeated("\x1a\x45\xdf\xa3\x80", "\xa3\x80"),
  "entered.webm": repeated("\x1a\x45\xdf\xa3\x80", "\xa0\xff"),
  "pages.ogg": repeated(`OggS\0\x02${"\0".repeat(22)}OpusHead\x01\x01\0\0`, `OggS${"\0".repeat(23)}`),
  "chunks.wav": repeated("RIFF\xff\xff\xff\x7fWAVEfmt ", "LIST\0\0\0\0"),
  "chunks.png": repeated(
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde",
    "\0\0\0\0tEXt\0\0\0\0",
    "\0\0\0\0IEND\xaeB`\x82",
  ),
  "segments.jpg": repeated("\xff\xd8\xff", "\xff\xfe\0\x02", "\xff\xd9"),
  "blocks.gif": repeated("GIF89a\x01\0\x01\0\0\0\0", "\x21\xfe\x01a\0", ";"),
  "chunks.webp": repeated("RIFF\xff\xff\xff\x7fWEBP", "EXIF\0\0\0\0"),
  "streams.pdf": repeated("%PDF-1.7\n", "1 0 obj<</Type/ObjStm/First 1>>stream\nendstream ", "%%EOF\n"),
  "names.pdf": repeated("%PDF-1.7\n", "/#4a", "%%EOF\n"),
  "entries.zip": repeated(
    "PK\x03\x04",
    `PK\x01\x02${"\0".repeat(42)}`,
    `PK\x05\x06\0\0\0\0\xff\xff\xff\xff${"\0".repeat(10)}`,
  ),
  "commas.csv": repeated("question", ","),
  "quotes.csv": repeated("question,answer\n", '"'),
  "rows.csv": repeated("question,answer\n", "a,b\n"),
  "cells.csv": repeated("question,answer\n", '"a""b",'),
  "lines.csv": repeated("question,answer\n", "\n"),
  "deep.json": repeated("", "["),
  "objects.json": repeated("", '{"a":'),
  "wide.json": repeated("[0", ",0", "]"),
  "texts.json": repeated('{"tests":["', '\\u0000", "', '"]}'),
  "lines.jsonl": repeated("", "{}\n"),
  "long.jsonl": repeated('{"input":[', "[],", "[]]}"),
  "items.yaml": repeated("tests:\n", "- a\n"),
  "nested.yaml": repeated("tests: ", "[ "),
  "dashes.yaml": repeated("", "- "),
  "anchors.yaml": repeated("a: &a [b, b]\n", "x: [*a, *a]\n"),
  "one-line.txt": repeated("", "a"),
} satisfies Readonly<Record<string, (bytes: number) => Buffer>>

const sizeOf = (operation: string, file: string): number => {
  if (/\.(?:yaml|json)$/.test(file)) return 4 * MEBIBYTE
  if (operation.endsWith("/voice/turns")) return 6 * MEBIBYTE
  if (/attachments|avatar/.test(operation)) return 10 * MEBIBYTE
  return 20 * MEBIBYTE
}

/** The most characters of a body of JSON, a little less than a server receives. */
const JSON_LENGTH = 900_000

const nested = (schema: unknown): ReadonlyArray<JsonSchema> =>
  Array.isArray(schema) ? schema.filter((one): one is JsonSchema => typeof one === "object" && one !== null) : []

/** A value of a schema that fills its arrays, texts and open objects within so many characters. */
const widest = (given: JsonSchema, document: ApiDocument, length: number): unknown => {
  const schema = document.resolve(given)
  const options = nested(schema.anyOf ?? schema.oneOf)
  const either = options.find(({ $ref, type }) => $ref !== undefined || type === "array" || type === "object")
  if (either !== undefined) return widest(either, document, length)
  const [items] = nested([schema.items])
  if (items !== undefined) {
    const count = Math.min(schema.maxItems ?? length, Math.floor(length / 8))
    return Array.from({ length: count }, () => widest(items, document, Math.floor(length / Math.max(1, count)) - 4))
  }
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length > 0) {
    const each = Math.floor(length / fields.length) - 16
    return Object.fromEntries(
      fields.map(([name, field]) => [name, typeof field === "object" ? widest(field, document, each) : null]),
    )
  }
  if (schema.type === "object" && schema.additionalProperties !== false) {
    return Object.fromEntries(Array.from({ length: Math.floor(length / 16) }, (_, index) => [`field${index}`, index]))
  }
  const sample = sampleOf(schema, document.resolve)
  const isText =
    schema.type === "string" &&
    [schema.enum, schema.const, schema.format, schema.pattern].every((rule) => rule === undefined)
  return isText ? "**?".repeat(Math.max(1, Math.floor(Math.min(schema.maxLength ?? length, length) / 3))) : sample
}

export interface WideRequest {
  readonly name: string
  readonly send: () => Promise<Reply>
}

/** Documents are stored as they are, and opened by the processes of readers alone. */
const LEFT_OUT = new Set([
  "POST /api/embedfiles",
  "PATCH /api/external/chatbot/{chatbotId}/knowledge-base",
  "POST /api/admin/backups",
])

/** Every operation with each of the contents, and with the widest body. The client is that of the operator. */
export const wideRequests = async (operator: Client): Promise<ReadonlyArray<WideRequest>> => {
  const document = readApiDocument((await operator.get("/openapi.json")).body)
  const { client, own } = await makeMember(operator)
  await client.patch(`/api/external/chatbots?id=${own.chatbot}`, { json: { settings: { attachments: true } } })
  await client.patch(`/api/external/chatbot/${own.chatbot}/voice-agent`, { json: { voice: "coral" } })
  const visitor = await visit(client, await publish(client, own.chatbot))
  const send = (operation: Operation, request: ReturnType<typeof validRequest>) => {
    const { method, path, sent } = request
    if (operation.needsVisitor) {
      const headers = { ...sent.headers, authorization: `Bearer ${visitor.session.token}` }
      return client.withKey(undefined).send(method, path, { ...sent, headers })
    }
    const sender = path.startsWith("/api/admin/organizations")
      ? operator
      : operation.needsKey
        ? client
        : client.withKey(undefined)
    return sender.send(method, path, sent)
  }
  return document.operations.flatMap((operation): ReadonlyArray<WideRequest> => {
    const { body, name } = operation
    if (body === undefined || LEFT_OUT.has(name)) return []
    const values = Object.fromEntries(
      placesOf(document, operation)
        .filter(({ required, kinds }) => required || kinds === "chosen" || kinds.includes("chatbot"))
        .map(({ kinds, name: place }) => [
          place,
          kinds === "chosen" ? crypto.randomUUID() : own[kinds[0] ?? "chatbot"],
        ]),
    )
    const request = validRequest(document, operation, values)
    if (body.mediaType === "multipart/form-data") {
      const parts = Array.from((request.sent.form ?? new FormData()).entries())
      const [named] = parts.find(([, value]) => typeof value !== "string") ?? []
      const field = named ?? (name.endsWith("/voice/turns") ? "audio" : undefined)
      if (field === undefined) return []
      return Object.entries(hostileContents).map(([file, make]) => ({
        name: `${name} with ${file}`,
        send: () => {
          const form = new FormData()
          for (const [key, value] of parts) if (key !== field && key !== "text") form.append(key, value)
          form.append(field, new File([make(sizeOf(name, file) - 1_024)], file))
          return send(operation, { ...request, sent: { ...request.sent, form } })
        },
      }))
    }
    const wide = widest(body.schema, document, JSON_LENGTH)
    const json = { ...(isObject(wide) ? wide : {}), ...agreeing[name] }
    for (const [place, value] of Object.entries(values)) {
      if (!operation.parameters.some((parameter) => parameter.name === place)) setField(json, place, value)
    }
    return [
      {
        name: `${name} with the widest body`,
        send: () => send(operation, { ...request, sent: { ...request.sent, json } }),
      },
    ]
  })
}
