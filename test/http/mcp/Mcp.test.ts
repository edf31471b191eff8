import { afterEach, describe, expect, test } from "bun:test"
import type { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { type Client, problem, until } from "../../lib/Client.ts"
import { says } from "../../lib/FakeAnthropic.ts"
import { callTool, connectMcp } from "../../lib/Mcp.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client, provider, url } = await sharedServer()

const open: Array<McpClient> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const connect = async (
  as: Client = client,
  path = "/mcp",
  headers: Record<string, string> = { authorization: `Bearer ${as.key}` },
) => {
  const connected = await connectMcp(url + path, headers)
  open.push(connected.mcp)
  return connected
}

/** The code and detail of a failed tool call. */
const failureOf = ({ content, isError }: CallToolResult): unknown => {
  expect(isError).toBe(true)
  const [first] = content
  return first?.type === "text" ? JSON.parse(first.text) : undefined
}

const taught = async (text: string, as: Client = client, settings: object = {}) => {
  const { id } = await as.newChatbot({ settings })
  await as.learn(id, { "handbook.md": `# Handbook\n\n${text}\n` })
  return id
}

describe("/mcp", () => {
  test("describes itself and its tools, in the newest version that the client supports", async () => {
    const { mcp, transport } = await connect()
    expect(mcp.getServerVersion()).toMatchObject({ name: "parley", version: "1.0.0" })
    expect(transport.protocolVersion).toBe("2025-11-25")
    const { tools } = await mcp.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["chat", "search_knowledge"])
    const search = tools.find(({ name }) => name === "search_knowledge")
    expect(search).toMatchObject({
      inputSchema: { type: "object", required: ["query"] },
      annotations: { readOnlyHint: true },
    })
    expect(Object.keys(search?.inputSchema.properties ?? {}).toSorted()).toEqual(["chatbot_id", "limit", "query"])
  })

  test("searches the knowledge of one chatbot only", async () => {
    const [one, other] = [await taught("The server drains for thirty seconds."), await taught("Refunds take a week.")]
    const { mcp } = await connect()
    const found = await callTool(mcp, "search_knowledge", { query: "How long does the server drain?", chatbot_id: one })
    expect(found.structuredContent).toEqual({
      passages: [
        {
          document_id: expect.any(String),
          title: expect.any(String),
          chunk: 1,
          page: null,
          url: null,
          content: expect.stringContaining("thirty seconds"),
          similarity: expect.any(Number),
        },
      ],
    })
    const none = await callTool(mcp, "search_knowledge", {
      query: "How long does the server drain?",
      chatbot_id: other,
    })
    expect(JSON.stringify(none)).not.toContain("thirty")
  })

  test("chats, and continues the conversation of a session", async () => {
    const id = await taught("The server drains for thirty seconds.")
    const { mcp } = await connect(client, `/mcp/${id}`)
    const first = await callTool(mcp, "chat", { message: "How long does the server drain?" })
    expect(first.structuredContent).toMatchObject({
      output: expect.stringContaining("thirty seconds"),
      sources: expect.any(Array),
    })
    const session = String(first.structuredContent?.["session_id"])
    const second = await callTool(mcp, "chat", { message: "And again?", session_id: session })
    expect(second.structuredContent).toMatchObject({ session_id: session })
    expect((await client.messages(id, session)).map(({ content }) => content)).toContain("And again?")
    expect((await client.session(id, session)).platform).toBe("mcp")
  })

  test("accepts the key in either header, and refuses an invalid one with a 401 problem", async () => {
    await connect(client, "/mcp", { "x-api-key": String(client.key) })
    for (const headers of [{}, { authorization: "Bearer prl_wrong" }, { "x-api-key": "x".repeat(40) }]) {
      await expect(connect(client, "/mcp", { ...headers })).rejects.toThrow(/401/)
      const reply = await client.withKey(undefined).post("/mcp", { json: {}, headers })
      problem(reply, 401, "unauthorized")
      expect(reply.headers.get("www-authenticate")).toBe("Bearer")
    }
  })

  test("checks the key of every request, whoever began the session", async () => {
    const id = await taught("Only ours.")
    const { transport } = await connect()
    const stranger = await client.newOrganization()
    const reply = await stranger.post("/mcp", {
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search_knowledge", arguments: { query: "ours", chatbot_id: id } },
      },
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-session-id": String(transport.sessionId),
        "mcp-protocol-version": "2025-11-25",
      },
    })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ result: { isError: true } })
    expect(reply.text).not.toContain("Only ours")
  })

  test("has only the tools that the key has the scope for", async () => {
    const id = await taught("The server drains.")
    for (const [scope, name] of [
      ["knowledge:read", "search_knowledge"],
      ["chat", "chat"],
    ] as const) {
      const { mcp } = await connect(await client.limitedTo(scope), `/mcp/${id}`)
      expect((await mcp.listTools()).tools.map((tool) => tool.name)).toEqual([name])
      const other = name === "chat" ? "search_knowledge" : "chat"
      await expect(callTool(mcp, other, { query: "x", message: "x" })).rejects.toThrow(/-32602/)
    }
    const { mcp } = await connect(await client.limitedTo("chatbots:write"))
    expect((await mcp.listTools()).tools).toEqual([])
  })

  test("lets a bound key use its own chatbot only", async () => {
    const [own, other] = [await taught("Blue elephants."), await taught("Green elephants.")]
    const { client: bound } = await client.newKey({ chatbot_id: own })
    const { mcp } = await connect(bound)
    expect(JSON.stringify(await callTool(mcp, "search_knowledge", { query: "elephants" }))).toContain("Blue")
    expect(failureOf(await callTool(mcp, "search_knowledge", { query: "elephants", chatbot_id: other }))).toMatchObject(
      {
        code: "forbidden",
      },
    )
    expect(failureOf(await callTool(mcp, "chat", { message: "elephants", chatbot_id: other }))).toMatchObject({
      code: "forbidden",
    })
    await expect(connect(bound, `/mcp/${other}`)).rejects.toThrow(/403/)
    problem(await bound.post(`/mcp/${other}`, { json: {} }), 403, "forbidden")
  })

  test("reports why a call is invalid", async () => {
    const { mcp } = await connect()
    const stranger = await client.newOrganization()
    const theirs = await taught("Private.", stranger)
    expect(failureOf(await callTool(mcp, "chat", { message: "Hello" }))).toEqual({
      code: "invalid_request",
      detail: "chatbot_id: Required",
    })
    for (const chatbot_id of [theirs, crypto.randomUUID()]) {
      const gone = { code: "not_found", detail: "There is no such chatbot." }
      expect(failureOf(await callTool(mcp, "chat", { message: "Hello", chatbot_id }))).toEqual(gone)
      expect(failureOf(await callTool(mcp, "search_knowledge", { query: "Private", chatbot_id }))).toEqual(gone)
    }
    for (const [name, args, wrong] of [
      ["search_knowledge", {}, /query/],
      ["search_knowledge", { query: "x".repeat(2_001) }, /2000/],
      ["chat", { message: "Hello", chatbot_id: "support" }, /chatbot_id/],
    ] as const) {
      const result = await callTool(mcp, name, args)
      expect([result.isError, JSON.stringify(result.content)]).toEqual([true, expect.stringMatching(wrong)])
    }
    await expect(callTool(mcp, "drop_tables", {})).rejects.toThrow(/-32602/)
  })

  test("reports that the model's provider failed, without its message", async () => {
    const id = await taught("x", client, { model: "claude-sonnet-5-5" })
    await provider.answers({ kind: "status", status: 400, type: "invalid_request_error", headers: {} })
    const { mcp } = await connect(client, `/mcp/${id}`)
    const result = await callTool(mcp, "chat", { message: "Hello" })
    expect(failureOf(result)).toMatchObject({ code: "provider_failed" })
    expect(JSON.stringify(result)).not.toContain("internal words")
  })

  test("stops the model when the client disconnects", async () => {
    const id = await taught("x", client, { model: "claude-sonnet-5-5" })
    await provider.answers({ kind: "hang" }, says("late"))
    const { mcp } = await connect(client, `/mcp/${id}`)
    const leaving = new AbortController()
    const asked = mcp.callTool({ name: "chat", arguments: { message: "Hello" } }, undefined, { signal: leaving.signal })
    await until(
      () => provider.requests().length,
      (count) => count === 1,
    )
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await until(
      () => provider.hungUp(),
      (count) => count === 1,
    )
  })

  test.each([
    ["another version", { "mcp-protocol-version": "1999-01-01" }, { method: "tools/list" }, 400],
    ["no session", {}, { method: "tools/list" }, 400],
    ["an unknown session", { "mcp-session-id": "x" }, { method: "tools/list" }, 404],
    ["no list of what it accepts", { accept: "application/json" }, { method: "tools/list" }, 406],
    ["another origin", { origin: "https://evil.example" }, { method: "initialize" }, 403],
  ] as const)("refuses a request with %s", async (_, headers, body, status) => {
    const reply = await client.post("/mcp", {
      json: { jsonrpc: "2.0", id: 1, ...body },
      headers: { accept: "application/json, text/event-stream", ...headers },
    })
    expect(reply.status).toBe(status)
  })

  test("answers malformed bodies with JSON-RPC errors, and bodies that are too large with a problem", async () => {
    const post = (body: Bun.BodyInit) =>
      client.post("/mcp", {
        body,
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      })
    expect((await post("{")).body).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } })
    expect((await post("[]")).status).toBe(400)
    problem(await post(`${"[".repeat(100_000)}${"]".repeat(100_000)}`), 400, "invalid_request")
    // No Content-Length announces the size of the body.
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 16)) })
    problem(await post(endless), 413, "too_large")
    problem(await client.post("/mcp/not-an-id", { json: {} }), 400, "invalid_request")
    expect((await client.get("/mcp")).status).toBe(405)
    // An answer repeats both of them.
    for (const long of [
      { id: "x".repeat(1_001), method: "ping" },
      { id: 1, method: "x".repeat(1_001) },
    ]) {
      problem(await client.post("/mcp", { json: { jsonrpc: "2.0", ...long } }), 400, "invalid_request")
    }
  })

  test("supports the version without sessions, too", async () => {
    const id = await taught("The server drains for thirty seconds.")
    const version = "2026-07-28"
    const reply = await client.post(`/mcp/${id}`, {
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "search_knowledge",
          arguments: { query: "How long does the server drain?" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          },
        },
      },
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "search_knowledge",
      },
    })
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining("thirty seconds")])
  })
})
