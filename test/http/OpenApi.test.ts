import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { read } from "../lib/Client.ts"
import { openOperations } from "../lib/safety/Matrix.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()

const Described = Schema.Struct({
  description: Schema.NonEmptyString,
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ schema: Schema.Json }))),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
})
const Parameter = Schema.Struct({
  name: Schema.NonEmptyString,
  in: Schema.Literals(["path", "query", "header"]),
  required: Schema.Boolean,
  description: Schema.NonEmptyString,
  schema: Schema.JsonObject,
})
const Operation = Schema.Struct({
  operationId: Schema.NonEmptyString,
  summary: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  tags: Schema.Array(Schema.String),
  parameters: Schema.Array(Parameter),
  requestBody: Schema.optionalKey(
    Schema.Struct({ required: Schema.Literal(true), content: Schema.Record(Schema.String, Schema.Json) }),
  ),
  responses: Schema.Record(Schema.String, Described),
  security: Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String))),
})
const OpenApi = Schema.Struct({
  openapi: Schema.String,
  info: Schema.Struct({
    title: Schema.Literal("Parley"),
    version: Schema.String,
    license: Schema.Struct({ identifier: Schema.Literal("MIT") }),
  }),
  servers: Schema.NonEmptyArray(Schema.Struct({ url: Schema.Literal("/") })),
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, Schema.Json),
    securitySchemes: Schema.Record(Schema.String, Schema.Json),
  }),
})

const reply = await client.withKey(undefined).get("/openapi.json")
const document = read(OpenApi, reply)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    ...operation,
  })),
)
const named = (name: string) => operations.find((operation) => operation.name === name)

/** The statuses of what reads, and of what reads a body. */
const reads = [200, 400, 401, 403, 429, 500, 503]
const writes = [...reads, 408, 409, 413, 415, 422]

/** The operations with the statuses that the source specification and the contract promise. */
const promised: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["POST /api/external/chatbots", writes],
  ["PATCH /api/external/chatbots", [...writes, 404, 412]],
  ["GET /api/external/chatbots", reads],
  ["GET /api/external/chatbot/{chatbotId}", [...reads, 404]],
  ["PATCH /api/external/chatbot/{chatbotId}/update-avatar", [...writes, 404, 412]],
  ["PATCH /api/external/chatbot/{chatbotId}/chat-widget", [...writes, 404, 412]],
  ["PATCH /api/external/chatbot/{chatbotId}/voice-agent", [...writes, 404, 412]],
  ["POST /api/external/chatbot/{chatbotId}/chat", [...writes, 404, 502, 504]],
  ["GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages", [...reads, 404]],
  ["POST /api/external/chatbot/{chatbotId}/query-knowledge", [...writes, 404]],
  ["GET /api/external/chatbot/{chatbotId}/knowledge-base", [...reads, 404]],
  ["PATCH /api/external/chatbot/{chatbotId}/knowledge-base", [...writes, 202, 404]],
  ["DELETE /api/external/chatbot/{chatbotId}/knowledge-base", [...reads, 404]],
  ["POST /api/embedfiles", [...writes, 202, 404]],
]

const forOpenAi: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["POST /v1/chat/completions", [...writes, 404, 502, 504]],
  ["GET /v1/models", reads],
  ["GET /v1/models/{model}", [...reads, 404]],
]

/** The statuses of an operation. */
const statusesOf = (name: string) => new Set(Object.keys(named(name)?.responses ?? {}).map(Number))

describe("/openapi.json", () => {
  test("is an OpenAPI 3.1 document of this version", () => {
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/)
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info.version).toBe("1.0.0")
  })

  test.each(promised)("has %s with every response", (name, statuses) => {
    const operation = named(name)
    expect(statusesOf(name)).toEqual(new Set(statuses))
    for (const [status, { content }] of Object.entries(operation?.responses ?? {})) {
      const success = name.endsWith("/chat") ? ["application/json", "text/event-stream"] : ["application/json"]
      expect(Object.keys(content ?? {})).toEqual(Number(status) < 300 ? success : ["application/problem+json"])
    }
  })

  test.each(forOpenAi)("has %s for clients of OpenAI, with every response", (name, statuses) => {
    const operation = named(name)
    expect(statusesOf(name)).toEqual(new Set(statuses))
    for (const [status, { content }] of Object.entries(operation?.responses ?? {})) {
      const isStream = status === "200" && name.endsWith("/completions")
      expect(Object.keys(content ?? {})).toEqual(["application/json", ...(isStream ? ["text/event-stream"] : [])])
      if (status === "200") continue
      const references = JSON.stringify(content).matchAll(/"\$ref":"([^"]+)"/g)
      expect(new Set(Array.from(references, ([, name]) => name))).toEqual(new Set(["#/components/schemas/OpenAiError"]))
    }
  })

  test("describes the headers of a reply, and fields with checks", () => {
    for (const name of ["POST /api/external/chatbot/{chatbotId}/chat", "POST /v1/chat/completions"]) {
      const { requestBody, responses } = named(name) ?? {}
      expect(Object.keys(responses?.["200"]?.headers ?? {})).toEqual([
        "x-session-id",
        "x-message-id",
        "x-written-by",
        "x-parley-notice",
        "RateLimit",
        "RateLimit-Policy",
      ])
      expect(requestBody?.content).toMatchObject({
        "application/json": {
          schema: { properties: { messages: { description: expect.stringContaining("messag") } } },
        },
      })
    }
  })

  test("has a unique id and summary for each operation", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    expect(new Set(operations.map(({ summary }) => summary)).size).toBe(operations.length)
  })

  test("declares both ways to send the API key wherever one is needed", () => {
    expect(Object.values(document.components.securitySchemes)).toMatchObject([
      { type: "apiKey", name: "x-api-key", in: "header" },
      { type: "http", scheme: expect.stringMatching(/^bearer$/i) },
      { type: "http", scheme: expect.stringMatching(/^bearer$/i) },
    ])
    const schemesOf = (name: string) =>
      openOperations.has(name) ? [] : name.includes(" /api/widget/") ? ["visitor"] : ["apiKey", "bearer"]
    for (const { name, security } of operations) {
      const asked = security.flatMap((one) => Object.keys(one)).toSorted()
      expect([name, asked]).toEqual([name, schemesOf(name)])
    }
  })

  test("describes every failure by its code, and declares Retry-After and the rate limit", () => {
    for (const { name, responses, security } of operations) {
      for (const [status, { description, headers }] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        expect([name, status, description]).toEqual([name, status, expect.stringMatching(/^`[a-z_]+`: [A-Z].*\.$/)])
        expect([name, status, Object.keys(headers ?? {})]).toEqual([
          name,
          status,
          [
            ...(status === "429" || status === "503" || description.includes("`idempotency_in_progress`")
              ? ["Retry-After"]
              : []),
            ...(security.some((one) => "apiKey" in one) && status !== "401" ? ["RateLimit", "RateLimit-Policy"] : []),
          ],
        ])
      }
    }
  })

  test("has the bounds and defaults of query parameters", () => {
    const { parameters = [] } = named("GET /api/external/usage") ?? {}
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
    expect(schemaOf("page")).toMatchObject({ type: "integer", minimum: 1, default: 1 })
    expect(schemaOf("limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 20 })
    expect(schemaOf("group_by")).toMatchObject({ type: "string", default: "day", pattern: expect.any(String) })
    const input = JSON.stringify(named("POST /api/external/chatbots")?.requestBody)
    expect(input).toContain("^[a-z0-9]+(?:-[a-z0-9]+)*$")
    expect(input).toContain("#(?:[0-9a-fA-F]{3}|")
  })

  test("declares every parameter of its paths", () => {
    for (const { name, path, parameters } of operations) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = ""]) => parameter)
      const declared = parameters.filter((parameter) => parameter.in === "path")
      expect([name, declared.map((parameter) => parameter.name)]).toEqual([name, inPath])
      expect(declared.every(({ required }) => required)).toBe(true)
    }
  })

  test("describes bodies, and uploads as multipart forms", () => {
    const takesFiles = /^POST .*\/(?:attachments|turns|import|embedfiles)$|^PATCH .*\/(?:update-avatar|knowledge-base)$/
    const isWithoutBody = /\/(?:retry|stop|return|draft|invitation|rotate|test|identity-secrets|resend)$/
    for (const { name, requestBody } of operations) {
      const types = Object.keys(requestBody?.content ?? {})
      if (!name.startsWith("P")) expect([name, types]).toEqual([name, []])
      else if (takesFiles.test(name)) expect([name, types]).toEqual([name, ["multipart/form-data"]])
      else if (types.length > 0 || !isWithoutBody.test(name))
        expect([name, types]).toEqual([name, ["application/json"]])
    }
  })

  test("has every definition that it refers to", () => {
    const references = Array.from(reply.text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g), ([, name]) => name)
    expect(references.length).toBeGreaterThan(0)
    const names = Object.keys(document.components.schemas)
    const unescaped = references.map((name = "") =>
      decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"),
    )
    expect(unescaped.filter((name) => !names.includes(name))).toEqual([])
  })
})
