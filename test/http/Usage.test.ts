import { describe, expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import { Schema } from "effect"
import { ConversationCounts, ConversationUsage, UsageCounts, UsageRow } from "../../src/domain/organizations/Usage.ts"
import { type Client, problem, read, type Reply, until, wrongPaths } from "../lib/Client.ts"
import { calls, fails, says, usage as reported } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { keepWithinADay, today } from "../lib/Today.ts"

keepWithinADay()

const { client, operator, provider } = await sharedServer()

const UsageReply = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  group_by: Schema.Array(Schema.String),
  data: Schema.Array(UsageRow),
  total: UsageCounts,
  metadata: Schema.Struct({ totalCount: Schema.Int, totalPages: Schema.Int }),
})
const usageOf = async (of: Client, query = "") => read(UsageReply, await of.get(`/api/external/usage${query}`))

/** The usage that the provider reports for one reply. */
const one = {
  replies: 1,
  input_tokens: reported.input_tokens,
  output_tokens: reported.output_tokens,
  cache_read_tokens: reported.cache_read_input_tokens ?? 0,
  cache_write_tokens: reported.cache_creation_input_tokens ?? 0,
  total_tokens: 108,
}
const times = (count: number, counts: UsageCounts) =>
  Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, value * count]))

/** Creates an organization with three chats: two with a model of Anthropic's, and one with another chatbot. */
const chatted = async () => {
  const own = await client.newOrganization()
  await provider.answers(says("Hello."))
  const written = await own.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  const local = await own.newChatbot()
  await own.chat(written.id, "Hi", { sessionToken: "s" })
  await own.chat(written.id, "Hi again", { sessionToken: "s" })
  await own.chat(local.id, "Hi")
  return { own, written: written.id, local: local.id }
}

const ConversationsReply = Schema.Struct({
  data: Schema.Array(ConversationUsage),
  total: ConversationCounts,
  previous: Schema.optionalKey(ConversationCounts),
  metadata: Schema.Struct({ totalCount: Schema.Int }),
})
const conversationsOf = async (of: Client, query = "") =>
  read(ConversationsReply, await of.get(`/api/external/usage/conversations${query}`))

describe("the numbers of conversations", () => {
  test("have questions, ratings and replies without an answer, by day and chatbot", async () => {
    const { own, written, local } = await chatted()
    const [, reply] = await own.messages(written, "s")
    await own.post(`/api/external/chatbot/${written}/conversations/s/messages/${reply?.id}/feedback`, {
      json: { rating: "down" },
    })
    const rates = { unanswered: 0, rated_up: 0, rated_down: 0, resolved: 1 }
    const none = { conversations: 1, questions: 1, ...rates, first_word_ms: null }
    const named = { chatbot_name: expect.any(String) }
    const { data, metadata, total } = await conversationsOf(own, "?group_by=day,chatbot")
    expect(data).toEqual([
      { day: today(), chatbot_id: written, ...named, ...none, questions: 2, rated_down: 1, resolved: 0 },
      { day: today(), chatbot_id: local, ...named, ...none },
    ])
    expect(metadata.totalCount).toBe(2)
    expect(total).toEqual({ ...none, conversations: 2, questions: 3, rated_down: 1 })
    const bound = (await own.newKey({ chatbot_id: local })).client
    expect((await conversationsOf(bound)).data).toEqual([{ day: today(), ...none }])
    expect((await conversationsOf(own, `?chatbot_id=${local}&group_by=chatbot`)).data).toEqual([
      { chatbot_id: local, ...named, ...none },
    ])
    expect((await conversationsOf(own, `?chatbot_id=${local}`)).total).toEqual(none)
    problem(await bound.get(`/api/external/usage/conversations?chatbot_id=${written}`), 403, "forbidden")
    expect((await conversationsOf(own, "?to=2026-01-31")).data).toEqual([])
    expect((await conversationsOf(own)).previous).toBeUndefined()
    // The time before is empty, and today is the time before tomorrow.
    expect((await conversationsOf(own, "?previous=true")).previous?.conversations).toBe(0)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const later = await conversationsOf(own, `?from=${tomorrow}&to=${tomorrow}&previous=true`)
    expect([later.total.conversations, later.previous]).toEqual([0, total])
    expect(wrongPaths(await own.get("/api/external/usage/conversations?from=2026-02-01&to=2026-01-31"))).toEqual([
      "query.to",
    ])
  })

  test("are counted by hour in a time zone that exists", async () => {
    const { own } = await chatted()
    const hourIn = async (zone: string) => (await conversationsOf(own, `?group_by=hour&time_zone=${zone}`)).data
    const [here] = await hourIn("UTC")
    const [there] = await hourIn("Etc/GMT-5")
    expect(there?.hour).toBe(((here?.hour ?? 0) + 5) % 24)
    for (const zone of ["Nowhere/Land", "%2B05:00", "-05:00", "", "';--"]) {
      expect(wrongPaths(await own.get(`/api/external/usage/conversations?group_by=hour&time_zone=${zone}`))).toEqual([
        "query.time_zone",
      ])
    }
  })

  test("are a file of all rows, without a cell that a spreadsheet takes for a formula", async () => {
    const own = await client.newOrganization()
    for (const name of ['=HYPERLINK("https://evil.example")', "Harbour, the"]) {
      await own.chat((await own.newChatbot({ name })).id, "Hi")
    }
    const path = "/api/external/usage/conversations?group_by=chatbot&limit=1"
    const file = await own.get(`${path}&format=csv`)
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(file.headers.get("content-disposition")).toMatch(
      /^attachment; filename="conversations-chatbot-[-0-9]+\.csv"$/,
    )
    const [header, ...rows]: ReadonlyArray<ReadonlyArray<string>> = parse(file.text, { bom: true })
    const counts = "conversations,questions,unanswered,rated_up,rated_down,resolved"
    expect(header?.join()).toBe(`chatbot_id,chatbot_name,${counts},first_word_median_ms,first_word_p95_ms`)
    expect(rows.map(([, ...cells]) => cells)).toEqual([
      ['\'=HYPERLINK("https://evil.example")', "1", "1", "0", "0", "0", "1", "", ""],
      ["Harbour, the", "1", "1", "0", "0", "0", "1", "", ""],
    ])
    expect((await own.get(path, { headers: { accept: "text/csv" } })).text).toBe(file.text)
    expect((await conversationsOf(own, "?group_by=chatbot&limit=1")).metadata.totalCount).toBe(2)
  })
})

test("the time to the first word is that of replies that were streamed, and languages are those of the questions", async () => {
  const own = await client.newOrganization()
  const { id } = await own.newChatbot()
  await own.chat(id, "When does the museum open?", { sessionToken: "en" })
  expect((await conversationsOf(own)).total.first_word_ms).toBeNull()
  const stream = async (content: string, sessionToken: string) =>
    await own.post(`/api/external/chatbot/${id}/chat?stream=true`, {
      json: { messages: [{ role: "user", content }], sessionToken },
    })
  await stream("Wann öffnet das Museum und was kostet der Eintritt?", "de")
  await stream("17.5", "de")
  await stream("4711", "none")
  const { data, total } = await conversationsOf(own, "?group_by=language")
  expect(data.map(({ conversations, language, questions }) => [language, conversations, questions])).toEqual([
    ["de", 1, 2],
    ["en", 1, 1],
    [null, 1, 1],
  ])
  expect(data.map((row) => row.first_word_ms !== null)).toEqual([true, false, true])
  const { median = -1, p95 = -1 } = total.first_word_ms ?? {}
  expect([median >= 0, p95 >= median, p95 < 60_000, total.conversations]).toEqual([true, true, true, 3])
  expect((await own.session(id, "de")).language).toBe("de")
})

describe("usage", () => {
  test("has the tokens of all kinds that the provider reported, by day", async () => {
    const { own, written } = await chatted()
    const bound = (await own.newKey({ chatbot_id: written })).client
    const { data, ...rest } = await usageOf(bound)
    const from = new Date(Date.parse(today()) - 29 * 86_400_000).toISOString().slice(0, 10)
    expect(data).toEqual([{ day: today(), ...one, ...times(2, one) }])
    expect(rest).toMatchObject({ from, to: today(), group_by: ["day"], total: times(2, one) })
    await client.delete(`/api/external/chatbot/${written}`)
  })

  test("can be grouped by chatbot, model, provider and key in any combination, and comes in pages", async () => {
    const { own, written, local } = await chatted()
    const all = await usageOf(own, "?group_by=model,chatbot,provider,key,day")
    expect(all.group_by).toEqual(["day", "chatbot", "model", "provider", "key"])
    expect(all.data).toMatchObject([
      { day: today(), chatbot_id: written, model: "claude-sonnet-5-5", provider: "anthropic", ...times(2, one) },
      { day: today(), chatbot_id: local, model: "local/extractive", provider: "local", replies: 1 },
    ])
    expect(all.total.total_tokens).toBe(all.data.reduce((sum, row) => sum + row.total_tokens, 0))
    expect((await usageOf(own, "?group_by=model")).data.map((row) => [row.model, row.replies])).toEqual([
      ["claude-sonnet-5-5", 2],
      ["local/extractive", 1],
    ])
    for (const page of [1, 2, 3]) {
      const paged = await usageOf(own, `?group_by=chatbot&limit=1&page=${page}`)
      expect(paged.data.map((row) => row.chatbot_id)).toEqual([[written, local][page - 1] ?? []].flat())
      expect(paged.total).toEqual(all.total)
      expect(paged.metadata).toMatchObject({ totalCount: 2, totalPages: 2 })
    }
  })

  test.each([false, true])(
    "of a reply by several models is counted for each model (as a stream: %p)",
    async (stream) => {
      const own = await client.newOrganization()
      const { id } = await own.newChatbot({
        settings: { model: "claude-sonnet-5-5", fallbackModels: ["openai/test-1"] },
      })
      const say = (content: string) =>
        own.post(`/api/external/chatbot/${id}/chat?stream=${stream}`, {
          json: { sessionToken: "s", messages: [{ role: "user", content }] },
        })
      const fallen = fails(500, "api_error", { "x-should-retry": "false" })
      // OpenAI does not report tokens written to its cache.
      const [claude, fallback] = [108, 101]

      await provider.answers(calls("a"), fallen, calls("b"), says("Done."))
      await say("The fallback in the middle")
      const first = await usageOf(own, "?group_by=model,provider")
      expect(first.data).toMatchObject([
        { ...times(2, one), model: "claude-sonnet-5-5", provider: "anthropic", replies: 1 },
        { model: "openai/test-1", provider: "openai", replies: 0, input_tokens: 50, total_tokens: fallback },
      ])
      expect(first.total).toMatchObject({ replies: 1, total_tokens: 2 * claude + fallback })
      const [, said] = await own.messages(id, "s")
      expect(said).toMatchObject({ content: "Done.", model: "claude-sonnet-5-5", tokens_used: 2 * claude + fallback })

      await provider.answers(calls("a"), fallen, says("Done."))
      await say("The fallback last")
      const { data } = await usageOf(own, "?group_by=model")
      expect(data.map(({ model, replies, total_tokens }) => [model, replies, total_tokens])).toEqual([
        ["claude-sonnet-5-5", 1, 3 * claude],
        ["openai/test-1", 1, 2 * fallback],
      ])
    },
  )

  test("remains when the conversation and the chatbot are deleted", async () => {
    const { own, written, local } = await chatted()
    const before = await usageOf(own)
    await own.delete(`/api/external/chatbot/${written}/conversations/s`)
    expect((await own.delete(`/api/external/chatbot/${local}`)).status).toBe(200)
    expect(await usageOf(own)).toEqual(before)
  })

  test("shows only the organization's own, needs a scope, and is empty without chats", async () => {
    await chatted()
    const stranger = await client.newOrganization()
    expect(await usageOf(stranger)).toMatchObject({
      data: [],
      total: times(0, one),
      metadata: { totalCount: 0, totalPages: 0 },
    })
    problem(await (await stranger.limitedTo("chat")).get("/api/external/usage"), 403, "forbidden")
    const { own } = await chatted()
    expect(await usageOf(own, "?from=2020-01-01&to=2020-12-31")).toMatchObject({ data: [], from: "2020-01-01" })
  })

  test.each([
    ["from=yesterday", "query.from"],
    ["to=2026-02-30", "query.to"],
    ["to=2026-1-1", "query.to"],
    ["from=2026-01-02&to=2026-01-01", "query.to"],
    ["from=2025-01-01&to=2026-01-02", "query.from"],
    ["from=2999-01-01", "query.to"],
    ["group_by=", "query.group_by"],
    ["group_by=week", "query.group_by"],
    ["group_by=day,,model", "query.group_by"],
    ["page=0", "query.page"],
    ["limit=101", "query.limit"],
  ])("refuses %s", async (query, path) => {
    expect(wrongPaths(await client.get(`/api/external/usage?${query}`))).toEqual([path])
  })
})

describe("a budget", () => {
  const organizationOf = async (of: Client) =>
    read(
      Schema.Struct({ organizations: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String, budget: Schema.Json })) }),
      await of.get("/api/admin/organizations"),
    ).organizations[0]
  const setOrganization = (id: string, budget: object, by = operator) =>
    by.send("PATCH", `/api/admin/organizations/${id}`, { json: { budget } })
  const setKey = (id: string, budget: object, by: Client) =>
    by.send("PATCH", `/api/admin/api-keys/${id}`, { json: { budget } })

  /** Repeats a chat until a change of the budget is in force, which takes up to a second. */
  const untilRefused = async (ask: () => Promise<Reply>): Promise<Reply> => {
    const reply = await ask()
    return reply.status === 429 ? reply : Bun.sleep(50).then(() => untilRefused(ask))
  }

  test("of an organization is set by the operator, and holds for every kind of chat", async () => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot()
    const organization = await organizationOf(own)
    expect(organization.budget).toEqual({ tokens_per_day: null, concurrent_chats: null })
    await own.chat(id, "Hi")
    expect((await setOrganization(organization.id, { tokens_per_day: 1 })).body).toMatchObject({
      organization: { id: organization.id, budget: { tokens_per_day: 1, concurrent_chats: null } },
    })
    const asked = (await usageOf(own)).total
    const refused = await untilRefused(() => own.say(id, "Hi"))
    expect(problem(refused, 429, "budget_spent").retry_after_seconds).toBeWithin(1, 86_401)
    problem(await own.say(id, "Hi", {}), 429, "budget_spent")
    problem(await own.post(`/api/external/chatbot/${id}/chat?stream=true`, { json: saying }), 429, "budget_spent")
    const openai = await own.post("/v1/chat/completions", { json: { model: id, ...saying } })
    expect(openai).toMatchObject({ status: 429, body: { error: { code: "insufficient_quota" } } })
    expect((await usageOf(own)).total.replies).toBeGreaterThanOrEqual(asked.replies)

    const both = await setOrganization(organization.id, { tokens_per_day: "unlimited", concurrent_chats: 0 })
    expect(both.body).toMatchObject({ organization: { budget: { tokens_per_day: "unlimited", concurrent_chats: 0 } } })
    const full = await until(
      () => own.say(id, "Hi"),
      ({ text }) => !text.includes("budget_spent"),
    )
    problem(full, 429, "too_many_chats")
    await setOrganization(organization.id, { concurrent_chats: null })
    const answered = await until(
      () => own.say(id, "Hi"),
      ({ status }) => status !== 429,
    )
    expect(answered.status).toBe(200)
  })
  const saying = { messages: [{ role: "user", content: "Hi" }] }

  test("of a key is set by its organization, and limits that key alone", async () => {
    const own = await client.newOrganization()
    const stranger = await client.newOrganization()
    const { id } = await own.newChatbot()
    const { id: key, client: limited } = await own.newKey()
    const reply = await setKey(key, { concurrent_chats: 0 }, own)
    expect(reply.body).toMatchObject({ api_key: { id: key, budget: { tokens_per_day: null, concurrent_chats: 0 } } })
    problem(await untilRefused(() => limited.say(id, "Hi")), 429, "too_many_chats")
    expect((await own.say(id, "Hi")).status).toBe(200)
    problem(await setKey(key, { concurrent_chats: 1 }, stranger), 404, "not_found")
    expect((await setKey(key, {}, operator)).status).toBe(200)
  })

  test("cannot be set without the right to, or to an invalid value", async () => {
    const own = await client.newOrganization()
    const { id } = await organizationOf(own)
    const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
    problem(await setOrganization(id, { tokens_per_day: 1 }, own), 403, "forbidden")
    problem(await setOrganization(id, {}, await own.limitedTo("chat")), 403, "forbidden")
    problem(await setOrganization(nowhere, {}), 404, "not_found")
    problem(await setKey(nowhere, {}, operator), 404, "not_found")
    for (const wrong of [-1, 1.5, "none", "5", 1e13]) {
      expect((await setOrganization(id, { tokens_per_day: wrong })).status).toBe(400)
    }
    expect(wrongPaths(await setOrganization(id, { tokens: 1 }))).toEqual(["budget.tokens"])
  })
})
