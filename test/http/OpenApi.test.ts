import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { read } from "../lib/Client.ts"
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

/** The operations with the statuses that the source specification and the contract promise. */
const promised: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["POST /api/external/chatbots", [200, 400, 401, 403, 408, 409, 413, 415, 422, 429, 500, 503]],
  ["PATCH /api/external/chatbots", [200, 400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 500, 503]],
  ["GET /api/external/chatbots", [200, 400, 401, 403, 429, 500, 503]],
  ["GET /api/external/chatbot/{chatbotId}", [200, 400, 401, 403, 404, 429, 500, 503]],
  [
    "PATCH /api/external/chatbot/{chatbotId}/update-avatar",
    [200, 400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 500, 503],
  ],
  [
    "PATCH /api/external/chatbot/{chatbotId}/chat-widget",
    [200, 400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 500, 503],
  ],
  [
    "PATCH /api/external/chatbot/{chatbotId}/voice-agent",
    [200, 400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 500, 503],
  ],
  [
    "POST /api/external/chatbot/{chatbotId}/chat",
    [200, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504],
  ],
  [
    "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages",
    [200, 400, 401, 403, 404, 429, 500, 503],
  ],
  [
    "POST /api/external/chatbot/{chatbotId}/query-knowledge",
    [200, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503],
  ],
  ["GET /api/external/chatbot/{chatbotId}/knowledge-base", [200, 400, 401, 403, 404, 429, 500, 503]],
  [
    "PATCH /api/external/chatbot/{chatbotId}/knowledge-base",
    [200, 202, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503],
  ],
  ["DELETE /api/external/chatbot/{chatbotId}/knowledge-base", [200, 400, 401, 403, 404, 429, 500, 503]],
  ["POST /api/embedfiles", [200, 202, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]],
]

const forOpenAi: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["POST /v1/chat/completions", [200, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504]],
  ["GET /v1/models", [200, 400, 401, 403, 429, 500, 503]],
  ["GET /v1/models/{model}", [200, 400, 401, 403, 404, 429, 500, 503]],
]

const additions = [
  "GET /api/console/sessions",
  "DELETE /api/console/sessions/{sessionId}",
  "GET /api/external/people",
  "GET /api/admin/people",
  "POST /api/admin/people",
  "GET /api/admin/people/{personId}",
  "PATCH /api/admin/people/{personId}",
  "DELETE /api/admin/people/{personId}",
  "POST /api/admin/people/{personId}/invitation",
  "GET /api/admin/people/{personId}/sessions",
  "DELETE /api/admin/people/{personId}/sessions/{sessionId}",
  "GET /api/admin/model-connections",
  "POST /api/admin/model-connections",
  "GET /api/admin/model-connections/{connectionId}",
  "PATCH /api/admin/model-connections/{connectionId}",
  "DELETE /api/admin/model-connections/{connectionId}",
  "POST /api/admin/models/test",
  "GET /api/admin/model-servers",
  "GET /api/external/models",
  "GET /api/admin/sign-in-providers",
  "POST /api/admin/sign-in-providers",
  "GET /api/admin/sign-in-providers/{providerId}",
  "PATCH /api/admin/sign-in-providers/{providerId}",
  "DELETE /api/admin/sign-in-providers/{providerId}",
  "GET /api/external/chatbot/{chatbotId}/canned-answers",
  "POST /api/external/chatbot/{chatbotId}/canned-answers",
  "PATCH /api/external/chatbot/{chatbotId}/canned-answers/{answerId}",
  "DELETE /api/external/chatbot/{chatbotId}/canned-answers/{answerId}",
  "GET /api/external/chatbot/{chatbotId}/topics",
  "GET /api/external/chatbot/{chatbotId}/topics/{topicId}/questions",
  "PATCH /api/external/chatbot/{chatbotId}/topics/{topicId}",
  "GET /api/external/chatbot/{chatbotId}/suggested-questions",
  "GET /api/external/chatbot/{chatbotId}/tests",
  "POST /api/external/chatbot/{chatbotId}/tests",
  "POST /api/external/chatbot/{chatbotId}/tests/from-reply",
  "GET /api/external/chatbot/{chatbotId}/tests/export",
  "POST /api/external/chatbot/{chatbotId}/tests/import",
  "GET /api/external/chatbot/{chatbotId}/tests/{testId}",
  "PATCH /api/external/chatbot/{chatbotId}/tests/{testId}",
  "DELETE /api/external/chatbot/{chatbotId}/tests/{testId}",
  "GET /api/external/chatbot/{chatbotId}/test-runs",
  "POST /api/external/chatbot/{chatbotId}/test-runs",
  "GET /api/external/chatbot/{chatbotId}/test-runs/{runId}",
  "POST /api/external/chatbot/{chatbotId}/test-runs/{runId}/stop",
  "GET /api/external/chatbot/{chatbotId}/test-runs/{runId}/results",
  "GET /api/external/chatbot/{chatbotId}/test-plan",
  "PATCH /api/external/chatbot/{chatbotId}/test-plan",
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions",
  "POST /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions",
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/export",
  "POST /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/import",
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}",
  "PATCH /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}",
  "DELETE /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId}",
  "DELETE /api/external/chatbot/{chatbotId}",
  "GET /api/external/chatbot/{chatbotId}/conversations",
  "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}",
  "PATCH /api/external/chatbot/{chatbotId}/conversations/{sessionId}",
  "DELETE /api/external/chatbot/{chatbotId}/conversations/{sessionId}",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages/{messageId}/feedback",
  "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/transcript",
  "GET /api/external/chatbot/{chatbotId}/conversations/{sessionId}/events",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/handover",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/return",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/notes",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/presence",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/draft",
  "GET /api/external/inbox",
  "GET /api/external/chatbot/{chatbotId}/replies/{messageId}",
  "POST /api/external/erasures",
  "POST /api/external/chatbot/{chatbotId}/attachments",
  "POST /api/external/chatbot/{chatbotId}/voice/turns",
  "GET /api/external/usage",
  "GET /api/external/usage/conversations",
  "GET /api/external/chatbot/{chatbotId}/chat-widget",
  "GET /api/external/chatbot/{chatbotId}/voice-agent",
  "GET /api/external/chatbot/{chatbotId}/knowledge-base/documents",
  "GET /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}",
  "DELETE /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}",
  "POST /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}/retry",
  "GET /api/external/chatbot/{chatbotId}/knowledge-base/export",
  "POST /api/external/chatbot/{chatbotId}/knowledge-base/import",
  "POST /api/external/chatbot/{chatbotId}/tools",
  "GET /api/external/chatbot/{chatbotId}/tools",
  "GET /api/external/chatbot/{chatbotId}/tools/{toolId}",
  "PATCH /api/external/chatbot/{chatbotId}/tools/{toolId}",
  "DELETE /api/external/chatbot/{chatbotId}/tools/{toolId}",
  "POST /api/external/chatbot/{chatbotId}/identity-secrets",
  "GET /api/external/chatbot/{chatbotId}/identity-secrets",
  "DELETE /api/external/chatbot/{chatbotId}/identity-secrets/{secretId}",
  "POST /api/external/webhooks",
  "GET /api/external/webhooks",
  "GET /api/external/webhooks/{webhookId}",
  "PATCH /api/external/webhooks/{webhookId}",
  "DELETE /api/external/webhooks/{webhookId}",
  "POST /api/external/webhooks/{webhookId}/rotate",
  "POST /api/external/webhooks/{webhookId}/test",
  "GET /api/external/webhooks/{webhookId}/deliveries",
  "POST /api/external/webhooks/{webhookId}/deliveries/resend",
  "POST /api/external/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
  "POST /api/external/chatbot/{chatbotId}/tools/{toolId}/try",
  "POST /api/external/chatbot/{chatbotId}/tools/try",
  "POST /api/external/chatbot/{chatbotId}/chat/try",
  "POST /api/external/chatbot/{chatbotId}/duplicate",
  "GET /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}/passages",
  "GET /api/external/chatbot/{chatbotId}/synonyms/suggestions",
  "GET /api/external/chatbots/totals",
  "GET /api/external/conversations",
  "GET /api/external/events",
  "GET /api/console/session",
  "GET /api/admin/system",
  "GET /api/admin/system/checks",
  ...[
    "GET {sources}",
    "POST {sources}",
    "POST {sources}/preview",
    "GET {sources}/{sourceId}",
    "PATCH {sources}/{sourceId}",
    "DELETE {sources}/{sourceId}",
    "GET {sources}/{sourceId}/pages",
    "GET {sources}/{sourceId}/pages/tree",
    "GET {sources}/{sourceId}/runs",
    "POST {sources}/{sourceId}/runs",
    "POST {sources}/{sourceId}/runs/{runId}/stop",
  ].map((name) => name.replace("{sources}", "/api/external/chatbot/{chatbotId}/sources")),
  "GET /metrics",
  "GET /api/admin/audit-log",
  "POST /api/admin/organizations",
  "GET /api/admin/organizations",
  "PATCH /api/admin/organizations/{organizationId}",
  "DELETE /api/admin/organizations/{organizationId}",
  "POST /api/admin/backups",
  "POST /api/admin/api-keys",
  "GET /api/admin/api-keys",
  "PATCH /api/admin/api-keys/{apiKeyId}",
  "DELETE /api/admin/api-keys/{apiKeyId}",
]
/** The operations of visitors of the chat widget, which take the token of a visitor. */
const ofVisitors = [
  "POST /api/widget/attachments",
  "POST /api/widget/voice/turns",
  "POST /api/widget/chat",
  "GET /api/widget/chat/{replyId}",
  "DELETE /api/widget/chat/{replyId}",
  "GET /api/widget/conversations",
  "DELETE /api/widget/conversations",
  "DELETE /api/widget/conversations/{conversationId}",
  "GET /api/widget/conversations/{conversationId}/events",
  "GET /api/widget/conversations/{conversationId}/messages",
  "POST /api/widget/conversations/{conversationId}/messages/{messageId}/feedback",
  "GET /api/widget/conversations/{conversationId}/messages/{messageId}/sources/{index}",
  "POST /api/widget/conversations/{conversationId}/presence",
  "GET /api/widget/conversations/{conversationId}/transcript",
  "POST /api/widget/handover",
]
const open = [
  "GET /healthz",
  "GET /readyz",
  "GET /avatars/{name}",
  "GET /api/attachments/{attachmentId}/{secret}/{name}",
  "GET /api/widget/config/{key}",
  "POST /api/widget/sessions",
  "POST /api/console/session",
  "DELETE /api/console/session",
  "GET /api/console/sign-in",
  "POST /api/console/passkeys/options",
  "POST /api/console/passkeys",
  "POST /api/console/invitations/options",
  "POST /api/console/invitations",
  "GET /api/console/providers/{providerId}/sign-in",
  "GET /api/console/providers/{providerId}/callback",
]

describe("/openapi.json", () => {
  test("is an OpenAPI 3.1 document of this version", () => {
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/)
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info.version).toBe("1.0.0")
  })

  test.each(promised)("has %s with every response", (name, statuses) => {
    const operation = named(name)
    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual([...statuses])
    for (const [status, { content }] of Object.entries(operation?.responses ?? {})) {
      const success = name.endsWith("/chat") ? ["application/json", "text/event-stream"] : ["application/json"]
      expect(Object.keys(content ?? {})).toEqual(Number(status) < 300 ? success : ["application/problem+json"])
    }
  })

  test.each(forOpenAi)("has %s for clients of OpenAI, with every response", (name, statuses) => {
    const operation = named(name)
    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual([...statuses])
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

  test("has the operations beyond the source specification, and no others", () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(
      [...[...promised, ...forOpenAi].map(([name]) => name), ...additions, ...ofVisitors, ...open].toSorted(),
    )
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
      open.includes(name) ? [] : ofVisitors.includes(name) ? ["visitor"] : ["apiKey", "bearer"]
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
    const bodies = Object.fromEntries(
      operations.flatMap(({ name, requestBody }) => (requestBody ? [[name, Object.keys(requestBody.content)]] : [])),
    )
    const form = ["multipart/form-data"]
    const json = ["application/json"]
    const chatbot = "/api/external/chatbot/{chatbotId}"
    expect(bodies).toEqual({
      "POST /api/external/chatbots": json,
      "PATCH /api/external/chatbots": json,
      [`PATCH ${chatbot}/update-avatar`]: form,
      [`POST ${chatbot}/attachments`]: form,
      "POST /api/widget/attachments": form,
      [`POST ${chatbot}/voice/turns`]: form,
      "POST /api/widget/voice/turns": form,
      [`PATCH ${chatbot}/chat-widget`]: json,
      [`PATCH ${chatbot}/voice-agent`]: json,
      [`POST ${chatbot}/chat`]: json,
      [`POST ${chatbot}/chat/try`]: json,
      [`POST ${chatbot}/query-knowledge`]: json,
      [`POST ${chatbot}/sources/{sourceId}/questions`]: json,
      [`POST ${chatbot}/sources/{sourceId}/questions/import`]: form,
      [`PATCH ${chatbot}/sources/{sourceId}/questions/{questionId}`]: json,
      [`POST ${chatbot}/tests`]: json,
      [`POST ${chatbot}/tests/from-reply`]: json,
      [`POST ${chatbot}/tests/import`]: form,
      [`PATCH ${chatbot}/tests/{testId}`]: json,
      [`PATCH ${chatbot}/test-plan`]: json,
      [`POST ${chatbot}/test-runs`]: json,
      [`PATCH ${chatbot}/topics/{topicId}`]: json,
      [`POST ${chatbot}/canned-answers`]: json,
      "POST /api/admin/people": json,
      "PATCH /api/admin/people/{personId}": json,
      "POST /api/console/passkeys/options": json,
      "POST /api/console/passkeys": json,
      "POST /api/console/invitations/options": json,
      "POST /api/console/invitations": json,
      "POST /api/admin/model-connections": json,
      "PATCH /api/admin/model-connections/{connectionId}": json,
      "POST /api/admin/models/test": json,
      "POST /api/admin/sign-in-providers": json,
      "PATCH /api/admin/sign-in-providers/{providerId}": json,
      [`PATCH ${chatbot}/canned-answers/{answerId}`]: json,
      [`POST ${chatbot}/tools`]: json,
      [`POST ${chatbot}/tools/try`]: json,
      [`POST ${chatbot}/tools/{toolId}/try`]: json,
      [`POST ${chatbot}/sources`]: json,
      [`POST ${chatbot}/sources/preview`]: json,
      [`POST ${chatbot}/sources/{sourceId}/runs`]: json,
      [`PATCH ${chatbot}/sources/{sourceId}`]: json,
      [`POST ${chatbot}/duplicate`]: json,
      "POST /api/console/session": json,
      [`PATCH ${chatbot}/tools/{toolId}`]: json,
      [`PATCH ${chatbot}/conversations/{sessionId}`]: json,
      [`PATCH ${chatbot}/knowledge-base`]: form,
      [`POST ${chatbot}/knowledge-base/import`]: form,
      "POST /v1/chat/completions": json,
      "POST /api/embedfiles": form,
      [`POST ${chatbot}/conversations/{sessionId}/messages/{messageId}/feedback`]: json,
      [`POST ${chatbot}/conversations/{sessionId}/handover`]: json,
      [`POST ${chatbot}/conversations/{sessionId}/messages`]: json,
      [`POST ${chatbot}/conversations/{sessionId}/notes`]: json,
      [`POST ${chatbot}/conversations/{sessionId}/presence`]: json,
      "POST /api/widget/sessions": json,
      "POST /api/widget/chat": json,
      "POST /api/widget/conversations/{conversationId}/presence": json,
      "POST /api/widget/handover": json,
      "POST /api/widget/conversations/{conversationId}/messages/{messageId}/feedback": json,
      "POST /api/external/erasures": json,
      "POST /api/external/webhooks": json,
      "PATCH /api/external/webhooks/{webhookId}": json,
      "POST /api/external/webhooks/{webhookId}/deliveries/resend": json,
      "POST /api/admin/organizations": json,
      "PATCH /api/admin/organizations/{organizationId}": json,
      "PATCH /api/admin/api-keys/{apiKeyId}": json,
      "POST /api/admin/api-keys": json,
      "POST /api/admin/backups": json,
    })
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
