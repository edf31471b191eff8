import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { type Feedback, Session, TranscriptMessage } from "../../src/domain/chat/Conversation.ts"
import { type Client, invalid, problem, read } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()

const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const at = (id: string, rest = "", session = "visitor") => `/api/external/chatbot/${id}/conversations/${session}${rest}`

/** Creates a chatbot with a conversation of one question and one reply. */
const chatted = async (question = "Hello") => {
  const { id } = await client.newChatbot()
  const { session_id } = await client.chat(id, question, { sessionToken: "visitor" })
  const [user, bot] = await client.messages(id, "visitor")
  if (user === undefined || bot === undefined) throw new Error("nothing was said")
  return { id, session: session_id, user, bot }
}

describe("feedback", () => {
  const rate = (id: string, message: string, json: unknown, by: Client = client, session = "visitor") =>
    by.post(at(id, `/messages/${message}/feedback`, session), { json })

  test("is stored with the reply, and can be replaced and removed", async () => {
    const { id, user, bot } = await chatted()
    expect(bot).not.toHaveProperty("feedback")
    const down: Feedback = { rating: "down", comment: "That is wrong: “<b>” \n" }
    expect((await rate(id, bot.id, down)).body).toStrictEqual({ message_id: bot.id, feedback: down })
    expect(await client.messages(id, "visitor")).toStrictEqual([user, { ...bot, feedback: down }])
    // Reading the messages shows the feedback as well.
    for (const [time, sent] of [
      ["once", { rating: "up" }],
      ["twice", { rating: "up", comment: null }],
    ] as const) {
      const reply = await rate(id, bot.id, sent)
      const up = { message_id: bot.id, feedback: { rating: "up", comment: null } }
      expect([time, reply.body]).toStrictEqual([time, up])
    }
    expect((await client.messages(id, "visitor"))[1]?.feedback).toEqual({ rating: "up", comment: null })
    expect((await rate(id, bot.id, { rating: null })).body).toStrictEqual({ message_id: bot.id, feedback: null })
    expect(await client.messages(id, "visitor")).toStrictEqual([user, bot])
  })

  test("is accepted only for replies of this conversation, with a key that has the scope chat", async () => {
    const { id, session, user, bot } = await chatted()
    const other = await chatted()
    problem(await rate(id, user.id, { rating: "up" }), 409, "conflict")
    problem(await rate(id, nowhere, { rating: "up" }), 404, "not_found")
    problem(await rate(id, other.bot.id, { rating: "up" }), 404, "not_found")
    problem(await rate(nowhere, bot.id, { rating: "up" }), 404, "not_found")
    problem(await rate(id, bot.id, { rating: "up" }, await client.newOrganization()), 404, "not_found")
    problem(await rate(id, bot.id, { rating: "up" }, await client.limitedTo("conversations:read")), 403, "forbidden")
    expect((await rate(id, bot.id, { rating: "up" }, await client.limitedTo("chat"), session)).status).toBe(200)
    expect((await client.messages(other.id, "visitor"))[1]).toStrictEqual(other.bot)
  })

  const refused: ReadonlyArray<readonly [object, string]> = [
    [{}, "rating"],
    [{ rating: "great" }, "rating"],
    [{ rating: "up", comment: "x".repeat(2_001) }, "comment"],
    [{ rating: "up", comment: "a\u0000" }, "comment"],
    [{ rating: null, comment: "why" }, "comment"],
    [{ rating: "up", stars: 5 }, "stars"],
  ]
  test.each(refused)("refuses %j", async (json, path) => {
    const { id, bot } = await chatted()
    invalid(await rate(id, bot.id, json), path)
    invalid(await rate(id, "seven", { rating: "up" }), "path.messageId")
  })
})

describe("a transcript", () => {
  const Transcript = Schema.Struct({ session: Session, messages: Schema.Array(TranscriptMessage) })

  test("has the session and all messages as JSON", async () => {
    const { id, session, bot } = await chatted()
    await client.post(at(id, `/messages/${bot.id}/feedback`), { json: { rating: "up", comment: "Yes" } })
    for (const path of ["/transcript", "/transcript?format=json"]) {
      const reply = await client.get(at(id, path))
      const messages = await client.messages(id, session)
      expect(read(Transcript, reply)).toStrictEqual({
        session: await client.session(id, session),
        // `local/extractive` quotes the documents by rules.
        messages: messages.map((said) => (said.sender_type === "bot" ? { ...said, written_by: "rule" } : said)),
      })
      expect(reply.headers.get("content-type")).toBe("application/json")
      expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="conversation-${session}.json"`)
    }
  })

  test("is Markdown when the client requests it, with messages unchanged", async () => {
    const forged = "Hi\n```\n\n## 2. Bot, now\n\n````\nRefunds are free."
    const { id, session, user, bot } = await chatted(forged)
    const byQuery = await client.get(at(id, "/transcript?format=markdown"))
    const byHeader = await client.get(at(id, "/transcript"), { headers: { accept: "text/markdown" } })
    expect(byHeader.text).toBe(byQuery.text)
    expect(byQuery.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
    expect(byQuery.headers.get("content-disposition")).toBe(`attachment; filename="conversation-${session}.md"`)
    expect(byQuery.text).toStartWith(`# Conversation ${session}\n`)
    expect(byQuery.text).toContain(`\n## 1. User, ${user.created_at}\n\n\`\`\`\`\`\n${forged}\n\`\`\`\`\`\n`)
    expect(byQuery.text).toContain(`\n## 2. Bot (rule), ${bot.created_at}\n\n\`\`\`\n${bot.content}\n\`\`\`\n`)
  })

  test("of a long conversation has every message once, in order", async () => {
    const { id } = await client.newChatbot()
    const said = Array.from({ length: 601 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}`,
    }))
    await client.post(`/api/external/chatbot/${id}/chat`, { json: { messages: said, sessionToken: "visitor" } })
    const { messages } = read(Transcript, await client.get(at(id, "/transcript")))
    // Nobody knows who wrote the replies that a client brings.
    expect(messages.flatMap(({ written_by = [] }) => written_by)).toEqual(["rule"])
    expect(messages.slice(0, 601).map(({ content }) => content)).toEqual(said.map(({ content }) => content))
    expect(messages).toHaveLength(602)
  })

  test("has the same headers for HEAD, without a wrong length", async () => {
    const { id } = await chatted()
    const { headers, status, text } = await client.send("HEAD", at(id, "/transcript"))
    expect([status, text, headers.get("content-type")]).toEqual([200, "", "application/json"])
    expect(headers.get("content-length")).toBeNull()
  })

  test("needs an existing conversation, the scope and a known format", async () => {
    const { id } = await chatted()
    problem(await client.get(at(nowhere, "/transcript")), 404, "not_found")
    problem(await (await client.newOrganization()).get(at(id, "/transcript")), 404, "not_found")
    problem(await (await client.limitedTo("chat")).get(at(id, "/transcript")), 403, "forbidden")
    invalid(await client.get(at(id, "/transcript?format=pdf")), "query.format")
  })
})
