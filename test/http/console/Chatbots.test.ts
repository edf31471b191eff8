import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { OneChatbot, problem, read } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"

const server = await startServer({
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
})
const { client } = server
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const at = (id: string, rest: string) => `/api/external/chatbot/${id}/${rest}`

/** A server whose endpoints say what they were sent. */
const endpoint = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const secret = request.headers.get("x-secret")
    return pathname === "/broken"
      ? new Response("Out of order", { status: 500 })
      : Response.json({
          pathname,
          query: Object.fromEntries(searchParams),
          hasSecret: secret === "s3cr3t-value",
          secret,
        })
  },
})
const tool = {
  name: "orderStatus",
  description: "Tells where an order is.",
  input_schema: { type: "object", properties: { id: { type: "string" }, unit: { type: "string" } }, required: ["id"] },
  url: `http://127.0.0.1:${endpoint.port}/orders/{id}`,
  headers: { "X-Secret": "s3cr3t-value" },
}
const Tool = Schema.Struct({ tool: Schema.Struct({ id: Schema.String }) })
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])

describe("a copy of a chatbot", () => {
  test("has its settings, widget, voice, avatar, tools and tests, and none of its contents", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot({ name: "Support", is_public: true, settings: { prompt: "Be brief." } })
    await mine.patch(at(id, "chat-widget"), { json: { slogan: "We help" } })
    await mine.patch(at(id, "voice-agent"), { json: { temperature: 0.5 } })
    await mine.post(at(id, "tools"), { json: tool })
    await mine.post(at(id, "tests"), { json: { question: "Why?", expectations: { refusal: "must" }, tags: ["a"] } })
    await mine.patch(at(id, "test-plan"), { json: { repeats: 3 } })
    const form = new FormData()
    form.set("avatar", new Blob([png]), "a.png")
    expect((await mine.patch(at(id, "update-avatar"), { form })).status).toBe(200)
    await mine.learn(id, { "a.txt": "Some text to know." })
    await mine.chat(id, "Hello", { sessionToken: "visitor" })

    const reply = await mine.post(at(id, "duplicate"), { json: {} })
    expect(reply.headers.get("etag")).toBe('"1"')
    const [original, { chatbot: copy }] = [await mine.chatbot(id), read(OneChatbot, reply)]
    expect(copy).toMatchObject({ name: "Support (copy)", slug: "support-copy", is_public: false, active: true })
    expect(copy.settings.prompt).toBe("Be brief.")
    expect(copy.voice_widget_config).toEqual(original.voice_widget_config)
    expect((await mine.get(at(copy.id, "chat-widget"))).body).toMatchObject({
      chat_widget_config: { slogan: "We help" },
    })
    expect(await mine.documents(copy.id)).toEqual([])
    expect((await mine.get(at(copy.id, "conversations"))).body).toMatchObject({ data: [] })

    expect((await mine.get(at(copy.id, "tests"))).body).toMatchObject({
      data: [{ chatbot_id: copy.id, question: "Why?", expectations: { refusal: "must" }, tags: ["a"] }],
    })
    expect((await mine.get(at(copy.id, "test-plan"))).body).toMatchObject({ plan: { repeats: 3 } })

    // Each owns its avatar: that of the copy outlives the original.
    expect(copy.settings.avatar).not.toBe(original.settings.avatar)
    await mine.delete(`/api/external/chatbot/${id}`)
    const avatar = await mine.get(copy.settings.avatar ?? "")
    expect([avatar.status, avatar.headers.get("content-type")]).toEqual([200, "image/png"])

    // The secret headers are the copy's own, and readable there.
    const { body } = await mine.get(at(copy.id, "tools"))
    expect(body).toMatchObject({ tools: [{ name: "orderStatus", headers: { "x-secret": null } }] })
    const { tools } = read(
      Schema.Struct({ tools: Schema.Array(Schema.Struct({ id: Schema.String })) }),
      await mine.get(at(copy.id, "tools")),
    )
    const tried = await mine.post(at(copy.id, `tools/${tools[0]?.id}/try`), { json: { input: { id: "A-1" } } })
    expect(tried.body).toMatchObject({ trial: { is_failure: false, result: { hasSecret: true } } })
    const log = await mine.get(`/api/admin/audit-log?action=chatbot.created&target_id=${copy.id}`)
    expect(log.body).toMatchObject({ entries: [{ after: { copy_of: id, slug: "support-copy" } }] })
  })

  test("has the name and the slug that are asked for, which may not be taken", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot({ name: "Support" })
    const { chatbot } = read(
      OneChatbot,
      await mine.post(at(id, "duplicate"), { json: { name: "Sales", slug: "sell" } }),
    )
    expect(chatbot).toMatchObject({ name: "Sales", slug: "sell" })
    problem(await mine.post(at(id, "duplicate"), { json: { slug: "support" } }), 409, "slug_taken")
    const again = read(OneChatbot, await mine.post(at(id, "duplicate"), { json: {} }))
    const third = read(OneChatbot, await mine.post(at(id, "duplicate"), { json: {} }))
    expect([again.chatbot.slug, third.chatbot.slug]).toEqual(["support-copy", "support-copy-2"])
    const long = await mine.newChatbot({ name: "x".repeat(199) + "y" })
    expect(read(OneChatbot, await mine.post(at(long.id, "duplicate"), { json: {} })).chatbot.name).toHaveLength(200)
    problem(await mine.post(at(id, "duplicate"), { json: { prompt: "x" } }), 400, "invalid_request")
  })

  test("is refused to other organizations, bound keys and readers, and beyond the quota", async () => {
    const [mine, other] = [await client.newOrganization(), await client.newOrganization()]
    const { id } = await mine.newChatbot()
    problem(await other.post(at(id, "duplicate"), { json: {} }), 404, "not_found")
    problem(await mine.post(at(nowhere, "duplicate"), { json: {} }), 404, "not_found")
    const bound = (await mine.newKey({ chatbot_id: id })).client
    problem(await bound.post(at(id, "duplicate"), { json: {} }), 403, "forbidden")
    problem(await (await mine.limitedTo("chatbots:read")).post(at(id, "duplicate"), { json: {} }), 403, "forbidden")
  })
})

describe("a trial of a tool", () => {
  const makeTool = async (json: object = tool) => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    const made = read(Tool, await mine.post(at(id, "tools"), { json }))
    return { mine, chatbot: id, path: at(id, `tools/${made.tool.id}/try`) }
  }

  test("sends what a model would send, and shows what it would see, without the secret", async () => {
    const { mine, path } = await makeTool()
    const { body } = await mine.post(path, { json: { input: { id: "A 1", unit: "km" } } })
    expect(body).toEqual({
      trial: {
        result: { pathname: "/orders/A%201", query: { unit: "km" }, hasSecret: true, secret: expect.any(String) },
        is_failure: false,
        request: {
          method: "GET",
          url: `http://127.0.0.1:${endpoint.port}/orders/A%201?unit=km`,
          header_names: ["accept", "user-agent", "x-secret"],
        },
        status: 200,
        duration_ms: expect.any(Number),
      },
    })
    expect(JSON.stringify(body)).not.toContain("s3cr3t-value")
    const log = await mine.get("/api/admin/audit-log?action=tool.tried")
    expect(log.body).toMatchObject({ entries: [{ after: { name: "orderStatus", method: "GET" } }] })
  })

  test("of a declaration needs no stored tool, and stores none", async () => {
    const { chatbot, mine } = await makeTool()
    const json = { tool: { ...tool, name: "unsaved", method: "POST" }, input: { id: "B" } }
    expect((await mine.post(at(chatbot, "tools/try"), { json })).body).toMatchObject({
      trial: { is_failure: false, request: { method: "POST" }, result: { pathname: "/orders/B" } },
    })
    expect((await mine.get(at(chatbot, "tools"))).body).toMatchObject({ tools: [{ name: "orderStatus" }] })
    const reserved = { ...json, tool: { ...tool, name: "searchKnowledgeBase" } }
    problem(await mine.post(at(chatbot, "tools/try"), { json: reserved }), 409, "conflict")
    const elsewhere = { ...json, tool: { ...tool, url: "http://10.0.0.1/" } }
    problem(await mine.post(at(chatbot, "tools/try"), { json: elsewhere }), 400, "invalid_request")
  })

  test("tells of input that does not fit and of an endpoint that fails, as a model is told", async () => {
    const { mine, path } = await makeTool()
    expect((await mine.post(path, { json: { input: { unit: 1 } } })).body).toMatchObject({
      trial: {
        is_failure: true,
        request: null,
        status: null,
        result: { error: expect.stringContaining("Invalid input") },
      },
    })
    const broken = await makeTool({
      ...tool,
      url: `http://127.0.0.1:${endpoint.port}/broken`,
      input_schema: { type: "object" },
    })
    expect((await broken.mine.post(broken.path, { json: { input: {} } })).body).toMatchObject({
      trial: {
        is_failure: true,
        status: 500,
        result: { error: "The server answered with status 500.", answer: "Out of order" },
      },
    })
    problem(await mine.post(path, { json: { input: "A-1" } }), 400, "invalid_request")
  })

  test("is refused to other organizations, and to keys that may not change chatbots or serve another one", async () => {
    const { mine, path } = await makeTool()
    const json = { input: { id: "A" } }
    problem(await (await client.newOrganization()).post(path, { json }), 404, "not_found")
    problem(await (await mine.limitedTo("chatbots:read", "chat")).post(path, { json }), 403, "forbidden")
    const bound = (await mine.newKey({ chatbot_id: (await mine.newChatbot()).id })).client
    problem(await bound.post(path, { json }), 403, "forbidden")
  })
})
