import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ChatbotTest, HISTORY_MAX_LENGTH, TestImport, TESTS_MAX } from "../../../src/domain/evaluation/ChatbotTest.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { problem, read, type Reply, wrongPaths } from "../../lib/Client.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client, query } = await sharedServer()

const testOf = (reply: Reply) => read(Schema.Struct({ test: ChatbotTest }), reply).test
const at = (chatbot: string, rest = "") => `/api/external/chatbot/${chatbot}/tests${rest}`
const newChatbot = async () => (await client.newChatbot({ settings: { model: "local/extractive" } })).id
const refunds = {
  question: "How long do refunds take?",
  history: [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello!" },
  ],
  expectations: {
    find: [{ title: "Refunds", contains: "five days", within: 3 }],
    say: [
      { kind: "words", value: "five days" },
      { kind: "pattern", value: "(?i)ten (business )?days", not: true },
    ],
    refusal: "may",
  },
  tags: ["refunds", "shop"],
}
const add = (chatbot: string, json: object = refunds) => client.post(at(chatbot), { json })

describe("tests of a chatbot", () => {
  test("are created, listed, read, changed and deleted", async () => {
    const chatbot = await newChatbot()
    const created = await add(chatbot)
    expect(created.status).toBe(201)
    const one = testOf(created)
    expect(one).toMatchObject({ ...refunds, chatbot_id: chatbot, message_id: null })
    const other = testOf(await add(chatbot, { question: "Where are you?", expectations: {}, tags: ["shop"] }))
    expect(other).toMatchObject({ history: [], expectations: {} })
    expect((await client.get(at(chatbot))).body).toMatchObject({
      data: [one, other],
      tags: ["refunds", "shop"],
      metadata: { totalCount: 2 },
    })
    expect((await client.get(at(chatbot, "?query=WHERE"))).body).toMatchObject({ data: [other] })
    expect((await client.get(at(chatbot, "?tag=refunds"))).body).toMatchObject({
      data: [one],
      tags: ["refunds", "shop"],
    })

    const shown = await client.get(at(chatbot, `/${one.id}`))
    const headers = { "if-match": shown.headers.get("etag") ?? "" }
    const json = { ...one, expectations: { say: [{ kind: "words", value: "six days" }] } }
    const changed = testOf(await client.patch(at(chatbot, `/${one.id}`), { json, headers }))
    expect(changed).toMatchObject({ question: refunds.question, expectations: json.expectations })
    expect(changed.expectations).not.toHaveProperty("find")
    expect((await client.patch(at(chatbot, `/${one.id}`), { json: { tags: [] }, headers })).status).toBe(412)

    expect((await client.delete(at(chatbot, `/${one.id}`))).status).toBe(200)
    problem(await client.get(at(chatbot, `/${one.id}`)), 404, "not_found")
  })

  test("refuse patterns that a search for them could not end soon", async () => {
    const chatbot = await newChatbot()
    const say = ["(a+)+$", "(a)\\1", "(?=a)b", "(?:a{100}){100}", "["].map((value) => ({ kind: "pattern", value }))
    const reply = await add(chatbot, { question: "Why?", expectations: { say } })
    problem(reply, 400, "invalid_request")
    expect(wrongPaths(reply)).toEqual([1, 2, 3, 4].map((at) => `expectations.say.${at}.value`))
    const kept = testOf(await add(chatbot))
    expect((await client.patch(at(chatbot, `/${kept.id}`), { json: { expectations: { say } } })).status).toBe(400)
  })

  test("refuse turns before the question that are longer together than they may be", async () => {
    const chatbot = await newChatbot()
    const turn = { role: "user", content: "x".repeat(HISTORY_MAX_LENGTH / 2) }
    const test = { question: "Why?", expectations: {} }
    expect((await add(chatbot, { ...test, history: [turn, turn] })).status).toBe(201)
    const reply = await add(chatbot, { ...test, history: [turn, turn, { role: "assistant", content: "y" }] })
    problem(reply, 400, "invalid_request")
    expect(wrongPaths(reply)).toEqual(["history"])
  })

  test("are at most 5,000, also where some are added at the same time", async () => {
    const chatbot = await newChatbot()
    testOf(await add(chatbot))
    await query(
      SystemSql.use(
        (sql) => sql`
          insert into tests (id, organization_id, chatbot_id, question, expectations)
          select gen_random_uuid(), organization_id, chatbot_id, question, expectations
          from tests, generate_series(2, ${TESTS_MAX - 1}::int) where chatbot_id = ${chatbot}`,
      ),
    )
    const replies = await Promise.all(Array.from({ length: 5 }, () => add(chatbot)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
  })

  test("leave the texts of their questions and expectations out of the audit log", async () => {
    const chatbot = await newChatbot()
    const { id } = testOf(await add(chatbot))
    await client.patch(at(chatbot, `/${id}`), { json: { question: "Why refunds?" } })
    await client.delete(at(chatbot, `/${id}`))
    const { body, text } = await client.get(`/api/admin/audit-log?target_id=${id}`)
    expect(body).toMatchObject({
      entries: [{ action: "test.deleted" }, { action: "test.updated" }, { action: "test.created" }],
    })
    expect(text).not.toMatch(/refunds|five/i)
  })
})

describe("a test from a reply", () => {
  const answered = async () => {
    const chatbot = await newChatbot()
    await client.upload(chatbot, { "refunds.md": "# Refunds\n\nRefunds take five days. They go to your card." })
    const session = { sessionToken: crypto.randomUUID() }
    await client.say(chatbot, "How long do refunds take?", session)
    const second = await client.say(chatbot, "Do refunds go to my card?", session)
    return { chatbot, message: second.headers.get("x-message-id") ?? "" }
  }

  test("has its question, the turns before it, and must find what the reply rests on", async () => {
    const { chatbot, message } = await answered()
    const reply = await client.post(at(chatbot, "/from-reply"), { json: { message_id: message } })
    expect(reply.status).toBe(201)
    const made = testOf(reply)
    const [document] = await client.documents(chatbot)
    expect(made).toMatchObject({
      question: "Do refunds go to my card?",
      history: [{ role: "user", content: "How long do refunds take?" }, { role: "assistant" }],
      message_id: message,
      expectations: { find: [{ document_id: document?.id, contains: "Refunds take five days." }] },
    })
    expect(made.expectations).not.toHaveProperty("refusal")
    problem(await client.post(at(chatbot, "/from-reply"), { json: { message_id: message } }), 409, "conflict")
  })

  test("leaves out the turns from so long ago that they are longer together than they may be", async () => {
    const { chatbot, message } = await answered()
    await query(
      SystemSql.use(
        (sql) => sql`
          update messages set content = repeat('x', ${HISTORY_MAX_LENGTH}::int)
          where content = 'How long do refunds take?'
            and session_id in (select id from sessions where chatbot_id = ${chatbot})`,
      ),
    )
    const made = testOf(await client.post(at(chatbot, "/from-reply"), { json: { message_id: message } }))
    expect(made.history.map(({ role }) => role)).toEqual(["assistant"])
  })

  test("needs a key that may read conversations, and the message of the same chatbot", async () => {
    const { chatbot, message } = await answered()
    const { client: writer } = await client.newKey({ scopes: ["chatbots:write"] })
    problem(await writer.post(at(chatbot, "/from-reply"), { json: { message_id: message } }), 403, "forbidden")
    const other = await newChatbot()
    problem(await client.post(at(other, "/from-reply"), { json: { message_id: message } }), 404, "not_found")
  })
})

describe("a file of tests", () => {
  const importFile = async (chatbot: string, content: string, name = "tests.csv") => {
    const form = new FormData()
    form.set("file", new Blob([content]), name)
    const reply = await client.post(at(chatbot, "/import"), { form })
    return reply.status === 200 ? read(Schema.Struct({ import: TestImport }), reply).import : reply
  }

  test.each([
    ["csv", "text/csv", "tests.csv"],
    ["jsonl", "application/jsonl", "tests.jsonl"],
  ])("in the format %s is exported, and imported again without a change", async (format, type, name) => {
    const chatbot = await newChatbot()
    const made = [testOf(await add(chatbot)), testOf(await add(chatbot, { question: "Where?", expectations: {} }))]
    const exported = await client.get(at(chatbot, `/export?format=${format}`))
    expect(exported.headers.get("content-type")).toStartWith(type)
    expect(exported.headers.get("content-disposition")).toContain(name)
    const unchanged = { added: 0, updated: 0, unchanged: 2, refused: [] }
    expect(await importFile(chatbot, exported.text, name)).toEqual(unchanged)
    const other = await newChatbot()
    expect(await importFile(other, exported.text, name)).toEqual({ ...unchanged, added: 2, unchanged: 0 })
    expect(await importFile(other, exported.text, name)).toEqual(unchanged)
    const { data } = Object((await client.get(at(other))).body)
    expect(data).toMatchObject(made.map(({ expectations, question, tags }) => ({ expectations, question, tags })))
  })

  test("adds what is new, changes what is there, and says why it refuses what it does", async () => {
    const chatbot = await newChatbot()
    const { id } = testOf(await add(chatbot, { question: "When?", expectations: {} }))
    const csv = [
      "id,question,must_say,must_match",
      `${id},When exactly?,at noon,`,
      ",Where?,in Ulm,",
      ",Where?,in Bonn,",
      ",Why?,,(a",
      `${crypto.randomUUID()},Who?,,`,
    ]
    const report = await importFile(chatbot, csv.join("\n"))
    expect(report).toMatchObject({ added: 2, updated: 1, unchanged: 0 })
    expect(report).toMatchObject({ refused: [{ row: 4, reason: "Row 3 is the same test." }, { row: 5 }] })
    expect(testOf(await client.get(at(chatbot, `/${id}`)))).toMatchObject({
      question: "When exactly?",
      expectations: { say: [{ kind: "words", value: "at noon" }] },
    })
  })

  test("fills a chatbot up to its last test", async () => {
    const chatbot = await newChatbot()
    testOf(await add(chatbot))
    const questions = Array.from({ length: TESTS_MAX }, (_, number) => `Question ${number}?`)
    const report = await importFile(chatbot, ["question", ...questions].join("\n"))
    expect(report).toMatchObject({ added: TESTS_MAX - 1, refused: [{ row: TESTS_MAX + 1 }] })
    expect((await add(chatbot)).status).toBe(409)
    const exported = await client.get(at(chatbot, "/export"))
    expect(exported.text.trimEnd().split("\r\n")).toHaveLength(TESTS_MAX + 1)
  })

  test.each([
    ["a row of another size than any test's", `question\n"${"a".repeat(5 * 1024 * 1024)}"`],
    ["a cell of a hundred thousand lines", `question,find\nWhy?,"${"Refunds\n".repeat(100_000)}"`],
    ["a NUL", "question\nWhy\0?"],
    ["too many rows", `question\n${"Why?\n".repeat(TESTS_MAX + 1)}`],
    ["no header", "Why?,Because"],
    ["binary data", "\u0001\u0002\u0003".repeat(100)],
  ])("with %s imports nothing", async (_, content) => {
    const chatbot = await newChatbot()
    const report = await importFile(chatbot, content)
    if ("status" in report) problem(report, 400, "invalid_request")
    else expect(report).toMatchObject({ added: 0, refused: [{ row: 2 }] })
    expect((await client.get(at(chatbot))).body).toMatchObject({ data: [] })
  })
})

describe("the plan of a chatbot's tests", () => {
  test("has defaults until it is changed, and refuses what cannot judge", async () => {
    const chatbot = await newChatbot()
    const path = `/api/external/chatbot/${chatbot}/test-plan`
    const shown = await client.get(path)
    expect(shown.body).toMatchObject({ plan: { on_change: true, schedule: null, repeats: 1 } })
    const headers = { "if-match": shown.headers.get("etag") ?? "" }
    const changed = await client.patch(path, { json: { schedule: "daily", repeats: 3 }, headers })
    expect(changed.body).toMatchObject({ plan: { on_change: true, schedule: "daily", repeats: 3 } })
    expect((await client.get(path)).headers.get("etag")).toBe(changed.headers.get("etag"))
    expect((await client.patch(path, { json: { repeats: 1 }, headers })).status).toBe(412)
    for (const judge_model of ["local/extractive", "nobody/nothing"]) {
      expect(wrongPaths(await client.patch(path, { json: { judge_model } }))).toEqual(["judge_model"])
    }
  })

  test("has models answer only for a key that may chat", async () => {
    const path = `/api/external/chatbot/${await newChatbot()}/test-plan`
    const writer = await client.limitedTo("chatbots:write")
    expect((await writer.patch(path, { json: { schedule_tier: "model" } })).status).toBe(200)
    problem(await writer.patch(path, { json: { schedule: "daily" } }), 403, "forbidden")
    expect((await writer.patch(path, { json: { schedule: "daily", schedule_tier: "search" } })).status).toBe(200)
    problem(await writer.patch(path, { json: { schedule_tier: "model" } }), 403, "forbidden")
    expect((await client.patch(path, { json: { schedule_tier: "model" } })).status).toBe(200)
  })
})
