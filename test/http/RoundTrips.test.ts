import { describe, expect, test } from "bun:test"
import { Schema, Struct } from "effect"
import * as fc from "fast-check"
import { OneChatbot, problem, read, type Reply, wrongPaths } from "../lib/Client.ts"
import { callTool, connectMcp } from "../lib/Mcp.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { operator: client, stored, url } = await sharedServer()

const chatbots = "/api/external/chatbots"
const at = (id: string, rest = "") => `/api/external/chatbot/${id}${rest}`
const Body = Schema.Record(Schema.String, Schema.Json)
const Shown = Schema.Struct({ chatbot: Body })

/** A chatbot as `GET` shows it. */
const shown = async (id: string) => read(Shown, await client.get(at(id))).chatbot
const update = (id: string, json: unknown) => client.patch(`${chatbots}?id=${id}`, { json })

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const upload = (id: string) => {
  const form = new FormData()
  form.set("avatar", new File([png], "me.png"))
  return client.patch(at(id, "/update-avatar"), { form })
}

/** The changes of a chatbot; each leaves it in another state. */
const operations: Readonly<Record<string, (id: string, text: string, number: number) => Promise<Reply>>> = {
  name: (id, text) => update(id, { name: `N ${text}`, description: text, is_public: text.length > 3 }),
  settings: (id, text) => update(id, { settings: { prompt: text, snippet: { header: text, primaryColor: "#abc" } } }),
  fallbacks: (id, _, number) =>
    update(id, { settings: { fallbackModels: Array.from({ length: number % 3 }, () => "local/extractive") } }),
  noFallbacks: (id) => update(id, { settings: { fallbackModels: null } }),
  active: (id, _, number) => update(id, { active: number % 2 === 0 }),
  avatar: (id) => upload(id),
  noAvatar: (id) => update(id, { settings: { avatar: null } }),
  widget: (id, text) => client.patch(at(id, "/chat-widget"), { json: { header: text, language: "de" } }),
  voice: (id, text, number) =>
    client.patch(at(id, "/voice-agent"), {
      json: { voice: `v${text}`.slice(0, 64), vad: { threshold: (number % 10) / 10 }, text: { startCall: text } },
    }),
  lessVoice: (id) =>
    client.patch(at(id, "/voice-agent"), { json: { voice: null, vad: null, text: { startCall: null } } }),
  voiceInside: (id, text) => update(id, { voice_widget_config: { text: { endCall: text } } }),
  noVoice: (id) => update(id, { voice_widget_config: null }),
}

describe("a resource as GET shows it", () => {
  test("can be sent back in any state of a chatbot, which changes nothing but `updated_at`", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom(...Object.keys(operations)),
            fc.string({ maxLength: 20 }),
            fc.integer({ min: 0, max: 9 }),
          ),
          { maxLength: 6 },
        ),
        async (steps) => {
          const { id } = await client.newChatbot()
          for (const [name, text, number] of steps) {
            const clean = text.toWellFormed().replaceAll("\u0000", "")
            expect((await operations[name]?.(id, clean, number))?.status).toBe(200)
          }
          const before = await shown(id)
          const widget = read(Body, await client.get(at(id, "/chat-widget")))["chat_widget_config"]
          const voice = read(Body, await client.get(at(id, "/voice-agent")))["voice_widget_config"]
          expect(voice).toEqual(before["voice_widget_config"] ?? null)
          const reply = await update(id, before)
          expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
          expect((await client.patch(at(id, "/chat-widget"), { json: widget })).body).toMatchObject({
            chat_widget_config: widget,
          })
          if (voice !== null) {
            expect((await client.patch(at(id, "/voice-agent"), { json: voice })).body).toMatchObject({
              voice_widget_config: voice,
            })
          }
          const { updated_at, ...after } = await shown(id)
          expect(updated_at).not.toEqual(before["updated_at"] ?? null)
          expect<unknown>(after).toEqual(Struct.omit(before, ["updated_at"]))
        },
      ),
      { numRuns: 25 },
    ))

  test("can be sent back when its model does not exist any more", async () => {
    const { id } = await client.newChatbot()
    const before = await shown(id)
    const settings = { ...read(Body, { status: 200, headers: new Headers(), text: "", body: before["settings"] }) }
    expect(wrongPaths(await update(id, { ...before, settings: { ...settings, model: "gone-1" } }))).toEqual([
      "settings.model",
    ])
    expect((await update(id, { ...before, settings: { ...settings, prompt: "New" } })).status).toBe(200)
  })

  test.each([
    ["id", "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
    ["organization_id", "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
    ["created_at", "2026-11-20T11:30:00.000+00:00"],
    ["updated_at", "2026-11-20T11:30:00.000+00:00"],
    ["migrated_data", true],
    ["llm_api_key", "sk-1"],
    ["managers", []],
    ["unknown", null],
  ])("is refused where %s is another than the stored one", async (field, value) => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await update(id, { ...(await shown(id)), name: "Lost", [field]: value }))).toEqual([field])
    expect((await client.chatbot(id)).name).toBe("Support")
  })

  test("cannot be sent back with another address of the avatar", async () => {
    const { id } = await client.newChatbot()
    await upload(id)
    const other = { settings: { avatar: "https://example.com/a.png" } }
    expect(wrongPaths(await update(id, other))).toEqual(["settings.avatar"])
    expect((await client.chatbot(id)).settings.avatar).toStartWith(url)
  })

  test("can be sent back for tools, organizations and keys", async () => {
    const { id } = await client.newChatbot()
    const made = await client.post(at(id, "/tools"), {
      json: {
        name: "orderStatus",
        description: "Tells where an order is.",
        url: "https://shop.example.com/{orderId}",
        input_schema: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
        headers: { authorization: "Bearer s3cr3t" },
      },
    })
    const { tool } = read(Schema.Struct({ tool: Body }), made)
    const toolPath = at(id, `/tools/${String(tool["id"])}`)
    const again = await client.patch(toolPath, { json: tool })
    expect(again.body).toEqual({ tool: { ...tool, updated_at: expect.any(String) } })
    // A schema is replaced as a whole, even when it differs only in part.
    const smaller = { type: "object", properties: { orderId: { type: "string", maxLength: 9 } }, required: ["orderId"] }
    expect(
      (await client.patch(toolPath, { json: { ...tool, updated_at: undefined, input_schema: smaller } })).body,
    ).toEqual({
      tool: { ...tool, input_schema: smaller, updated_at: expect.any(String) },
    })
    expect(wrongPaths(await client.patch(toolPath, { json: { ...tool, id, updated_at: undefined } }))).toEqual(["id"])

    const Organizations = Schema.Struct({ organizations: Schema.Array(Body) })
    const { organizations } = read(Organizations, await client.get("/api/admin/organizations"))
    const organization = organizations[0] ?? {}
    const organizationPath = `/api/admin/organizations/${String(organization["id"])}`
    expect((await client.patch(organizationPath, { json: organization })).body).toEqual({ organization })
    expect(wrongPaths(await client.patch(organizationPath, { json: { is_operator: false } }))).toEqual(["is_operator"])

    const { id: keyId } = await client.newKey()
    const keys = read(Schema.Struct({ api_keys: Schema.Array(Body) }), await client.get("/api/admin/api-keys"))
    const api_key = keys.api_keys.find((one) => one["id"] === keyId) ?? {}
    expect((await client.patch(`/api/admin/api-keys/${keyId}`, { json: api_key })).body).toEqual({ api_key })
    expect(wrongPaths(await client.patch(`/api/admin/api-keys/${keyId}`, { json: { scopes: [] } }))).toEqual(["scopes"])
  })
})

describe("null", () => {
  test("removes the avatar and its file", async () => {
    const { id } = await client.newChatbot()
    const before = new Set(stored("avatars"))
    const own = () => stored("avatars").filter((name) => !before.has(name))
    await upload(id)
    expect(own()).toHaveLength(1)
    const { chatbot } = read(OneChatbot, await update(id, { settings: { avatar: null, greeting: "Hi" } }))
    expect(chatbot.settings).not.toHaveProperty("avatar")
    expect(chatbot.settings.greeting).toBe("Hi")
    expect(own()).toEqual([])
    expect((await update(id, { settings: { avatar: null } })).status).toBe(200)
  })

  test("unsets fields of the voice agent, groups of fields, and the whole configuration", async () => {
    const { id } = await client.newChatbot()
    const patch = (json: object) => client.patch(at(id, "/voice-agent"), { json })
    const voiceAgent = async (id: string) =>
      read(Schema.Struct({ voice_widget_config: Schema.Unknown }), await client.get(at(id, "/voice-agent")))
        .voice_widget_config
    await patch({ voice: "alloy", model: { temperature: 1, max_output_tokens: 9 }, vad: { threshold: 1 } })
    expect((await patch({ voice: null, model: { temperature: null }, vad: null })).body).toMatchObject({
      voice_widget_config: { model: { max_output_tokens: 9 } },
    })
    expect(await voiceAgent(id)).toStrictEqual({ model: { max_output_tokens: 9 } })
    expect((await update(id, { voice_widget_config: null })).body).toMatchObject({
      chatbot: { voice_widget_config: null },
    })
    expect(await voiceAgent(id)).toBeNull()
  })

  test("is refused for required fields", async () => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await update(id, { name: null, settings: null, active: null })).toSorted()).toEqual([
      "active",
      "name",
      "settings",
    ])
    expect(wrongPaths(await client.patch(at(id, "/chat-widget"), { json: { header: null } }))).toEqual(["header"])
  })
})

describe("the configurations of widget and voice", () => {
  test("can be read with their version by any key with the scope chatbots:read", async () => {
    const { id } = await client.newChatbot()
    const reader = await client.limitedTo("chatbots:read")
    for (const part of ["/chat-widget", "/voice-agent"]) {
      const reply = await reader.get(at(id, part))
      expect([reply.status, reply.headers.get("etag")]).toEqual([200, (await client.get(at(id))).headers.get("etag")])
      problem(await (await client.limitedTo("chatbots:write")).get(at(id, part)), 403, "forbidden")
      problem(await (await client.newOrganization()).get(at(id, part)), 404, "not_found")
    }
    const empty = { header: "", language: "", logo: "", name: "", primaryColor: "", secondaryColor: "", slogan: "" }
    expect((await reader.get(at(id, "/chat-widget"))).body).toStrictEqual({ chat_widget_config: empty })
  })
})

describe("a chatbot that is not active", () => {
  test("refuses chats in the form of each dialect, and answers everything else", async () => {
    const { id, slug } = await client.newChatbot({ active: false })
    await client.learn(id, { "handbook.md": "# Handbook\n\nRefunds take five days.\n" })
    const messages = [{ role: "user", content: "How long do refunds take?" }]
    problem(await client.post(at(id, "/chat"), { json: { messages, sessionToken: "s" } }), 409, "chatbot_inactive")
    problem(await client.post(at(id, "/chat?stream=true"), { json: { messages } }), 409, "chatbot_inactive")
    for (const stream of [false, true]) {
      const reply = await client.post("/v1/chat/completions", { json: { model: slug, messages, stream } })
      expect(reply.status).toBe(409)
      expect(reply.body).toMatchObject({ error: { type: "invalid_request_error", code: "chatbot_inactive" } })
    }
    const { mcp } = await connectMcp(`${url}/mcp/${id}`, { authorization: `Bearer ${client.key}` })
    const call = await callTool(mcp, "chat", { message: "How long do refunds take?" })
    expect(call.isError).toBe(true)
    expect(JSON.stringify(call.content)).toContain("chatbot_inactive")
    const found = await callTool(mcp, "search_knowledge", { query: "How long do refunds take?" })
    expect(JSON.stringify(found.structuredContent)).toContain("five days")
    await mcp.close()
    // A refused question is not stored.
    problem(await client.get(at(id, "/conversations/s/messages")), 404, "not_found")
    expect(await client.found(id, "refunds")).toHaveLength(1)

    expect((await update(id, { active: true })).body).toMatchObject({ chatbot: { active: true } })
    expect((await client.chat(id, "How long do refunds take?")).output).toContain("five days")
  })
})

describe("names", () => {
  test.each([" ", "\n\t ", "\u200b", "\u2060\ufeff", "\u3164", "\u2800\u00a0", "\u00ad", "\ufe0f"])(
    "of blank characters only are refused: %j",
    async (name) => {
      expect(wrongPaths(await client.post(chatbots, { json: { name } }))).toEqual(["name"])
      expect(wrongPaths(await update((await client.newChatbot()).id, { name }))).toEqual(["name"])
      expect(wrongPaths(await client.post("/api/admin/organizations", { json: { name } }))).toEqual(["name"])
      expect(wrongPaths(await client.post("/api/admin/api-keys", { json: { name, scopes: ["chat"] } }))).toEqual([
        "name",
      ])
    },
  )

  test.each(["x", "🙂", " padded ", "한국어", "ไทย", "❤️"])(
    "with a visible character are accepted: %j",
    async (name) => {
      expect((await client.newChatbot({ name })).name).toBe(name)
    },
  )
})

describe("ids", () => {
  const strange = [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "01234567-89ab-cdef-0123-456789abcdef",
    "F47AC10B-58CC-4372-A567-0E02B2C3D479",
  ]
  test.each(strange)("of any UUID version are accepted and found unknown: %s", async (nothing) => {
    const { id } = await client.newChatbot()
    const paths = [
      at(nothing),
      at(nothing, "/conversations"),
      at(nothing, "/knowledge-base"),
      at(id, `/knowledge-base/documents/${nothing}`),
      at(id, `/tools/${nothing}`),
      at(id, `/conversations/${nothing}`),
      `/api/admin/api-keys?organization_id=${nothing}`,
    ]
    for (const path of paths) expect([path, (await client.get(path)).status]).toEqual([path, 404])
    problem(await update(nothing, { name: "A" }), 404, "not_found")
    problem(await client.delete(at(id, `/knowledge-base?id=${nothing}`)), 404, "not_found")
    problem(await client.delete(`/api/admin/api-keys/${nothing}`), 404, "not_found")
  })

  test("in upper case name the same resources", async () => {
    const { id } = await client.newChatbot()
    const upper = id.toUpperCase()
    expect((await client.get(at(upper))).body).toEqual((await client.get(at(id))).body)
    expect((await client.patch(`${chatbots}?id=${upper}&chatbotId=${id}`, { json: { name: "One" } })).status).toBe(200)
    const [document] = await client.learn(upper, { "a.md": "# A\n\nRefunds take five days.\n" })
    const replaced = await client.replace(upper, document?.id.toUpperCase() ?? "", "b.md", "# B\n\nSix days.\n", {
      query: `?id=${document?.id}`,
    })
    expect(replaced.status).toBe(200)
    expect(await client.found(upper, "days")).toEqual(await client.found(id, "days"))
    const { session_id } = await client.chat(upper, "Hi")
    expect((await client.session(id, session_id.toUpperCase())).id).toBe(session_id)
    const bound = (await client.newKey({ chatbot_id: upper })).client
    expect((await bound.get(at(id))).status).toBe(200)
    expect((await bound.get(at(upper))).status).toBe(200)
    const { mcp } = await connectMcp(`${url}/mcp/${upper}`, { authorization: `Bearer ${bound.key}` })
    expect((await callTool(mcp, "search_knowledge", { query: "days", chatbot_id: id })).isError).not.toBe(true)
    await mcp.close()
  })

  test.each(["", "seven", "{01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b}", "01a9b7c21f2e7c3d8a4b5c6d7e8f9a0b"])(
    "that are not UUIDs are refused: %j",
    async (id) => {
      expect(wrongPaths(await client.patch(`${chatbots}?id=${encodeURIComponent(id)}`, { json: {} }))).toEqual([
        "query.id",
      ])
    },
  )
})

describe("earlier replies that a client sends", () => {
  test("are stored with empty lists of tool calls rather than null", async () => {
    const { id } = await client.newChatbot()
    await client.post(at(id, "/chat"), {
      json: {
        sessionToken: "imported",
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "Hello" },
          { role: "user", content: "And?" },
        ],
      },
    })
    const [question, reply] = await client.messages(id, "imported")
    expect(question).toMatchObject({ sender_type: "user", tool_calls: null, tool_results: null })
    expect(reply).toMatchObject({ sender_type: "bot", content: "Hello", tool_calls: [], tool_results: [] })
  })
})
