import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ChatbotTool } from "../../src/domain/chatbot/ChatbotTool.ts"
import { type Client, problem, read, type Reply, until, wrongPaths } from "../lib/Client.ts"
import { startEndpoint } from "../lib/Endpoint.ts"
import { message, says } from "../lib/FakeAnthropic.ts"
import { TOOLS_MAX_COUNT } from "../../src/services/chatbots/ChatbotTools.ts"
import { sharedServer } from "../lib/TestServer.ts"

const limit = TOOLS_MAX_COUNT
const { client, provider } = await sharedServer()
const endpoint = startEndpoint()
const shop = endpoint.url
const secret = "Bearer s3cr3t-of-the-operator"

const at = (chatbot: string, tool?: string) =>
  `/api/external/chatbot/${chatbot}/tools${tool === undefined ? "" : `/${tool}`}`
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

const orderStatus = {
  name: "orderStatus",
  description: "Tells where an order is.",
  input_schema: {
    type: "object",
    properties: { orderId: { type: "string" }, details: { type: "boolean" } },
    required: ["orderId"],
  },
  url: `${shop}/orders/{orderId}?source=bot`,
  headers: { Authorization: secret },
}

const OneTool = Schema.Struct({ tool: ChatbotTool })
const toolOf = (reply: Reply) => read(OneTool, reply).tool
const create = (chatbot: string, more: object = {}, as: Client = client) =>
  as.post(at(chatbot), { json: { ...orderStatus, ...more } })
const newTool = async (chatbot: string, more: object = {}) => toolOf(await create(chatbot, more))

describe("tools of a chatbot", () => {
  test("are created, listed, read, changed and deleted", async () => {
    const { id } = await client.newChatbot()
    const reply = await create(id)
    expect(reply.status).toBe(201)
    const tool = toolOf(reply)
    expect(reply.body).toStrictEqual({
      tool: {
        ...orderStatus,
        id: tool.id,
        chatbot_id: id,
        method: "GET",
        headers: { authorization: null },
        timeout_ms: null,
        created_at: tool.created_at,
        updated_at: tool.created_at,
      },
    })
    // The order of the properties, too.
    expect(JSON.stringify(tool.input_schema)).toBe(JSON.stringify(orderStatus.input_schema))
    const other = await newTool(id, { name: "other", method: "POST", timeout_ms: 500, headers: {} })
    expect((await client.get(at(id))).body).toEqual({ tools: [tool, other] })
    expect((await client.get(at(id, tool.id))).body).toEqual({ tool })
    const changed = toolOf(
      await client.patch(at(id, tool.id), { json: { description: "New", headers: { "X-More": "1" } } }),
    )
    expect(changed).toEqual({
      ...tool,
      description: "New",
      headers: { authorization: null, "x-more": null },
      updated_at: changed.updated_at,
    })
    expect(changed.updated_at > tool.updated_at).toBe(true)
    expect((await client.delete(at(id, tool.id))).body).toEqual({ message: "Tool deleted successfully" })
    problem(await client.get(at(id, tool.id)), 404, "not_found")
    expect((await client.get(at(id))).body).toEqual({ tools: [other] })
  })

  test("have a name that is unique within the chatbot", async () => {
    const { id } = await client.newChatbot()
    await newTool(id)
    problem(await create(id), 409, "conflict")
    const builtIn = ["searchKnowledgeBase", "listDocuments"]
    for (const name of builtIn) problem(await create(id, { name }), 409, "conflict")
    const other = await newTool(id, { name: "other" })
    problem(await client.patch(at(id, other.id), { json: { name: "orderStatus" } }), 409, "conflict")
    for (const name of builtIn) problem(await client.patch(at(id, other.id), { json: { name } }), 409, "conflict")
    // Another chatbot may have a tool of the same name.
    expect((await create((await client.newChatbot()).id)).status).toBe(201)
  })

  test("are limited in number, also when they are created at once", async () => {
    const { id } = await client.newChatbot()
    const replies = await Promise.all(
      Array.from({ length: 2 * limit }, (_, index) => create(id, { name: `tool${index}` })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array(limit).fill(201),
      ...Array(limit).fill(409),
    ])
    const { tools } = read(Schema.Struct({ tools: Schema.Array(ChatbotTool) }), await client.get(at(id)))
    expect(tools).toHaveLength(limit)
    await client.delete(at(id, tools[0]?.id))
    expect((await create(id, { name: "again" })).status).toBe(201)
    problem(await create(id, { name: "more" }), 409, "conflict")
  })

  test.each<readonly [string, object, string]>([
    ["a name with a space", { name: "order status" }, "name"],
    ["a name that is too long", { name: "a".repeat(65) }, "name"],
    ["no description", { description: "" }, "description"],
    ["a schema of another type than object", { input_schema: { type: "string" } }, "input_schema.type"],
    [
      "a schema with a reference",
      { input_schema: { type: "object", properties: { a: { $ref: "#" } } } },
      "input_schema.properties.a.$ref",
    ],
    ["no address", { url: "shop.example/orders" }, "url"],
    ["a scheme other than http", { url: "file:///etc/passwd" }, "url"],
    ["a placeholder for the host", { url: "https://{orderId}.example/" }, "url"],
    ["a placeholder for an unknown property", { url: `${shop}/{customer}` }, "url"],
    ["a placeholder for an optional property", { url: `${shop}/{details}` }, "url"],
    ["a private address", { url: "http://10.0.0.1/" }, "url"],
    ["the metadata service", { url: "http://169.254.169.254/latest/meta-data/" }, "url"],
    ["a time-out that is too short", { timeout_ms: 99 }, "timeout_ms"],
    ["another loopback", { url: "http://127.0.0.2/" }, "url"],
    ["a loopback in hexadecimal", { url: "http://0x7f000002/" }, "url"],
    ["a loopback as IPv6", { url: "http://[::1]/" }, "url"],
    ["an unknown method", { method: "TRACE" }, "method"],
    ["a header that belongs to the connection", { headers: { Host: "evil.example" } }, "headers.Host"],
    ["an invalid header name", { headers: { "a b": "c" } }, "headers.a b"],
    ["a header with a line break", { headers: { a: "b\r\nc: d" } }, "headers.a"],
    ["a time-out that is too long", { timeout_ms: 30_001 }, "timeout_ms"],
    ["an unknown field", { colour: "red" }, "colour"],
  ])("with %s are refused", async (_, more, path) => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await create(id, more))).toContain(path)
    expect((await client.get(at(id))).body).toEqual({ tools: [] })
    const tool = await newTool(id, { headers: {} })
    expect(wrongPaths(await client.patch(at(id, tool.id), { json: more }))).toContain(path)
    expect((await client.get(at(id, tool.id))).body).toEqual({ tool })
  })

  test("with an invalid header name are refused with a message that says why", async () => {
    const { id } = await client.newChatbot()
    const headers = { "a b": "c", Host: "evil.example", "proxy-authorization": "x" }
    expect(problem(await create(id, { headers }), 400, "invalid_request").errors).toEqual([
      { path: "headers.a b", message: "Expected the name of a header" },
      { path: "headers.Host", message: "Expected a header that is not the connection's own" },
      { path: "headers.proxy-authorization", message: "Expected a header that is not the connection's own" },
    ])
  })

  test("need the scopes of chatbots, and a key that is not bound to another chatbot", async () => {
    const { id } = await client.newChatbot()
    const tool = await newTool(id)
    const [reader, writer] = [await client.limitedTo("chatbots:read"), await client.limitedTo("chatbots:write")]
    problem(await create(id, { name: "a" }, reader), 403, "forbidden")
    problem(await reader.patch(at(id, tool.id), { json: {} }), 403, "forbidden")
    problem(await reader.delete(at(id, tool.id)), 403, "forbidden")
    problem(await writer.get(at(id)), 403, "forbidden")
    problem(await writer.get(at(id, tool.id)), 403, "forbidden")
    expect((await reader.get(at(id))).status).toBe(200)
    expect((await create(id, { name: "b" }, writer)).status).toBe(201)
    const bound = await client.newKey({ chatbot_id: (await client.newChatbot()).id })
    problem(await bound.client.get(at(id)), 403, "forbidden")
    problem(await client.withKey(undefined).get(at(id)), 401, "unauthorized")
  })

  test("of another organization or chatbot are answered with 404", async () => {
    const { id } = await client.newChatbot()
    const tool = await newTool(id)
    const stranger = await client.newOrganization()
    const { id: other } = await client.newChatbot()
    for (const [as, path] of [
      [stranger, at(id, tool.id)],
      [client, at(other, tool.id)],
      [client, at(id, nowhere)],
    ] as const) {
      problem(await as.get(path), 404, "not_found")
      problem(await as.patch(path, { json: { description: "x" } }), 404, "not_found")
      problem(await as.delete(path), 404, "not_found")
    }
    problem(await stranger.get(at(id)), 404, "not_found")
    problem(await create(id, { name: "a" }, stranger), 404, "not_found")
    problem(await create(nowhere), 404, "not_found")
  })
})

/** Scripts the model to call a tool with these arguments and then to reply. */
const modelCalls = (input: unknown, name = "orderStatus") =>
  provider.answers(message([{ type: "tool_use", id: "toolu_1", name, input }], "tool_use"), says("Done."))

const chattingBot = () => client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })

describe("a chat", () => {
  test("lets the model call a tool, and shows the result but no secret", async () => {
    const { id } = await chattingBot()
    await newTool(id)
    endpoint.answers(() => Response.json({ state: "on its way" }))
    await modelCalls({ orderId: "A 4711", details: true })
    const reply = await client.say(id, "Where is A 4711?", { sessionToken: "s" })
    expect(reply.body).toMatchObject({
      output: "Done.",
      tool_calls: [{ toolName: "orderStatus", args: { orderId: "A 4711", details: true } }],
      tool_results: [{ toolName: "orderStatus", result: { state: "on its way" } }],
    })
    expect(endpoint.asked).toMatchObject([{ method: "GET", path: "/orders/A%204711?source=bot&details=true" }])
    expect(endpoint.asked[0]?.headers.get("authorization")).toBe(secret)
    const sent = provider.requests().map(({ body }) => body)
    expect(sent[0]).toContain('"name":"orderStatus"')
    expect(sent[1]).toContain("on its way")
    const stored = await client.get(`/api/external/chatbot/${id}/conversations/s/messages`)
    for (const text of [reply.text, stored.text, ...sent]) expect(text).not.toContain("s3cr3t")
  })

  test("streams the call without the secret", async () => {
    const { id } = await chattingBot()
    await newTool(id)
    endpoint.answers(({ headers }) => Response.json({ state: "sent", you: headers.get("authorization") }))
    await modelCalls({ orderId: "1" })
    const { text } = await client.post(`/api/external/chatbot/${id}/chat?stream=true`, {
      json: { messages: [{ role: "user", content: "Where?" }] },
    })
    expect(text).toContain('"type":"tool-output-available"')
    expect(text).toContain('"output":{"state":"sent","you":"[secret]"}')
    expect(text).not.toContain("s3cr3t")
  })

  test("is stored even when the model's call id has characters that the database cannot store", async () => {
    const { id } = await chattingBot()
    await newTool(id)
    const call = { type: "tool_use", id: "a\0b\ud800", name: "orderStatus", input: { orderId: "1" } } as const
    for (const way of ["false", "true"]) {
      await provider.answers(message([call], "tool_use"), says("Done."))
      const { status, text } = await client.post(`/api/external/chatbot/${id}/chat?stream=${way}`, {
        json: { messages: [{ role: "user", content: "Where?" }], sessionToken: way },
      })
      expect(status).toBe(200)
      expect(text).toContain('"toolCallId":"ab\ufffd"')
      expect(text).not.toContain('"type":"error"')
      const stored = await client.get(`/api/external/chatbot/${id}/conversations/${way}/messages`)
      expect(stored.body).toMatchObject({ data: [{ content: "Where?" }, { content: "Done." }] })
    }
  })

  test("sends the new value of a changed secret, and no removed one", async () => {
    const { id } = await chattingBot()
    const tool = await newTool(id, { headers: { authorization: secret, "x-a": "1", "x-b": "2" } })
    const headers = { authorization: "Bearer another", "x-a": null, "x-b": "" }
    expect(toolOf(await client.patch(at(id, tool.id), { json: { headers } })).headers).toEqual({
      authorization: null,
      "x-a": null,
    })
    endpoint.answers(() => Response.json({}))
    await modelCalls({ orderId: "1" })
    await client.chat(id, "Where?")
    const sent = endpoint.asked[0]?.headers
    expect(["authorization", "x-a", "x-b"].map((name) => sent?.get(name) ?? null)).toEqual([
      "Bearer another",
      "1",
      null,
    ])
    expect(wrongPaths(await client.patch(at(id, tool.id), { json: { headers: { "x-c": null } } }))).toEqual([
      "headers.x-c",
    ])
  })

  test("does not send a secret to the new host when a tool's address changes", async () => {
    const { id } = await client.newChatbot()
    const tool = await newTool(id)
    const url = "https://93.184.215.14/collect/{orderId}"
    expect(wrongPaths(await client.patch(at(id, tool.id), { json: { url } }))).toEqual(["headers"])
    expect(
      wrongPaths(await client.patch(at(id, tool.id), { json: { url, headers: { authorization: null } } })),
    ).toEqual(["headers"])
    expect((await client.get(at(id, tool.id))).body).toEqual({ tool })
    expect((await client.patch(at(id, tool.id), { json: { url: `${shop}/elsewhere/{orderId}` } })).status).toBe(200)
    expect((await client.patch(at(id, tool.id), { json: { url, headers: { authorization: "new" } } })).status).toBe(200)
  })

  test("tells the model why its call is invalid, and does not make the call", async () => {
    const { id } = await chattingBot()
    await newTool(id)
    endpoint.answers(() => Response.json({}))
    await modelCalls({ orderId: 4711, admin: true })
    const { tool_results } = await client.chat(id, "Where?")
    expect(tool_results).toMatchObject([
      { result: { error: expect.stringMatching(/^Invalid input: .*(?:orderId|admin)/) } },
    ])
    expect(endpoint.asked).toEqual([])
    expect(provider.requests()[1]?.body).toContain('"is_error":true')
  })

  test("continues when the endpoint fails or takes too long", async () => {
    const { id } = await chattingBot()
    const tool = await newTool(id)
    endpoint.answers(
      () => new Response("database password is hunter2", { status: 500, headers: { "content-type": "text/plain" } }),
    )
    await modelCalls({ orderId: "1" })
    expect((await client.chat(id, "Where?")).tool_results).toMatchObject([
      { result: { error: "The server answered with status 500." } },
    ])
    await client.patch(at(id, tool.id), { json: { timeout_ms: 100 } })
    endpoint.answers(() => new Promise(() => {}))
    await modelCalls({ orderId: "1" })
    expect(await client.chat(id, "Where?")).toMatchObject({
      output: "Done.",
      tool_results: [{ result: { error: "The call took too long." } }],
    })
  })

  test("closes the connection to the endpoint when the client disconnects", async () => {
    const { id } = await chattingBot()
    await newTool(id)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    endpoint.answers(
      () =>
        new Response(
          new ReadableStream({
            pull: async (out) => {
              await Bun.sleep(10)
              out.enqueue(Buffer.from("."))
            },
            cancel: () => leave(),
          }),
          { headers: { "content-type": "text/plain" } },
        ),
    )
    await modelCalls({ orderId: "1" })
    const leaving = new AbortController()
    const asked = client.post(`/api/external/chatbot/${id}/chat`, {
      json: { messages: [{ role: "user", content: "Where?" }] },
      signal: leaving.signal,
    })
    await until(
      () => endpoint.asked.length,
      (count) => count === 1,
    )
    leaving.abort()
    await asked.catch(() => {})
    await left
  })

  test("offers no tools when they are switched off", async () => {
    const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5", isToolEnabled: false } })
    await newTool(id)
    await provider.answers(says("Hello."))
    await client.chat(id, "Hello")
    expect(provider.requests()[0]?.body).not.toContain("orderStatus")
  })

  test("does not offer a deleted tool", async () => {
    const { id } = await chattingBot()
    const tool = await newTool(id)
    await client.delete(at(id, tool.id))
    endpoint.answers(() => Response.json({}))
    await modelCalls({ orderId: "1" })
    expect((await client.chat(id, "Where?")).tool_results).toMatchObject([
      { result: { error: expect.stringContaining("There is no tool orderStatus") } },
    ])
    expect(endpoint.asked).toEqual([])
  })
})
