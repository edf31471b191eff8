import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ApiKey } from "../../../src/domain/keys/ApiKey.ts"
import { AuditEntry } from "../../../src/domain/audit/AuditEntry.ts"
import { VisitorSession, WidgetConfig } from "../../../src/domain/widget/Widget.ts"
import { type Client, invalid, problem, read, type Reply, until } from "../../lib/Client.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client, query } = await sharedServer()
const visitor = client.withKey(undefined)

const keys = "/api/admin/api-keys"
const Made = Schema.Struct({ api_key: ApiKey, key: Schema.String })
const website = (chatbot: string, more: object = {}) => ({
  name: "Website",
  kind: "publishable",
  chatbot_id: chatbot,
  allowed_origins: ["https://example.com"],
  ...more,
})
const publish = async (chatbot: string, more: object = {}, as: Client = client) =>
  read(Made, await as.post(keys, { json: website(chatbot, more) }))
const keyOf = (reply: Reply) => read(Schema.Struct({ api_key: ApiKey }), reply).api_key
const listed = async () => read(Schema.Struct({ api_keys: Schema.Array(ApiKey) }), await client.get(keys)).api_keys

const open = (key: string, more: object = {}) => visitor.post("/api/widget/sessions", { json: { key, ...more } })
const look = (key: string) => visitor.get(`/api/widget/config/${key}`)
const config = (reply: Reply) => read(Schema.Struct({ config: WidgetConfig }), reply).config
const isGone = (reply: Reply) => reply.status === 404
const secret = "yLwDnJm3TzqV0k5bXhRr9A"

describe("a publishable key", () => {
  test("is bound to a chatbot and to origins, has no scopes, and can be read again", async () => {
    const bot = await client.newChatbot()
    const { api_key, key } = await publish(bot.id, {
      allowed_origins: ["https://example.com", "https://*.example.com"],
    })
    expect(key).toMatch(/^pub_[0-9A-Za-z]{28}$/)
    expect(api_key).toMatchObject({
      kind: "publishable",
      public_key: key,
      chatbot_id: bot.id,
      allowed_origins: ["https://example.com", "https://*.example.com"],
      scopes: [],
      prefix: key.slice(0, 8),
    })
    expect((await listed()).find(({ id }) => id === api_key.id)?.public_key).toBe(key)
  })

  test("opens the widget of its chatbot, public or not", async () => {
    const bot = await client.newChatbot({
      name: "Support",
      settings: { greeting: "Ahoy!", snippet: { slogan: "We help", primaryColor: "#abc" } },
    })
    await client.patch(`/api/external/chatbot/${bot.id}/chat-widget`, {
      json: { header: "Ask us", secondaryColor: "#11223344" },
    })
    const { key } = await publish(bot.id)
    expect(config(await look(key))).toEqual({
      key,
      chatbot_id: bot.id,
      header: "Ask us",
      name: "Support",
      slogan: "We help",
      logo: "",
      avatar: "",
      primary_color: "#aabbcc",
      secondary_color: "#112233",
      language: "auto",
      greeting: "Ahoy!",
      disclosure: "",
      suggestions: [],
      launcher: { icon: "chat", size: "medium", side: "right", text: "" },
      translations: {},
      is_email_requested: false,
      is_active: true,
      handover: null,
      attachments: false,
      voice: null,
    })
    const session = read(VisitorSession, await open(key, { visitor_secret: secret }))
    expect(session.visitor).toEqual({ id: session.visitor.id, is_verified: false })
    expect(Date.parse(session.expires_at)).toBeGreaterThan(Date.now())
    expect(read(VisitorSession, await open(key, { visitor_secret: secret })).visitor).toEqual(session.visitor)
  })

  test("shows the voice agent with its defaults, once it is configured", async () => {
    const bot = await client.newChatbot()
    const text = { startCall: "Talk to us" }
    await client.patch(`/api/external/chatbot/${bot.id}/voice-agent`, {
      json: { voice: "coral", text, vad: { threshold: 0.7 }, model: { temperature: 0 } },
    })
    const { key } = await publish(bot.id)
    expect(config(await look(key)).voice).toEqual({
      listening: "browser",
      speaking: "browser",
      voice: "coral",
      appearance: {},
      avatar: "",
      text,
      vad: { threshold: 0.7, prefix_padding_ms: 300, silence_duration_ms: 700 },
    })
  })

  test("shows the operator's questions, button and words in other languages", async () => {
    const bot = await client.newChatbot()
    const path = `/api/external/chatbot/${bot.id}/chat-widget`
    const stored = async () => Object((await client.get(path)).body).chat_widget_config
    const empty = await stored()
    const own = {
      suggestions: ["When does it sail?"],
      disclosure: "A program answers.",
      launcher: { icon: "question", text: "Ask us" },
      translations: {
        de: { greeting: "Moin!", disclosure: "Hier antwortet ein Programm.", suggestions: ["Wann fährt sie?"] },
        "pt-BR": { slogan: "Oi" },
      },
    }
    expect((await client.patch(path, { json: own })).status).toBe(200)
    expect(await stored()).toEqual({ ...empty, ...own })
    const { key } = await publish(bot.id)
    expect(config(await look(key))).toMatchObject({
      ...own,
      launcher: { icon: "question", size: "medium", side: "right", text: "Ask us" },
    })
    expect(Object((await client.get(`/api/external/chatbot/${bot.id}`)).body).chatbot.suggestions).toEqual(
      own.suggestions,
    )
    // What is sent back as it was read changes nothing, and what is emptied is gone.
    expect((await client.patch(path, { json: await stored() })).status).toBe(200)
    const cleared = {
      disclosure: "",
      suggestions: [],
      launcher: { icon: null, text: "" },
      translations: { de: null, "pt-BR": { slogan: "" } },
    }
    expect((await client.patch(path, { json: cleared })).status).toBe(200)
    expect(await stored()).toEqual(empty)
    expect(Object((await client.get(`/api/external/chatbot/${bot.id}`)).body).chatbot.suggestions).toBeNull()
    for (const json of [
      { translations: { "not a tag": { greeting: "?" } } },
      { translations: { de: { colour: "red" } } },
      { launcher: { icon: "rocket" } },
      { suggestions: Array.from({ length: 7 }, (_, index) => `Question ${index}`) },
      { suggestions: [""] },
    ]) {
      problem(await client.patch(path, { json }), 400, "invalid_request")
    }
  })

  test("is refused as an API key everywhere, in words that say what it is for", async () => {
    const bot = await client.newChatbot()
    const { key } = await publish(bot.id)
    const { token } = read(VisitorSession, await open(key))
    const chat = { json: { messages: [{ role: "user", content: "Hello" }], model: bot.id } }
    for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
      for (const reply of [
        await visitor.get(`/api/external/chatbot/${bot.id}/conversations`, { headers }),
        await visitor.post(`/api/external/chatbot/${bot.id}/chat`, { ...chat, headers }),
        await visitor.get(keys, { headers }),
      ]) {
        expect(problem(reply, 401, "unauthorized").detail).toContain("good for the chat widget only")
      }
      const openAi = await visitor.post("/v1/chat/completions", { ...chat, headers })
      expect([openAi.status, openAi.text]).toEqual([401, expect.stringContaining("good for the chat widget only")])
      const mcp = await visitor.post(`/mcp/${bot.id}`, { json: { jsonrpc: "2.0", id: 1, method: "ping" }, headers })
      expect([mcp.status, mcp.text]).toEqual([401, expect.stringContaining("good for the chat widget only")])
    }
    // Nor is a visitor's token one.
    problem(await client.withKey(token).get(`/api/external/chatbot/${bot.id}/conversations`), 401, "unauthorized")
    // And a secret key opens no widget.
    problem(await open(client.key ?? ""), 404, "not_found")
  })

  test("is refused with what only the other kind has", async () => {
    const bot = await client.newChatbot()
    const made = (more: object) => client.post(keys, { json: website(bot.id, more) })
    invalid(await made({ scopes: ["chat"] }), "scopes")
    invalid(await made({ allowed_origins: undefined }), "allowed_origins")
    invalid(await made({ allowed_origins: [] }), "allowed_origins")
    invalid(await made({ allowed_origins: ["https://example.com/"] }), "allowed_origins.0")
    invalid(await made({ chatbot_id: undefined }), "chatbot_id")
    invalid(await made({ kind: "public" }), "kind")
    invalid(await client.post(keys, { json: { name: "Secret" } }), "scopes")
    invalid(await made({ kind: "secret", scopes: ["chat"] }), "allowed_origins")
    const { id } = await client.newKey()
    const origins = { allowed_origins: ["https://example.com"] }
    invalid(await client.patch(`${keys}/${id}`, { json: origins }), "allowed_origins")
  })

  test("is made only by a key that may chat itself, and for a chatbot of the same organization", async () => {
    const bot = await client.newChatbot()
    const admin = await client.limitedTo("admin")
    expect(problem(await admin.post(keys, { json: website(bot.id) }), 403, "forbidden").detail).toContain("chat")
    const other = await client.newOrganization()
    problem(await other.post(keys, { json: website(bot.id) }), 404, "not_found")
  })

  test("may be given another name, other origins and a budget, which the audit log has", async () => {
    const bot = await client.newChatbot()
    const { api_key } = await publish(bot.id)
    const change = { name: "Shop", allowed_origins: ["*"], budget: { tokens_per_day: 1_000 } }
    const changed = keyOf(await client.patch(`${keys}/${api_key.id}`, { json: change }))
    expect(changed).toMatchObject({ ...change, budget: { tokens_per_day: 1_000, concurrent_chats: null } })
    // What is shown can be sent back.
    expect(keyOf(await client.patch(`${keys}/${api_key.id}`, { json: { ...changed } }))).toEqual(changed)
    invalid(await client.patch(`${keys}/${api_key.id}`, { json: { public_key: "pub_x" } }), "public_key")
    await client.delete(`${keys}/${api_key.id}`)
    const { entries } = read(
      Schema.Struct({ entries: Schema.Array(AuditEntry) }),
      await client.get(`/api/admin/audit-log?target_id=${api_key.id}`),
    )
    expect(entries.map(({ action }) => action)).toEqual(["api_key.revoked", "api_key.updated", "api_key.created"])
    expect(entries[1]).toMatchObject({ before: { name: "Website", allowed_origins: ["https://example.com"] } })
    expect(entries[2]).toMatchObject({ after: { kind: "publishable", chatbot_id: bot.id } })
  })

  test("opens nothing once it is revoked, has expired, or its chatbot is deleted", async () => {
    const bot = await client.newChatbot()
    const [revoked, expiring, left] = [
      await publish(bot.id),
      await publish(bot.id, { expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
      await publish(bot.id),
    ]
    for (const { key } of [revoked, expiring, left]) expect((await look(key)).status).toBe(200)
    await client.delete(`${keys}/${revoked.api_key.id}`)
    await until(() => look(revoked.key), isGone)
    problem(await open(revoked.key), 404, "not_found")
    await query(
      SystemSql.use((sql) => sql`update api_keys set expires_at = now() where id = ${expiring.api_key.id}::uuid`),
    )
    await until(() => open(expiring.key), isGone)
    expect((await open(left.key)).status).toBe(201)
    await client.delete(`/api/external/chatbot/${bot.id}`)
    await until(() => open(left.key), isGone)
  })

  test("is recorded as used, with its first use in the audit log", async () => {
    const bot = await client.newChatbot()
    const { api_key, key } = await publish(bot.id)
    await look(key)
    await until(listed, (keys) => keys.find(({ id }) => id === api_key.id)?.last_used_at !== null)
    const log = await client.get(`/api/admin/audit-log?target_id=${api_key.id}&action=api_key.first_used`)
    expect(log.text).toContain(api_key.id)
  })
})

describe("a public chatbot", () => {
  test("is embedded by its id alone, until it is public no longer", async () => {
    const bot = await client.newChatbot({ is_public: true })
    expect(config(await look(bot.id.toUpperCase()))).toMatchObject({ key: bot.id, chatbot_id: bot.id })
    expect((await open(bot.id)).status).toBe(201)
    // A slug names a chatbot only in the address of its page.
    problem(await open(bot.slug), 404, "not_found")
    await client.patch(`/api/external/chatbots?id=${bot.id}`, { json: { is_public: false } })
    await until(() => open(bot.id), isGone)
  })

  test("whose slug is the id of another chatbot does not stand in the other's place", async () => {
    const bot = await client.newChatbot()
    const stranger = await client.newOrganization()
    await stranger.newChatbot({ is_public: true, slug: bot.id })
    problem(await open(bot.id), 404, "not_found")
    for (const page of ["widget", "chat"]) expect((await visitor.get(`/${page}/${bot.id}`)).status).toBe(404)
  })

  test("is what only `is_public` makes it", async () => {
    const bot = await client.newChatbot()
    const missing = problem(await open(bot.id), 404, "not_found").detail
    expect(problem(await look(bot.id), 404, "not_found").detail).toBe(missing)
    for (const key of [crypto.randomUUID(), "pub_0000000000000000000000000000", "pub_x", "a'; --", "__proto__"]) {
      expect(problem(await open(key), 404, "not_found").detail).toBe(missing)
    }
    invalid(await open(""), "key")
    invalid(await open("x".repeat(65)), "key")
    invalid(await open(bot.id, { visitor_secret: "short" }), "visitor_secret")
    invalid(await open(bot.id, { email: "ada@example.com" }), "email")
  })
})
