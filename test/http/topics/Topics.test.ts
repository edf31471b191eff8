import { describe, expect, test } from "bun:test"
import { Context, Duration, Schema } from "effect"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { dayAt, dayNumber } from "../../../src/domain/organizations/Usage.ts"
import { SuggestedQuestion, Topic, TopicQuestion } from "../../../src/domain/topics/Topic.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { TopicsInterval } from "../../../src/jobs/Topics.ts"
import { problem, read } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"
import { asked, type Asked } from "../../lib/Topics.ts"
import { keepWithinADay, today } from "../../lib/Today.ts"

keepWithinADay()

const { client, query } = await startServer({}, Context.make(TopicsInterval, Duration.millis(100)))

const List = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.Array(Topic),
  ungrouped: Schema.Int,
  metadata: Schema.Struct({ totalCount: Schema.Int }),
})
const path = (id: string) => `/api/external/chatbot/${id}/topics`
const list = async (id: string, search = "") => read(List, await client.get(`${path(id)}${search}`))

/** Makes a chatbot that was asked, and waits until all is grouped. */
const makeAsked = async (...questions: ReadonlyArray<Asked>) => {
  const chatbot = await client.newChatbot()
  const organization = OrganizationId.make(chatbot.organization_id)
  await query(asked({ organization, chatbot: chatbot.id }, questions))
  await grouped(chatbot.id)
  return {
    id: chatbot.id,
    ask: async (...more: ReadonlyArray<Asked>) => {
      await query(asked({ organization, chatbot: chatbot.id }, more))
      await grouped(chatbot.id)
    },
  }
}

const grouped = async (id: string) => {
  while ((await list(id)).ungrouped > 0) await Bun.sleep(20)
}

const gap = (question: string, kind = "unanswered", age?: Duration.Duration): Asked => ({
  question,
  gap: kind,
  ...(age !== undefined && { age }),
})

const norway: ReadonlyArray<Asked> = ["Shipping to Norway?", "How long is shipping to Norway?"]
/** Makes the topics of a chatbot as old as their first questions. */
const old = (id: string) =>
  SystemSql.use(
    (sql) => sql`update topics t set created_at = (select min(created_at) from reply_grounds where topic_id = t.id)
      where chatbot_id = ${id}`,
  )

describe("topics", () => {
  test("show what users ask, counted by week, the most frequent first, with typical questions", async () => {
    const { id } = await makeAsked(
      ...norway,
      gap("Refund of my order", "weak"),
      { question: "Refund of an order", up: true },
      gap("Order refund?", "rated_down"),
      "A lonely matter",
    )
    const { data, from, metadata, to } = await list(id)
    expect([from, to]).toEqual([dayAt(dayNumber(today()) - 83), today()])
    expect(data).toMatchObject([
      { questions: 3, gaps: 2, weak: 1, rated_down: 1, rated_up: 1, unanswered: 0, state: "open", chatbot_id: id },
      { questions: 2, gaps: 0, examples: expect.arrayContaining(["Shipping to Norway?"]) },
    ])
    expect(data[0]?.examples).toHaveLength(3)
    expect(data[0]?.weeks).toEqual([{ week: expect.any(String), questions: 3, gaps: 2 }])
    expect(new Date(data[0]?.weeks[0]?.week ?? "").getUTCDay()).toBe(1)
    expect(metadata.totalCount).toBe(2)
    expect((await list(id, "?limit=1&page=2")).data.map(({ questions }) => questions)).toEqual([2])
  })

  test("with gaps come first when they are new, also with one question, and then by the number of gaps", async () => {
    const before = Duration.days(10)
    const { id } = await makeAsked(
      gap("Refund of my order", "weak", before),
      gap("Refund of an order", "weak", before),
      gap("Is there a kennel?"),
      ...norway,
    )
    await query(old(id))
    const { data } = await list(id, "?gaps=true")
    expect(data.map(({ gaps, questions }) => [questions, gaps])).toEqual([
      [1, 1],
      [2, 2],
    ])
    expect((await list(id, `?gaps=true&from=${today()}`)).data).toHaveLength(1)
  })

  test("list their questions, newest first, with the nearest passage", async () => {
    const { id } = await makeAsked(gap("Shipping to Norway now?"), ...norway)
    const [topic] = (await list(id)).data
    const questionsOf = async (search: string) =>
      read(
        Schema.Struct({ data: Schema.Array(TopicQuestion), metadata: Schema.Struct({ totalCount: Schema.Int }) }),
        await client.get(`${path(id)}/${topic?.id}/questions${search}`),
      )
    const { data, metadata } = await questionsOf("?limit=2")
    expect(data).toMatchObject([
      { question: "How long is shipping to Norway?", gap: null, nearest: { title: "Near", chunk: 2 } },
      { question: "Shipping to Norway?" },
    ])
    expect(metadata.totalCount).toBe(3)
    const [open] = (await questionsOf("?gaps=true")).data
    expect(open).toMatchObject({ question: "Shipping to Norway now?" })
    expect(topic?.tests).toEqual({ total: 0, passed: 0 })
    await query(
      SystemSql.use(
        (sql) => sql`insert into tests (id, organization_id, chatbot_id, question, expectations, message_id)
          select ${Bun.randomUUIDv7()}, organization_id, chatbot_id, question, '{}', message_id
          from reply_grounds where message_id = ${open?.message_id ?? ""}`,
      ),
    )
    expect((await list(id)).data[0]?.tests).toEqual({ total: 1, passed: 0 })
  })

  test("are renamed, ignored and closed, which the audit log records without the words of users", async () => {
    const { ask, id } = await makeAsked(gap("Refund of my order"), gap("Refund of an order"))
    const [topic] = (await list(id)).data
    const change = (json: object) => client.patch(`${path(id)}/${topic?.id}`, { json })
    const changed = read(Schema.Struct({ topic: Topic }), await change({ name: "Money back", state: "answered" }))
    expect(changed.topic).toMatchObject({ name: "Money back", state: "answered", questions: 2 })
    expect((await list(id, "?gaps=true&state=open")).data).toEqual([])
    const { body } = await client.get("/api/admin/audit-log?action=topic.updated&limit=1")
    expect(body).toMatchObject({
      entries: [
        { target: { id: topic?.id }, before: { state: "open" }, after: { state: "answered", topic: "[concealed]" } },
      ],
    })
    await ask(gap("Refund of the order?"))
    expect((await list(id, "?gaps=true&state=open")).data).toMatchObject([{ name: "Money back", gaps: 3 }])
    problem(await change({ state: "gone" }), 400, "invalid_request")
  })

  test("are not found by another chatbot's path, and days have to be in order", async () => {
    const { id } = await makeAsked(...norway)
    const [topic] = (await list(id)).data
    const other = await client.newChatbot()
    problem(await client.get(`${path(other.id)}/${topic?.id}/questions`), 404, "not_found")
    problem(await client.patch(`${path(other.id)}/${topic?.id}`, { json: { name: "x" } }), 404, "not_found")
    problem(await client.get(path("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b")), 404, "not_found")
    problem(await client.get(`${path(id)}?from=2026-02-02&to=2026-02-01`), 400, "invalid_request")
  })
})

test("questions of chats are grouped, and those without an answer are gaps", async () => {
  const { id } = await client.newChatbot()
  await client.learn(id, { "ferries.md": "# Ferries\n\nDogs travel free of charge on the upper deck." })
  for (const question of [
    "Do dogs travel free of charge?",
    "Is there a kennel?",
    "Where is the kennel?",
    "Kennel price?",
  ]) {
    await client.chat(id, question)
  }
  await grouped(id)
  const { data } = await list(id, "?gaps=true")
  expect(data).toMatchObject([{ questions: 3, gaps: 3, name: expect.stringMatching(/kennel/i) }])
})

describe("suggested questions", () => {
  const Suggested = Schema.Struct({ questions: Schema.Array(SuggestedQuestion) })
  const suggest = async (id: string, by = client) =>
    read(Suggested, await by.get(`/api/external/chatbot/${id}/suggested-questions`)).questions

  test("are what users ask and is answered, then what people have answered and what headings say", async () => {
    const { id } = await makeAsked(
      ...norway,
      "How long is shipping to Norway",
      "Shipping to Norway for Ada Lovelace, 12345678",
      gap("Is there a kennel?"),
      gap("A kennel?"),
    )
    await client.learn(id, {
      "ferries.md":
        "# Ferries\n\nAll about it.\n\n## 2.1 Dogs on board\n\nDogs travel free.\n\n## Can I take a bicycle?\n\nYes.",
    })
    expect(await suggest(id)).toEqual([
      { question: "How long is shipping to Norway?", origin: "asked", count: 4, language: "en" },
      { question: "Can I take a bicycle?", origin: "heading", count: 0, language: "en" },
      { question: "Dogs on board", origin: "heading", count: 0, language: null },
    ])
    const reader = await client.limitedTo("conversations:read")
    expect((await suggest(id, reader)).map(({ origin }) => origin)).toEqual(["asked"])
  })

  test("leave out what is offered already", async () => {
    const { id } = await makeAsked(...norway, "How long is shipping to Norway")
    const json = { suggestions: ["how long is shipping to NORWAY?"] }
    expect((await client.patch(`/api/external/chatbot/${id}/chat-widget`, { json })).status).toBe(200)
    expect(await suggest(id)).toEqual([])
  })
})
