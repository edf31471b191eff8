import { describe, expect, test } from "bun:test"
import { Context, Effect, Schema } from "effect"
import { SearchedMessages } from "../../../src/services/conversations/Conversations.ts"
import { Session } from "../../../src/domain/chat/Conversation.ts"
import { Timestamp } from "../../../src/domain/schema/Timestamp.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, problem, read, wrongPaths } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"

const server = await startServer({}, Context.make(SearchedMessages, 100))
const { client } = server
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

const Page = Schema.Struct({
  conversations: Schema.Array(Session),
  next_cursor: Schema.NullOr(Schema.String),
  searched_to: Schema.optionalKey(Timestamp),
})

const page = async (query = "", as: Client = client) => read(Page, await as.get(`/api/external/conversations${query}`))
const tokens = async (query = "", as: Client = client) =>
  (await page(query, as)).conversations.map(({ session_token }) => session_token)

/** A new organization with two chatbots. */
const makeWorld = async () => {
  const mine = await client.newOrganization()
  const [first, second] = [await mine.newChatbot({ name: "First" }), await mine.newChatbot({ name: "Second" })]
  return { mine, first: first.id, second: second.id }
}

/** Adds conversations with one message each, the first one the latest, older than any other. */
const addOld = (chatbot: string, count: number, content: string) =>
  server.query(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      yield* sql`with added as (
        insert into sessions (id, organization_id, chatbot_id, session_token, platform, message_count, updated_at)
        select gen_random_uuid(), organization_id, id, 'old-' || number, 'web', 1, now() - number * interval '1 hour'
        from chatbots, generate_series(1, ${count}::int) number where id = ${chatbot}
        returning id, organization_id, session_token
      )
      insert into messages (id, organization_id, session_id, sender_type, content)
      select gen_random_uuid(), organization_id, id, 'user', ${content}::text || ' ' || session_token from added`
    }),
  )

describe("the list of the conversations of all chatbots", () => {
  test("has the newest activity first, whichever chatbot it is of, and goes on where a page ended", async () => {
    const { first, mine, second } = await makeWorld()
    for (const [chatbot, sessionToken] of [
      [first, "a"],
      [second, "b"],
      [first, "c"],
      [second, "a"],
    ] as const) {
      await mine.chat(chatbot, "Hello", { sessionToken })
    }
    await mine.chat(first, "Hello again", { sessionToken: "a" })
    expect(await tokens("", mine)).toEqual(["a", "a", "c", "b"])
    const { conversations } = await page("", mine)
    expect(conversations.map(({ title }) => title)).toEqual(["Hello", "Hello", "Hello", "Hello"])
    const one = await page("?limit=3", mine)
    const two = await page(`?limit=3&cursor=${one.next_cursor}`, mine)
    expect([...one.conversations, ...two.conversations]).toEqual((await page("", mine)).conversations.slice())
    expect(two.next_cursor).toBeNull()
    expect(await tokens(`?chatbot_id=${second}`, mine)).toEqual(["a", "b"])
    expect(await tokens("?from=2100-01-01T00:00:00Z", mine)).toEqual([])
    expect(await tokens("?to=2100-01-01T00:00:00Z&from=2020-01-01T00:00:00Z", mine)).toHaveLength(4)
  })

  test("tells the conversations with a reply without an answer, and the message that it is", async () => {
    const { first, mine } = await makeWorld()
    await mine.learn(first, { "refunds.md": "# Refunds\n\nRefunds take five working days." })
    await mine.chat(first, "How long do refunds take?", { sessionToken: "knows" })
    await mine.chat(first, "Hello!", { sessionToken: "greets" })
    await mine.chat(first, "Which elephants can dance the tango?", { sessionToken: "wonders" })
    await mine.chat(first, "Thank you", { sessionToken: "wonders" })
    expect(await tokens("?unanswered=true", mine)).toEqual(["wonders"])
    const all = await page("", mine)
    expect(all.conversations.map(({ unanswered }) => unanswered)).toEqual([true, undefined, undefined])
    const messages = await mine.messages(first, "wonders")
    expect(messages.map(({ unanswered }) => unanswered)).toEqual([undefined, true, undefined, undefined])
  })

  test("has a conversation whose reply failed before there was anything of it", async () => {
    const mine = await client.newOrganization()
    const chatbot = await mine.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
    await server.provider.answers({ kind: "status", status: 400, type: "invalid_request_error", headers: {} })
    expect((await mine.say(chatbot.id, "Hello?", { sessionToken: "failed" })).status).toBe(502)
    expect(await tokens("?unanswered=true", mine)).toEqual(["failed"])
  })

  test("follows ratings as they are given, changed and taken back", async () => {
    const { first, mine } = await makeWorld()
    const { session_id } = await mine.chat(first, "How long do refunds take?", { sessionToken: "rated" })
    const [, reply] = await mine.messages(first, session_id)
    const rate = async (rating: "up" | "down" | null) => {
      const at = `/api/external/chatbot/${first}/conversations/${session_id}/messages/${reply?.id}/feedback`
      expect((await mine.post(at, { json: { rating } })).status).toBe(200)
      const { ratings } = await mine.session(first, session_id)
      return [await tokens("?rating=up", mine), await tokens("?rating=down", mine), ratings]
    }
    expect(await rate("down")).toEqual([[], ["rated"], { up: 0, down: 1 }])
    expect(await rate("down")).toEqual([[], ["rated"], { up: 0, down: 1 }])
    expect(await rate("up")).toEqual([["rated"], [], { up: 1, down: 0 }])
    expect(await rate(null)).toEqual([[], [], undefined])
  })

  test("has those that are open, or closed, and goes on looking where it has looked through enough", async () => {
    const { first, mine } = await makeWorld()
    for (const sessionToken of ["a", "b", "c"]) await mine.chat(first, "Hello", { sessionToken })
    const path = `/api/external/chatbot/${first}/conversations/b`
    expect((await mine.patch(path, { json: { state: "closed" } })).status).toBe(200)
    expect(await tokens("?state=open", mine)).toEqual(["c", "a"])
    expect(await tokens("?state=closed", mine)).toEqual(["b"])
    expect(await tokens("", mine)).toEqual(["c", "b", "a"])
    const one = await page("?state=open&limit=1", mine)
    expect(one.searched_to).toBeUndefined()
    expect(await tokens(`?state=open&cursor=${one.next_cursor}`, mine)).toEqual(["a"])
  })

  test("is searched by the texts of messages, e-mail addresses and names, in either case and any script", async () => {
    const { first, mine } = await makeWorld()
    await mine.chat(first, "Ich bin im ÄRGER", { sessionToken: "german" })
    await mine.chat(first, "100% of_everything", { sessionToken: "signs", platform: "phone" })
    await server.query(
      SystemSql.use(
        (sql) =>
          sql`update sessions set user_info = '{"email":"Ada@Example.com","name":"Ada Lovelace"}' where session_token = 'signs'`,
      ),
    )
    expect(await tokens(`?search=${encodeURIComponent("ärger")}`, mine)).toEqual(["german"])
    expect(await tokens(`?search=${encodeURIComponent("0% OF_")}`, mine)).toEqual(["signs"])
    expect(await tokens(`?search=${encodeURIComponent("%")}`, mine)).toEqual(["signs"])
    expect(await tokens("?search=ada%40example", mine)).toEqual(["signs"])
    expect(await tokens("?search=LOVELACE", mine)).toEqual(["signs"])
    expect(await tokens("?email=ada%40EXAMPLE.com", mine)).toEqual(["signs"])
    expect(await tokens("?email=ada%40EXAMPLE.co", mine)).toEqual([])
    expect(await tokens("?platform=phone", mine)).toEqual(["signs"])
    expect(await tokens("?platform=phone&search=rger", mine)).toEqual([])
  })

  test("is searched a part at a time, and nothing is left out between the parts", async () => {
    const { first, mine } = await makeWorld()
    await addOld(first, 450, "needle")
    const found: Array<string | null> = []
    let [cursor, pages] = ["", 0]
    do {
      const { conversations, next_cursor, searched_to } = await page(`?search=NEEDLE%20old-4${cursor}`, mine)
      expect(searched_to !== undefined).toBe(next_cursor !== null && conversations.length < 20)
      found.push(...conversations.map(({ session_token }) => session_token))
      cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`
      pages++
    } while (cursor !== "")
    const expected = Array.from({ length: 450 }, (_, index) => `old-${index + 1}`)
    expect(found).toEqual(expected.filter((token) => token.startsWith("old-4")))
    // 100 messages for each request, and more than one page of those that match.
    expect(pages).toBeGreaterThanOrEqual(5)
  })

  test("is that of the key's organization, and of the only chatbot that it serves", async () => {
    const { first, mine, second } = await makeWorld()
    const other = await makeWorld()
    await mine.chat(first, "Hello", { sessionToken: "one" })
    await mine.chat(second, "Hello", { sessionToken: "two" })
    const bound = (await mine.newKey({ chatbot_id: first, scopes: ["conversations:read"] })).client
    expect(await tokens("", bound)).toEqual(["one"])
    expect(await tokens("", other.mine)).toEqual([])
    expect((await bound.get(`/api/external/conversations?chatbot_id=${second}`)).status).toBe(403)
    expect((await other.mine.get(`/api/external/conversations?chatbot_id=${first}`)).status).toBe(404)
    expect((await mine.get(`/api/external/conversations?chatbot_id=${nowhere}`)).status).toBe(404)
    const reader = await mine.limitedTo("chat", "chatbots:read")
    problem(await reader.get("/api/external/conversations"), 403, "forbidden")
    expect((await client.withKey(undefined).get("/api/external/conversations")).status).toBe(401)
  })

  test("refuses what is no condition, naming it", async () => {
    for (const [query, path] of [
      ["?limit=0", "query.limit"],
      ["?limit=101", "query.limit"],
      ["?cursor=1", "query.cursor"],
      ["?rating=sideways", "query.rating"],
      ["?unanswered=1", "query.unanswered"],
      ["?state=done", "query.state"],
      ["?platform=A%20b", "query.platform"],
      ["?search=", "query.search"],
      [`?search=${"a".repeat(201)}`, "query.search"],
      ["?search=a%00", "query.search"],
      ["?from=yesterday", "query.from"],
      ["?chatbot_id=1", "query.chatbot_id"],
    ] as const) {
      expect(wrongPaths(await client.get(`/api/external/conversations${query}`))).toEqual([path])
    }
  })
})
