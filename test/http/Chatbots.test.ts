import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { OneChatbot, problem, read, type Reply, wrongPaths } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, stored, url } = await sharedServer()

const chatbots = "/api/external/chatbots"
const at = (id: string, rest = "") => `/api/external/chatbot/${id}${rest}`
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/

const ListPage = Schema.Struct({
  chatbots: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  next_cursor: Schema.NullOr(Schema.String),
})

/** Every field of the specification's Chatbot, with the defaults of a chatbot that was created with a name only. */
const fullChatbot = {
  id: expect.stringMatching(uuid),
  name: "Café Zürich",
  description: "",
  slug: "cafe-zurich",
  active: true,
  is_public: false,
  created_at: expect.stringMatching(timestamp),
  updated_at: expect.stringMatching(timestamp),
  organization_id: expect.stringMatching(uuid),
  personality_config: { tone: expect.any(String), style: expect.any(String) },
  settings: {
    model: "local/extractive",
    prompt: expect.any(String),
    greeting: expect.any(String),
    isToolEnabled: true,
    isRequestUserInfoEnabled: false,
    snippet: {
      header: "Café Zürich",
      logo: "",
      name: "Café Zürich",
      slogan: "",
      primaryColor: "",
      secondaryColor: "",
    },
  },
  llm_api_key: null,
  docs_metadata: null,
  enabled_plugins: null,
  managers: null,
  migrated_data: false,
  suggestions: null,
  v1_chatbot_id: null,
  version_id: null,
  voice_widget_config: null,
}

const everything = {
  name: "Everything",
  description: "All that can be said",
  is_public: true,
  slug: "everything-1",
  personality_config: { tone: "dry", style: "short" },
  settings: {
    model: "claude-sonnet-5-5",
    prompt: "Be right. 🙂",
    greeting: "Grüezi",
    isToolEnabled: false,
    isRequestUserInfoEnabled: true,
    snippet: {
      header: "H",
      logo: "https://example.com/l.png",
      name: "N",
      slogan: "S",
      primaryColor: "#abc",
      secondaryColor: "#11223344",
    },
  },
}

const etag = (reply: Reply) => reply.headers.get("etag") ?? "none"

describe("1. create", () => {
  test("needs only a name, and answers with every field", async () => {
    const reply = await client.post(chatbots, { json: { name: "Café Zürich" } })
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual({ chatbot: fullChatbot, message: "Chatbot created successfully" })
    const { chatbot } = read(OneChatbot, reply)
    expect(chatbot.created_at).toBe(chatbot.updated_at)
    expect(etag(reply)).toMatch(/^"[^"]+"$/)
  })

  test("stores the supplied values", async () => {
    const reply = await client.post(chatbots, { json: everything })
    expect(reply.body).toMatchObject({ chatbot: { ...everything, active: true } })
    const { chatbot } = read(OneChatbot, reply)
    const again = await client.get(at(chatbot.id))
    expect(again.body).toStrictEqual({ chatbot })
    expect(etag(again)).toBe(etag(reply))
  })

  test("derives free slugs from names", async () => {
    const slugs = []
    for (const name of ["Größe 7!", "größe -- 7", "Grosse 7-2", "Привет", "!?", "x".repeat(200)]) {
      slugs.push((await client.newChatbot({ name })).slug)
    }
    expect(slugs).toEqual(["grosse-7", "grosse-7-2", "grosse-7-2-2", "privet", "chatbot", "x".repeat(90)])
  })

  test("gives each of many chatbots that are created at once a slug of its own", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => client.newChatbot({ name: "Rush" })))
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(8)
  })

  test("refuses a slug that the organization uses, but not one that another uses", async () => {
    await client.newChatbot({ slug: "taken" })
    problem(await client.post(chatbots, { json: { name: "Second", slug: "taken" } }), 409, "slug_taken")
    const elsewhere = await client.newOrganization()
    expect((await elsewhere.newChatbot({ slug: "taken" })).slug).toBe("taken")
  })

  const long = (length: number) => "x".repeat(length)
  const accepted: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
    ["the shortest name", { name: "a" }],
    ["the longest name", { name: long(200) }],
    ["the longest slug", { slug: long(100) }],
    ["the longest prompt", { settings: { prompt: long(32_000) } }],
    ["a colour of three digits", { settings: { snippet: { primaryColor: "#AbC" } } }],
    ["a colour of six digits", { settings: { snippet: { primaryColor: "#a1b2c3" } } }],
    ["a colour of eight digits", { settings: { snippet: { primaryColor: "#a1b2c3d4" } } }],
  ]
  test.each(accepted)("accepts %s", async (_, input) => {
    expect(await client.newChatbot(input)).toMatchObject(input)
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name that is too long", { name: long(201) }, "name"],
    ["a name that is no text", { name: 1 }, "name"],
    ["NUL in a name", { name: "a\u0000b" }, "name"],
    ["a lone surrogate in a description", { description: "a\ud800b" }, "description"],
    ["a slug with capital letters", { slug: "Slug" }, "slug"],
    ["a slug with two hyphens", { slug: "a--b" }, "slug"],
    ["an empty slug", { slug: "" }, "slug"],
    ["a slug that is too long", { slug: long(101) }, "slug"],
    ["a prompt that is too long", { settings: { prompt: long(32_001) } }, "settings.prompt"],
    ["a colour by name", { settings: { snippet: { primaryColor: "red" } } }, "settings.snippet.primaryColor"],
    ["a colour of four digits", { settings: { snippet: { primaryColor: "#abcd" } } }, "settings.snippet.primaryColor"],
    ["a logo with a javascript address", { settings: { snippet: { logo: "javascript:1" } } }, "settings.snippet.logo"],
    ["a flag that is text", { is_public: "yes" }, "is_public"],
    ["an unknown model", { settings: { model: "gpt-0" } }, "settings.model"],
    [
      "an unknown fallback model",
      { settings: { fallbackModels: ["local/extractive", "gpt-0"] } },
      "settings.fallbackModels.1",
    ],
    ["six fallbacks", { settings: { fallbackModels: Array(6).fill("local/extractive") } }, "settings.fallbackModels"],
    ["synonyms of one word", { settings: { synonyms: [["PTO"]] } }, "settings.synonyms.0"],
    ["a synonym without letters", { settings: { synonyms: [["PTO", "…"]] } }, "settings.synonyms.0.1"],
    ["a synonym with a comma", { settings: { synonyms: [["PTO", "leave, paid"]] } }, "settings.synonyms.0.1"],
    ["a long synonym", { settings: { synonyms: [["PTO", "x".repeat(61)]] } }, "settings.synonyms.0.1"],
    [
      "too many synonyms",
      { settings: { synonyms: Array.from({ length: 201 }, () => ["PTO", "leave"]) } },
      "settings.synonyms",
    ],
    [
      "too many characters of synonyms",
      { settings: { synonyms: Array.from({ length: 100 }, () => ["x".repeat(60), "y".repeat(60)]) } },
      "settings.synonyms",
    ],
    ["an unknown field", { colour: "red" }, "colour"],
    ["an unknown nested field", { settings: { snippet: { logos: "" } } }, "settings.snippet.logos"],
    ["an id", { id: nowhere }, "id"],
    ["an organization", { organization_id: nowhere }, "organization_id"],
    ["a flag that is not a boolean", { active: "no" }, "active"],
    ["a voice", { voice_widget_config: { voice: "alloy" } }, "voice_widget_config"],
    ["a timestamp", { created_at: "2026-11-20T11:30:00.000+00:00" }, "created_at"],
    ["migrated_data", { migrated_data: true }, "migrated_data"],
    ["an avatar", { settings: { avatar: "https://example.com/a.png" } }, "settings.avatar"],
    ["null for a text", { description: null }, "description"],
  ]
  test.each(refused)("refuses %s and names the field", async (_, input, path) => {
    expect(wrongPaths(await client.post(chatbots, { json: { name: "Named", ...input } }))).toEqual([path])
  })

  test("names all invalid fields at once", async () => {
    const reply = await client.post(chatbots, { json: { name: "", slug: "A", settings: { prompt: 1 }, extra: 1 } })
    expect(wrongPaths(reply).toSorted()).toEqual(["extra", "name", "settings.prompt", "slug"])
  })
})

describe("2. update", () => {
  test("merges field by field, within objects too, and leaves the rest", async () => {
    const before = await client.newChatbot({ ...everything, slug: "merged" })
    const reply = await client.patch(`${chatbots}?id=${before.id}`, {
      json: { description: "New", personality_config: { tone: "warm" }, settings: { snippet: { slogan: "Go" } } },
    })
    const expected = {
      ...before,
      description: "New",
      personality_config: { ...before.personality_config, tone: "warm" },
      settings: { ...before.settings, snippet: { ...before.settings.snippet, slogan: "Go" } },
      updated_at: expect.stringMatching(timestamp),
    }
    expect(reply.body).toStrictEqual({ chatbot: expected, message: "Chatbot updated successfully" })
    const after = await client.chatbot(before.id)
    expect(after).toStrictEqual(read(OneChatbot, reply).chatbot)
    expect(after.updated_at > before.updated_at).toBe(true)
  })

  test("keeps all of twenty concurrent changes of different fields", async () => {
    const { id } = await client.newChatbot()
    const texts = {
      settings: ["prompt", "greeting"],
      snippet: ["header", "name", "slogan"],
      personality_config: ["tone", "style"],
    } as const
    const widget = ["header", "name", "slogan"] as const
    const voice = ["callToAction", "endCall", "listeningStatus", "speakingStatus", "startCall"] as const
    const update = (json: object) => client.patch(`${chatbots}?id=${id}`, { json })
    const replies = await Promise.all([
      update({ description: "said" }),
      update({ slug: "concurrent" }),
      update({ name: "Said" }),
      update({ is_public: true }),
      update({ settings: { isToolEnabled: false } }),
      ...texts.settings.map((field) => update({ settings: { [field]: field } })),
      ...texts.snippet.map((field) => update({ settings: { snippet: { [field]: field } } })),
      ...texts.personality_config.map((field) => update({ personality_config: { [field]: field } })),
      ...widget.map((field) => client.patch(at(id, "/chat-widget"), { json: { [field]: field } })),
      ...voice.map((field) => client.patch(at(id, "/voice-agent"), { json: { text: { [field]: field } } })),
    ])
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    const same = (fields: ReadonlyArray<string>) => Object.fromEntries(fields.map((field) => [field, field]))
    expect(await client.chatbot(id)).toMatchObject({
      name: "Said",
      description: "said",
      slug: "concurrent",
      is_public: true,
      personality_config: same(texts.personality_config),
      settings: { isToolEnabled: false, ...same(texts.settings), snippet: same(texts.snippet) },
      voice_widget_config: { text: same(voice) },
    })
    const widgetNow = await client.patch(at(id, "/chat-widget"), { json: {} })
    expect(widgetNow.body).toMatchObject({ chat_widget_config: same(widget) })
  })

  test("needs the chatbot's id, as `id` or `chatbotId`", async () => {
    const { id } = await client.newChatbot()
    const patch = (query: string) => client.patch(`${chatbots}${query}`, { json: { name: "Found" } })
    expect((await patch(`?chatbotId=${id}`)).status).toBe(200)
    expect((await patch(`?id=${id}&chatbotId=${id}`)).status).toBe(200)
    expect(wrongPaths(await patch(""))).toEqual(["query.id"])
    expect(wrongPaths(await patch("?id=7"))).toEqual(["query.id"])
    expect(wrongPaths(await patch(`?id=${id}&chatbotId=${nowhere}`))).toEqual(["query.chatbotId"])
    problem(await patch(`?id=${nowhere}`), 404, "not_found")
  })

  test("shows fallback models and synonyms only while there are any", async () => {
    const { id, settings } = await client.newChatbot()
    expect(settings).not.toHaveProperty("fallbackModels")
    expect(settings).not.toHaveProperty("synonyms")
    const update = async (settings: object) => {
      expect((await client.patch(`${chatbots}?id=${id}`, { json: { settings } })).status).toBe(200)
      return (await client.chatbot(id)).settings
    }
    const fallbackModels = ["openai/llama3.2:3b", "local/extractive"]
    expect(await update({ fallbackModels })).toEqual({ ...settings, fallbackModels })
    expect(await update({ greeting: "Hi!" })).toEqual({ ...settings, greeting: "Hi!", fallbackModels })
    expect(await update({ greeting: settings.greeting, fallbackModels: [] })).toEqual(settings)
    const synonyms = [["PTO", "paid leave", "vacation"]]
    expect(await update({ synonyms })).toEqual({ ...settings, synonyms })
    expect(await update({ synonyms: null })).toEqual(settings)
  })

  test("changes the slug unless it is taken, and refuses read-only fields", async () => {
    const { id, slug } = await client.newChatbot({ slug: "slug-of-one" })
    await client.newChatbot({ slug: "slug-of-two" })
    const update = (json: object) => client.patch(`${chatbots}?id=${id}`, { json })
    problem(await update({ slug: "slug-of-two", name: "Lost" }), 409, "slug_taken")
    expect(wrongPaths(await update({ active: null }))).toEqual(["active"])
    expect(wrongPaths(await update({ settings: { model: "gpt-0" } }))).toEqual(["settings.model"])
    expect(await client.chatbot(id)).toMatchObject({ slug, name: "Support" })
    expect((await update({ slug: "slug-of-three" })).body).toMatchObject({ chatbot: { slug: "slug-of-three" } })
  })
})

describe("If-Match", () => {
  const changes: ReadonlyArray<readonly [string, (id: string, tag: string) => Promise<Reply>]> = [
    ["2", (id, tag) => client.patch(`${chatbots}?id=${id}`, { json: { name: "B" }, headers: { "if-match": tag } })],
    ["5", (id, tag) => sendAvatar(id, images.png, { "if-match": tag })],
    ["6", (id, tag) => client.patch(at(id, "/chat-widget"), { json: {}, headers: { "if-match": tag } })],
    ["7", (id, tag) => client.patch(at(id, "/voice-agent"), { json: {}, headers: { "if-match": tag } })],
  ]
  test.each(changes)("makes operation %s change only the version that it names", async (_, change) => {
    const { id } = await client.newChatbot()
    const first = etag(await client.get(at(id)))
    const changed = await change(id, first)
    expect(changed.status).toBe(200)
    expect(etag(changed)).not.toBe(first)
    expect(etag(changed)).toBe(etag(await client.get(at(id))))
    problem(await change(id, first), 412, "precondition_failed")
    expect(etag(await client.get(at(id)))).toBe(etag(changed))
    expect((await change(id, `${first}, ${etag(changed)}`)).status).toBe(200)
    expect((await change(id, "*")).status).toBe(200)
  })

  test("never matches a weak tag", async () => {
    const { id } = await client.newChatbot()
    const weak = `W/${etag(await client.get(at(id)))}`
    problem(
      await client.patch(`${chatbots}?id=${id}`, { json: { name: "B" }, headers: { "if-match": weak } }),
      412,
      "precondition_failed",
    )
  })
})

describe("3. list", () => {
  test("shows the newest chatbots first, in a reduced form", async () => {
    const own = await client.newOrganization()
    expect((await own.get(chatbots)).body).toStrictEqual({ chatbots: [] })
    const made = []
    for (const name of ["One", "Two", "Three", "Four", "Five"]) made.unshift(await own.newChatbot({ name }))
    const reduced = made.map(
      ({ docs_metadata: _1, managers: _2, migrated_data: _3, llm_api_key: _4, v1_chatbot_id: _5, ...shown }) => shown,
    )
    expect((await own.get(chatbots)).body).toStrictEqual({ chatbots: reduced })

    const pages = []
    let cursor = ""
    do {
      const { chatbots: page, next_cursor } = read(ListPage, await own.get(`${chatbots}?limit=2${cursor}`))
      pages.push(page)
      cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`
    } while (cursor !== "")
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toStrictEqual(reduced)
    expect((await own.get(`${chatbots}?limit=5`)).body).toStrictEqual({ chatbots: reduced, next_cursor: null })
    const first = await own.get(`${chatbots}?limit=4`)
    const next = read(ListPage, first).next_cursor
    expect(first.headers.get("link")).toBe(`<${chatbots}?limit=4&cursor=${next}>; rel="next"`)
    const last = await own.get(`${chatbots}?cursor=${next}`)
    expect(last.body).toStrictEqual({ chatbots: reduced.slice(4), next_cursor: null })
    expect(last.headers.get("link")).toBeNull()
  })

  test("shows a bound key only its own chatbot, also in pages", async () => {
    const { id } = await client.newChatbot()
    const bound = (await client.newKey({ chatbot_id: id })).client
    const all = (await bound.get(chatbots)).body
    expect(all).toMatchObject({ chatbots: [{ id }] })
    expect((await bound.get(`${chatbots}?limit=1`)).body).toStrictEqual(Object.assign({ next_cursor: null }, all))
  })

  test.each(["limit=0", "limit=1001", "limit=1.5", "limit=1e2", "limit=x", "limit=", "cursor=x", "cursor=1.x"])(
    "refuses %s",
    async (query) => {
      expect(wrongPaths(await client.get(`${chatbots}?${query}`))).toEqual([`query.${query.split("=")[0]}`])
    },
  )

  test("accepts the least and the largest limit", async () => {
    for (const limit of [1, 1_000]) expect((await client.get(`${chatbots}?limit=${limit}`)).status).toBe(200)
  })
})

describe("4. get", () => {
  test("answers 404 for an unknown chatbot and 400 for an invalid id", async () => {
    problem(await client.get(at(nowhere)), 404, "not_found")
    expect(wrongPaths(await client.get(at("seven")))).toEqual(["path.chatbotId"])
  })
})

const images = {
  png: Uint8Array.from(
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
      "base64",
    ),
  ),
  jpg: Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]),
  gif: Uint8Array.from(Buffer.from("GIF89a\u0001\u0000\u0001\u0000")),
  webp: Uint8Array.from(Buffer.from("RIFF\u0004\u0000\u0000\u0000WEBPVP8 ")),
}

function sendAvatar(
  id: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  file = new File([bytes], "me.svg", { type: "image/svg+xml" }),
) {
  const form = new FormData()
  form.set("avatar", file)
  return client.patch(at(id, "/update-avatar"), { form, headers })
}

describe("5. avatar", () => {
  const formats = [
    ["png", "image/png"],
    ["jpg", "image/jpeg"],
    ["gif", "image/gif"],
    ["webp", "image/webp"],
  ] as const
  test.each(formats)("recognizes a %s by its content and serves it safely as %s", async (format, contentType) => {
    const before = await client.newChatbot()
    const reply = await sendAvatar(before.id, images[format])
    const { chatbot } = read(OneChatbot, reply)
    expect(reply.body).toStrictEqual({
      chatbot: {
        ...before,
        updated_at: chatbot.updated_at,
        settings: { ...before.settings, avatar: expect.stringMatching(new RegExp(`^${url}/.+\\.${format}$`)) },
      },
      message: "Avatar updated successfully",
    })
    const shown = await fetch(chatbot.settings.avatar ?? "")
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(images[format])
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": contentType,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox|sandbox.*default-src 'none'/),
      "cache-control": expect.stringContaining("immutable"),
    })
  })

  test("deletes the replaced file, and the last one with the chatbot", async () => {
    const { id } = await client.newChatbot()
    const nameOf = (reply: Reply) => new URL(read(OneChatbot, reply).chatbot.settings.avatar ?? "").pathname.slice(9)
    const [first, second] = [nameOf(await sendAvatar(id, images.png)), nameOf(await sendAvatar(id, images.gif))]
    expect(stored("avatars")).toContain(second)
    expect(stored("avatars")).not.toContain(first)
    problem(await client.get(`/avatars/${first}`), 404, "not_found")
    await client.delete(at(id))
    expect(stored("avatars")).not.toContain(second)
    problem(await client.get(`/avatars/${second}`), 404, "not_found")
  })

  test("stays when other settings change", async () => {
    const { id } = await client.newChatbot()
    const { avatar } = read(OneChatbot, await sendAvatar(id, images.png)).chatbot.settings
    await client.patch(`${chatbots}?id=${id}`, { json: { settings: { prompt: "Anew" } } })
    expect((await client.chatbot(id)).settings).toMatchObject({ avatar, prompt: "Anew" })
  })

  test("refuses a file that is no image, and keeps nothing of it", async () => {
    const { id } = await client.newChatbot()
    const before = new Set(stored("avatars"))
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    for (const bytes of [svg, Buffer.from("hello"), Buffer.from(""), Buffer.from("RIFF....AVI ")]) {
      const file = new File([bytes], "me.png", { type: "image/png" })
      problem(await sendAvatar(id, images.png, {}, file), 415, "unsupported_media_type")
    }
    expect(stored("avatars").filter((name) => !before.has(name))).toEqual([])
    expect(await client.chatbot(id)).not.toHaveProperty("settings.avatar")
  })

  test("refuses a body without a file", async () => {
    const { id } = await client.newChatbot()
    const form = new FormData()
    form.set("picture", new Blob([images.png]), "me.png")
    expect(wrongPaths(await client.patch(at(id, "/update-avatar"), { form }))).toContain("avatar")
    problem(await client.patch(at(id, "/update-avatar"), { json: {} }), 415, "unsupported_media_type")
    problem(await sendAvatar(nowhere, images.png), 404, "not_found")
  })

  test.each(["../database/lock", "..%2f..%2fdatabase%2flock", "%2e%2e/lock", "a.png", `${"-".repeat(36)}.png`, ""])(
    "serves no other file of the disk: %s",
    async (name) => {
      expect((await client.get(`/avatars/${name}`)).status).toBeOneOf([400, 404])
    },
  )
})

describe("6. chat widget", () => {
  const empty = { header: "", language: "", logo: "", name: "", primaryColor: "", secondaryColor: "", slogan: "" }
  const patch = (id: string, json: unknown) => client.patch(at(id, "/chat-widget"), { json })

  test("merges field by field, and answers all seven fields", async () => {
    const { id } = await client.newChatbot()
    const message = "Chat widget config updated successfully"
    expect((await patch(id, {})).body).toStrictEqual({ chat_widget_config: empty, message })
    const full = {
      header: "H",
      language: "auto",
      logo: "http://example.com/l.png",
      name: "N",
      primaryColor: "#fff",
      secondaryColor: "#000000",
      slogan: "S",
    }
    expect((await patch(id, full)).body).toStrictEqual({ chat_widget_config: full, message })
    const changed = { ...full, language: "zh-Hant-TW", logo: "" }
    const reply = await patch(id, { language: "zh-Hant-TW", logo: "" })
    expect(reply.body).toStrictEqual({ chat_widget_config: changed, message })
  })

  const refused = [
    ["language", "klingonese!"],
    ["language", "en_US"],
    ["logo", "data:image/png;base64,AA"],
    ["logo", "/logo.png"],
    ["primaryColor", "#12345"],
    ["secondaryColor", "rgb(0,0,0)"],
    ["header", 1],
    ["id", nowhere],
    ["colour", "#fff"],
  ] as const
  test.each(refused)("refuses %s: %p", async (field, value) => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await patch(id, { [field]: value, slogan: "Lost" }))).toEqual([field])
    expect((await patch(id, {})).body).toMatchObject({ chat_widget_config: empty })
  })

  test("answers 404 for an unknown chatbot", async () => {
    problem(await patch(nowhere, {}), 404, "not_found")
  })
})

describe("7. voice agent", () => {
  const patch = (id: string, json: unknown) => client.patch(at(id, "/voice-agent"), { json })
  const full = {
    agentId: nowhere,
    appearance: {
      backgroundColor: "#fff",
      borderColor: "#fff",
      buttonColor: "#fff",
      buttonTextColor: "#fff",
      focusOutlineColor: "#fff",
      textColor: "#fff",
      buttonRadius: 12,
      cardRadius: 7.5,
    },
    avatar: { imageUrl: "https://example.com/a.png" },
    model: { max_output_tokens: 512, temperature: 0.8 },
    text: { callToAction: "Call", endCall: "End", listeningStatus: "…", speakingStatus: "!", startCall: "Start" },
    vad: { prefix_padding_ms: 300, silence_duration_ms: 500, threshold: 0.5 },
    voice: "alloy",
  }

  test("stores what is sent, merges field by field, and shows it with the chatbot", async () => {
    const { id } = await client.newChatbot()
    const message = "Voice widget config updated successfully"
    expect((await patch(id, { voice: "alloy" })).body).toStrictEqual({
      voice_widget_config: { voice: "alloy" },
      message,
    })
    expect((await patch(id, full)).body).toStrictEqual({ voice_widget_config: full, message })
    const changed = { ...full, vad: { ...full.vad, threshold: 1 } }
    expect((await patch(id, { vad: { threshold: 1 } })).body).toStrictEqual({ voice_widget_config: changed, message })
    expect((await client.chatbot(id)).voice_widget_config).toStrictEqual(changed)
  })

  const bounds: ReadonlyArray<readonly [string, string, number, number, number]> = [
    ["appearance", "buttonRadius", 0, 100, 0.5],
    ["appearance", "cardRadius", 0, 100, 0.5],
    ["model", "max_output_tokens", 1, 4_096, 1],
    ["model", "temperature", 0, 2, 0.1],
    ["vad", "threshold", 0, 1, 0.1],
    ["vad", "prefix_padding_ms", 0, 5_000, 1],
    ["vad", "silence_duration_ms", 0, 10_000, 1],
  ]
  test.each(bounds)("enforces the bounds of %s.%s", async (group, field, least, most, step) => {
    const { id } = await client.newChatbot()
    for (const value of [least, most]) {
      const reply = await patch(id, { [group]: { [field]: value } })
      expect(reply.body).toMatchObject({ voice_widget_config: { [group]: { [field]: value } } })
    }
    for (const value of [least - step, most + step, String(least), true]) {
      expect(wrongPaths(await patch(id, { [group]: { [field]: value } }))).toEqual([`${group}.${field}`])
    }
  })

  const refused: ReadonlyArray<readonly [string, object]> = [
    ["model.max_output_tokens", { model: { max_output_tokens: 1.5 } }],
    ["vad.prefix_padding_ms", { vad: { prefix_padding_ms: 1.5 } }],
    ["voice", { voice: "" }],
    ["voice", { voice: "x".repeat(65) }],
    ["agentId", { agentId: "seven" }],
    ["avatar.imageUrl", { avatar: { imageUrl: "ftp://example.com/a.png" } }],
    ["text.endCalls", { text: { endCalls: "End" } }],
    ["updated_at", { updated_at: "now" }],
  ]
  test.each(refused)("refuses an invalid %s", async (path, json) => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await patch(id, json))).toEqual([path])
    expect((await client.chatbot(id)).voice_widget_config).toBeNull()
  })

  test("shows what calls go by: the defaults, and browsers that listen and speak where there is no server for it", async () => {
    const { id } = await client.newChatbot()
    expect((await client.get(at(id, "/voice-agent"))).body).toStrictEqual({
      voice_widget_config: null,
      voice: {
        listening: "browser",
        speaking: "browser",
        voice: "alloy",
        appearance: {},
        avatar: "",
        text: {},
        vad: { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 700 },
      },
    })
    await patch(id, { voice: "nova", vad: { threshold: 0.7 } })
    expect((await client.get(at(id, "/voice-agent"))).body).toMatchObject({
      voice: { voice: "nova", vad: { threshold: 0.7, silence_duration_ms: 700 } },
    })
  })

  test("accepts the longest voice, and answers 404 for an unknown chatbot", async () => {
    const { id } = await client.newChatbot()
    expect((await patch(id, { voice: "x".repeat(64) })).status).toBe(200)
    problem(await patch(nowhere, {}), 404, "not_found")
  })
})

describe("delete", () => {
  test("deletes all that belongs to the chatbot", async () => {
    const { id, slug } = await client.newChatbot({ slug: "short-lived" })
    const bound = (await client.newKey({ chatbot_id: id })).client
    await sendAvatar(id, images.png)
    const before = new Set(stored("documents"))
    await client.learn(id, { "a.md": "# Tides\n\nThe tide turns twice a day." })
    const own = () => stored("documents").filter((name) => !before.has(name))
    expect(own()).toHaveLength(1)
    const { session_id } = await client.chat(id, "When does the tide turn?")

    const reply = await client.delete(at(id))
    expect(reply.body).toStrictEqual({ message: "Chatbot deleted successfully" })
    expect(own()).toEqual([])
    problem(await client.get(at(id)), 404, "not_found")
    problem(await client.search(id, "tide"), 404, "not_found")
    problem(await client.get(at(id, `/conversations/${session_id}/messages`)), 404, "not_found")
    problem(await client.delete(at(id)), 404, "not_found")
    problem(await bound.get(chatbots), 401, "unauthorized")
    expect((await client.newChatbot({ slug })).id).not.toBe(id)
  })
})
