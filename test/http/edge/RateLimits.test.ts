import { describe, expect, test } from "bun:test"
import { routes } from "../../../src/http/edge/Routes.ts"
import { RequestCost } from "../../../src/api/parts/Annotations.ts"
import { Context } from "effect"
import { makeKey } from "../../../src/domain/keys/ApiKey.ts"
import { type Client, problem, type Reply } from "../../lib/Client.ts"
import { callTool, connectMcp } from "../../lib/Mcp.ts"
import { startServer } from "../../lib/TestServer.ts"

/** The windows are long enough for nothing to be forgotten while the tests run. */
const { client, url } = await startServer({
  RATE_LIMIT: "30/1h",
  ORGANIZATION_RATE_LIMIT: "300/1h",
  ADDRESS_RATE_LIMIT: "25/1h",
  TRUSTED_PROXIES: "loopback",
})

const chatbots = "/api/external/chatbots"
const newKey = async () => (await client.newKey()).client
const remaining = (reply: Reply) => Number(/^"key";r=(\d+);t=\d+/.exec(reply.headers.get("ratelimit") ?? "")?.[1])

/** Sends requests until none of the key's units is left. */
const exhaust = async (client: Client) => {
  while (remaining(await client.get(chatbots)) > 0);
  return client
}

describe("the rate limit of an API key", () => {
  test("is on every response to the key, whatever its status", async () => {
    const key = await newKey()
    const limited = await client.limitedTo("chat")
    const replies = [
      await key.get(chatbots),
      await key.post(chatbots, { json: {} }),
      await key.get("/api/external/chatbot/01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"),
      await limited.get(chatbots),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 404, 403])
    expect(replies.map(({ headers }) => headers.get("ratelimit"))).toEqual([
      '"key";r=29;t=3600',
      '"key";r=28;t=3600',
      '"key";r=27;t=3600',
      '"key";r=29;t=3600',
    ])
    for (const { headers } of replies) {
      expect(headers.get("ratelimit-policy")).toBe('"key";q=30;w=3600')
      expect(headers.get("access-control-expose-headers")).toContain("RateLimit, RateLimit-Policy, Retry-After")
    }
  })

  test("refuses what exceeds it, before the body is read, and says when to come back", async () => {
    const key = await exhaust(await newKey())
    const reply = await key.post(chatbots, { body: "{", headers: { "content-type": "application/json" } })
    const { detail, retry_after_seconds = 0 } = problem(reply, 429, "rate_limited")
    expect(detail).toBe("This API key may send 30 requests in 3600 seconds.")
    const [, rest, reset] = /^"key";r=(\d+);t=(\d+)$/.exec(reply.headers.get("ratelimit") ?? "") ?? []
    expect(rest).toBe("0")
    expect(retry_after_seconds).toBeGreaterThanOrEqual(Number(reset))
    expect((await (await newKey()).get(chatbots)).status).toBe(200)
  })

  test("is in OpenAI's form for clients of OpenAI", async () => {
    const key = await newKey()
    const limits = ({ headers }: Reply) =>
      ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}-requests`))
    expect(limits(await key.get("/v1/models"))).toEqual(["30", "29", "3600s"])
    expect(limits(await key.get(chatbots))).toEqual([null, null, null])
    await exhaust(key)
    const reply = await key.get("/v1/models")
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(reply.body).toMatchObject({ error: { type: "rate_limit_error", code: "rate_limit_exceeded" } })
  })

  test("counts a chat and an upload for more than a read", async () => {
    const { id } = await client.newChatbot()
    const key = await newKey()
    expect(remaining(await key.say(id, "Hello?"))).toBe(28)
    expect(remaining(await key.upload(id, { "a.md": "Some text." }))).toBe(23)
    expect(remaining(await key.get(chatbots))).toBe(22)
  })

  test("counts a large body for more, also where its length is not known before it has come", async () => {
    const { id } = await client.newChatbot()
    const key = await newKey()
    const body = (length: number) => JSON.stringify({ message: "a".repeat(length - '{"message":""}'.length) })
    const post = (sent: string | ReadableStream) =>
      key.post(`/api/external/chatbot/${id}/query-knowledge`, {
        body: sent,
        headers: { "content-type": "application/json" },
      })
    expect(remaining(await post(body(32 * 1_024 - 1)))).toBe(29)
    expect(remaining(await post(body(32 * 1_024)))).toBe(27)
    // It is refused after it has come, because nothing reads such files.
    expect(remaining(await key.upload(id, { "a.bin": "a ".repeat(1_024 * 1_024) }))).toBe(20)
    const pieces = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(body(100)))
        controller.close()
      },
    })
    const chunked = await post(pieces)
    // More than all that is left, since 32 is more than the limit: a request never counts for more than that.
    problem(chunked, 429, "rate_limited")
  })

  test("counts requests of the Model Context Protocol, and a chat for more", async () => {
    const { id } = await client.newChatbot()
    const key = await newKey()
    const before = remaining(await key.get(chatbots))
    const { mcp } = await connectMcp(`${url}/mcp/${id}`, { "x-api-key": key.key ?? "" })
    const connected = remaining(await key.get(chatbots))
    expect(connected).toBeLessThan(before)
    await callTool(mcp, "chat", { message: "Hello?" })
    // The request of the tool, the chat, and the request that asks.
    expect(remaining(await key.get(chatbots))).toBe(connected - 3)
    await exhaust(key)
    const reply = await key.post("/mcp", { json: {} })
    problem(reply, 429, "rate_limited")
  })

  test("is not taken from by health checks, the documentation and requests without a key", async () => {
    for (const path of ["/healthz", "/openapi.json", "/docs/search.json"]) {
      const { headers, status } = await client.get(path)
      expect([status, headers.get("ratelimit")]).toEqual([200, null])
    }
    expect((await client.withKey(undefined).get(chatbots)).headers.get("ratelimit")).toBeNull()
  })
})

describe("the limit of an address", () => {
  const wrongKey = () => makeKey(crypto.getRandomValues(new Uint8Array(128)))
  const from = (address: string, key?: string) =>
    client.withKey(key).get(chatbots, { headers: { "x-forwarded-for": address } })
  const statuses = (replies: ReadonlyArray<Reply>) => replies.map(({ status }) => status)

  test("refuses guesses of keys before they are looked up, and nobody else", async () => {
    const known = await newKey()
    expect((await from("203.0.113.1", known.key)).status).toBe(200)
    const guesses = [
      await from("203.0.113.1", wrongKey()),
      await from("203.0.113.1", "malformed"),
      await from("203.0.113.1", wrongKey()),
      await from("203.0.113.1", wrongKey()),
      await from("203.0.113.1", "malformed"),
      await from("203.0.113.1"),
    ]
    expect(statuses(guesses)).toEqual([401, 401, 401, 429, 429, 429])
    const [, , , refused] = guesses
    expect(refused && problem(refused, 429, "rate_limited").detail).toBe(
      "Without a valid API key, this address may send 25 requests in 3600 seconds.",
    )
    // A new key of the same address would be a guess as well, as far as the server knows.
    expect((await from("203.0.113.1", (await newKey()).key)).status).toBe(429)
    expect((await from("203.0.113.1", known.key)).status).toBe(200)
    expect((await from("203.0.113.2", (await newKey()).key)).status).toBe(200)
  })

  test("counts a request without a key for less than a guess", async () => {
    const replies: Array<Reply> = []
    for (let request = 0; request < 27; request++) replies.push(await from("203.0.113.3"))
    expect(statuses(replies)).toEqual([...Array.from({ length: 25 }, () => 401), 429, 429])
  })

  test("is one for all addresses of an IPv6 network", async () => {
    for (const host of [1, 2, 3]) expect((await from(`2001:db8:0:1::${host}`, wrongKey())).status).toBe(401)
    expect((await from("2001:db8:0:1:ffff::", wrongKey())).status).toBe(429)
    expect((await from("2001:db8:0:2::1", wrongKey())).status).toBe(401)
  })
})

test("every endpoint that takes files, answers as a chatbot, calls a tool, or reads, copies or deletes everything costs more than one unit", () => {
  const costly = routes.filter(({ annotations }) => Context.get(annotations, RequestCost) > 1)
  expect(costly.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    "DELETE /api/admin/organizations/:organizationId",
    "DELETE /api/external/chatbot/:chatbotId",
    "DELETE /api/external/chatbot/:chatbotId/knowledge-base",
    "DELETE /api/external/chatbot/:chatbotId/sources/:sourceId",
    "DELETE /api/widget/conversations",
    "GET /api/admin/system/checks",
    "GET /api/external/chatbot/:chatbotId/conversations/:sessionId/transcript",
    "GET /api/external/chatbot/:chatbotId/knowledge-base/export",
    "GET /api/external/chatbot/:chatbotId/replies/:messageId",
    "GET /api/external/chatbot/:chatbotId/sources/:sourceId/questions/export",
    "GET /api/external/chatbot/:chatbotId/tests/export",
    "GET /api/external/chatbots/totals",
    "GET /api/widget/conversations/:conversationId/transcript",
    "PATCH /api/external/chatbot/:chatbotId/knowledge-base",
    "PATCH /api/external/chatbot/:chatbotId/update-avatar",
    "POST /api/admin/backups",
    "POST /api/admin/models/test",
    "POST /api/embedfiles",
    "POST /api/external/chatbot/:chatbotId/attachments",
    "POST /api/external/chatbot/:chatbotId/chat",
    "POST /api/external/chatbot/:chatbotId/chat/try",
    "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/draft",
    "POST /api/external/chatbot/:chatbotId/duplicate",
    "POST /api/external/chatbot/:chatbotId/knowledge-base/import",
    "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions/import",
    "POST /api/external/chatbot/:chatbotId/sources/preview",
    "POST /api/external/chatbot/:chatbotId/tests/import",
    "POST /api/external/chatbot/:chatbotId/tools/:toolId/try",
    "POST /api/external/chatbot/:chatbotId/tools/try",
    "POST /api/external/chatbot/:chatbotId/voice/turns",
    "POST /api/external/erasures",
    "POST /api/external/webhooks/:webhookId/test",
    "POST /api/widget/attachments",
    "POST /api/widget/chat",
    "POST /api/widget/voice/turns",
    "POST /v1/chat/completions",
  ])
})
