import { describe, expect, test } from "bun:test"
import { invalid, problem, wrongPaths } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, dump } = await sharedServer()

const erasures = "/api/external/erasures"
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

/** The lines of a dump that hold a text, in whatever case. */
const found = async (text: string) => (await dump()).split("\n").filter((line) => line.toLowerCase().includes(text))

describe("erasing a visitor", () => {
  test("by e-mail leaves nothing of the visitor in any table or file, and everything of others", async () => {
    const own = await client.newOrganization()
    const settings = { isRequestUserInfoEnabled: true }
    const [{ id: first }, { id: second }] = [await own.newChatbot({ settings }), await own.newChatbot({ settings })]
    await own.learn(first, { "a.md": "# Refunds\n\nRefunds take five days.\n" })
    for (const [chatbot, email] of [
      [first, "Kestrel@Example.com"],
      [second, "kestrel@example.com"],
    ] as const) {
      const sessionToken = `kestrel-${chatbot}`
      await own.chat(chatbot, "How long do kestrel refunds take?", { sessionToken })
      const { session_id } = await own.chat(chatbot, email, { sessionToken })
      const reply = (await own.messages(chatbot, session_id)).at(-1)?.id
      const rating = { rating: "up", comment: "kestrel comment" }
      const path = `/api/external/chatbot/${chatbot}/conversations/${session_id}/messages/${reply}/feedback`
      expect((await own.post(path, { json: rating })).status).toBe(200)
      expect((await own.session(chatbot, session_id)).user_info).toEqual({ email })
    }
    await own.chat(first, "How long do other refunds take?", { sessionToken: "other" })
    expect((await found("kestrel")).length).toBeGreaterThan(5)
    const reply = await own.post(erasures, { json: { email: "KESTREL@example.com" } })
    expect([reply.status, reply.body]).toEqual([200, { erased: { conversations: 2, messages: 8 } }])
    expect(await found("kestrel")).toEqual([])
    expect((await own.messages(first, "other")).length).toBe(2)
    problem(await own.get(`/api/external/chatbot/${first}/conversations/kestrel-${first}`), 404, "not_found")
    const again = await own.post(erasures, { json: { email: "KESTREL@example.com" } })
    expect(again.body).toEqual({ erased: { conversations: 0, messages: 0 } })
  })

  test("by session token concerns every chatbot of the organization, or one, and no other organization", async () => {
    const [own, other] = [await client.newOrganization(), await client.newOrganization()]
    const [{ id: first }, { id: second }] = [await own.newChatbot(), await own.newChatbot()]
    const { id: theirs } = await other.newChatbot()
    const sessionToken = "visitor-1"
    for (const chatbot of [first, second]) await own.chat(chatbot, "Hello", { sessionToken })
    await other.chat(theirs, "Hello", { sessionToken })
    const erase = async (json: object) => (await own.post(erasures, { json })).body
    const one = { erased: { conversations: 1, messages: 2 } }
    expect(await erase({ session_token: sessionToken, chatbot_id: first })).toEqual(one)
    expect(await own.messages(second, sessionToken)).toHaveLength(2)
    expect(await erase({ session_token: sessionToken })).toEqual(one)
    expect(await other.messages(theirs, sessionToken)).toHaveLength(2)
    problem(await own.post(erasures, { json: { session_token: sessionToken, chatbot_id: theirs } }), 404, "not_found")
  })

  test("is possible within the bounds of a key", async () => {
    const own = await client.newOrganization()
    const [{ id: first }, { id: second }] = [await own.newChatbot(), await own.newChatbot()]
    const sessionToken = "visitor-2"
    for (const chatbot of [first, second]) await own.chat(chatbot, "Hello", { sessionToken })
    const { client: bound } = await own.newKey({ scopes: ["conversations:write"], chatbot_id: first })
    const json = { session_token: sessionToken }
    problem(await bound.post(erasures, { json: { ...json, chatbot_id: second } }), 403, "forbidden")
    expect((await bound.post(erasures, { json })).body).toEqual({ erased: { conversations: 1, messages: 2 } })
    expect(await own.messages(second, sessionToken)).toHaveLength(2)
    problem(await (await own.limitedTo("conversations:read")).post(erasures, { json }), 403, "forbidden")
  })

  test("needs exactly one of e-mail and session token", async () => {
    const both = { email: "a@b.example", session_token: "a" }
    for (const json of [{}, both]) invalid(await client.post(erasures, { json }), "email")
    for (const json of [{ email: "" }, { email: "a".repeat(321) }, { email: 1 }]) {
      invalid(await client.post(erasures, { json }), "email")
    }
    expect(wrongPaths(await client.post(erasures, { json: { ...both, all: true } }))).toContain("all")
    const unknown = { session_token: "a", chatbot_id: nowhere }
    problem(await client.post(erasures, { json: unknown }), 404, "not_found")
  })
})
