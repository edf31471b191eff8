import { describe, expect, test } from "bun:test"
import { Context, Schema } from "effect"
import { HandoverRates } from "../../../src/admission/RateLimiter.ts"
import { ApiKey } from "../../../src/domain/keys/ApiKey.ts"
import { UsageRow } from "../../../src/domain/organizations/Usage.ts"
import { IdentitySecret } from "../../../src/domain/widget/IdentitySecret.ts"
import { VisitorSession } from "../../../src/domain/widget/Widget.ts"
import { problem, read, type Reply, until } from "../../lib/Client.ts"
import { signIdentity } from "../../lib/Identity.ts"
import { startServer } from "../../lib/TestServer.ts"
import { publish, visit, VisitorClient } from "../../lib/Visitors.ts"

/*
 * Which requests of visitors are admitted, and what counts for whom.
 */

const { client, url } = await startServer({
  RATE_LIMIT: "100000/10s",
  ORGANIZATION_RATE_LIMIT: "off",
  WIDGET_ADDRESS_RATE_LIMIT: "off",
  WIDGET_VISITOR_RATE_LIMIT: "20/1m",
  KEY_CONCURRENT_CHATS: "100",
})

const look = (visitor: VisitorClient) => visitor.send("GET", "/conversations")
const isRefused = ({ status }: Reply) => status === 401
const keyOf = async (key: string) => {
  const { api_keys } = read(Schema.Struct({ api_keys: Schema.Array(ApiKey) }), await client.get("/api/admin/api-keys"))
  return api_keys.find(({ public_key }) => public_key === key) ?? expect.unreachable()
}
const secretOf = async (chatbot: string) =>
  read(
    Schema.Struct({ identity_secret: IdentitySecret, secret: Schema.String }),
    await client.post(`/api/external/chatbot/${chatbot}/identity-secrets`),
  ).secret
const browser = "yLwDnJm3TzqV0k5bXhRr9A"

describe("a visitor's token", () => {
  test("ends with its key, with the chatbot, and when the chatbot is public no longer", async () => {
    const [ofKey, ofChatbot, ofPublic] = [
      await client.newChatbot(),
      await client.newChatbot(),
      await client.newChatbot({ is_public: true }),
    ]
    const key = await publish(client, ofKey.id)
    const visitors = [
      await visit(client, key),
      await visit(client, await publish(client, ofChatbot.id)),
      await visit(client, ofPublic.id),
    ]
    for (const visitor of visitors) expect((await look(visitor)).status).toBe(200)
    await client.delete(`/api/admin/api-keys/${(await keyOf(key)).id}`)
    await client.delete(`/api/external/chatbot/${ofChatbot.id}`)
    await client.patch(`/api/external/chatbots?id=${ofPublic.id}`, { json: { is_public: false } })
    for (const visitor of visitors) {
      const { detail } = problem(await until(() => look(visitor), isRefused), 401, "unauthorized")
      expect(detail).toContain("Open a session anew")
    }
  })

  test("is needed, and neither a forged one nor any key is one", async () => {
    const bot = await client.newChatbot()
    const key = await publish(client, bot.id)
    const { session } = await visit(client, key)
    const { token } = session
    for (const forged of ["", "x", key, client.key ?? "", `${token}x`, token.slice(0, -1), token.toLowerCase()]) {
      const visitor = new VisitorClient(client, { ...session, token: forged })
      problem(await look(visitor), 401, "unauthorized")
      problem(
        await visitor.send("POST", "/chat", { message: { id: crypto.randomUUID(), text: "Hi" } }),
        401,
        "unauthorized",
      )
    }
    problem(await client.withKey(undefined).get("/api/widget/conversations"), 401, "unauthorized")
    problem(await client.get("/api/widget/conversations"), 401, "unauthorized")
    // Tokens travel in a header, never in an address.
    problem(await client.withKey(undefined).get(`/api/widget/conversations?token=${token}`), 401, "unauthorized")
  })

  test("reaches no conversation of another visitor, not of the same secret at another chatbot", async () => {
    const [one, two] = [await client.newChatbot(), await client.newChatbot()]
    const mine = await visit(client, await publish(client, one.id), { visitor_secret: browser })
    const { conversation } = (await mine.hear("Hello")).ids
    expect(await mine.messages(conversation)).toHaveLength(2)
    for (const other of [
      await visit(client, await publish(client, two.id), { visitor_secret: browser }),
      await visit(client, await publish(client, one.id)),
    ]) {
      problem(await other.send("GET", `/conversations/${conversation}/messages`), 404, "not_found")
      expect(await other.conversations()).toEqual([])
    }
    // Another key of the same chatbot is the same visitor.
    const again = await visit(client, await publish(client, one.id), { visitor_secret: browser })
    expect(await again.conversations()).toMatchObject([{ id: conversation }])
  })
})

describe("a visitor whom the customer's server has signed", () => {
  test("is not asked for an e-mail address that is signed, and keeps what was said before", async () => {
    const bot = await client.newChatbot({ is_public: true, settings: { isRequestUserInfoEnabled: true } })
    const secret = await secretOf(bot.id)
    const exp = Math.floor(Date.now() / 1_000) + 600
    const identity = signIdentity(secret, { aud: bot.id, sub: "7", exp, email: "ada@example.com" })
    const anonymous = await visit(client, bot.id, { visitor_secret: browser })
    const asked = await anonymous.hear("Hello")
    expect(asked.text).toContain("e-mail")
    const known = await visit(client, bot.id, { visitor_secret: browser, identity })
    expect(known.session.visitor).toMatchObject({ is_verified: true, email: "ada@example.com" })
    expect(await known.conversations()).toMatchObject([{ id: asked.ids.conversation }])
    expect(await anonymous.conversations()).toEqual([])
    const answered = await known.hear("Hello")
    expect(answered.text).not.toContain("e-mail")
    const { user_info } = await client.session(bot.id, answered.ids.conversation)
    expect(user_info).toEqual({ email: "ada@example.com" })
    const phone = await visit(client, bot.id, { identity })
    expect(await phone.conversations()).toHaveLength(2)
  })
})

describe("what visitors take counts", () => {
  const chat = (visitor: VisitorClient) =>
    visitor.send("POST", "/chat", { message: { id: crypto.randomUUID(), text: "Hello" } })

  test("for their key, whose budget holds for all of them", async () => {
    const bot = await client.newChatbot()
    const key = await publish(client, bot.id)
    const { id } = await keyOf(key)
    await (await visit(client, key)).hear("Hello")
    const { data } = read(
      Schema.Struct({ data: Schema.Array(UsageRow) }),
      await client.get("/api/external/usage?group_by=key&limit=100"),
    )
    expect(data.find(({ api_key_id }) => api_key_id === id)).toMatchObject({ replies: 1 })
    await client.patch(`/api/admin/api-keys/${id}`, { json: { budget: { tokens_per_day: 0 } } })
    const refused = await until(async () => chat(await visit(client, key)), { status: 429 })
    problem(refused, 429, "budget_spent")
  })

  test("for the chatbot's own id where it is embedded by that", async () => {
    const bot = await client.newChatbot({ is_public: true })
    await (await visit(client, bot.id)).hear("Hello")
    const usage = await client.get("/api/external/usage?group_by=key&limit=100")
    expect(usage.text).toContain(`"api_key_id":"${bot.id}"`)
  })

  test("for themselves, also while they open sessions again and again", async () => {
    const bot = await client.newChatbot()
    const key = await publish(client, bot.id)
    const visitor = await visit(client, key, { visitor_secret: browser })
    const refused = await until(
      () => look(visitor),
      ({ status }) => status !== 200,
    )
    expect(problem(refused, 429, "rate_limited").detail).toContain("A visitor may send 20 requests")
    const open = { json: { key, visitor_secret: browser } }
    problem(await client.withKey(undefined).post("/api/widget/sessions", open), 429, "rate_limited")
    expect((await look(await visit(client, key))).status).toBe(200)
  })
})

test("an address that guesses keys of widgets is refused for a while", async () => {
  const server = await startServer({ RATE_LIMIT: "100/10s", WIDGET_ADDRESS_RATE_LIMIT: "33/1h" })
  const visitor = server.client.withKey(undefined)
  const guess = () => visitor.get(`/api/widget/config/${crypto.randomUUID()}`)
  const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 404, 429])
  const session = { token: "vst2.e30.x", expires_at: "", visitor: { id: "", is_verified: false } }
  const forged = new VisitorClient(server.client, Schema.decodeUnknownSync(VisitorSession)(session))
  problem(await look(forged), 429, "rate_limited")
  expect(server.url).not.toBe(url)
})

test("a visitor, and an address, hand over a bounded number of conversations in an hour", async () => {
  const rates = { visitor: { quota: 2, seconds: 3_600 }, address: { quota: 3, seconds: 3_600 } }
  const { client } = await startServer({ RATE_LIMIT: "100000/10s" }, Context.make(HandoverRates, rates))
  const { id } = await client.newChatbot({ settings: { handover: { button: true } } })
  const key = await publish(client, id)
  const [one, two] = [await visit(client, key), await visit(client, key)]
  const message = () => ({ message: { id: crypto.randomUUID(), text: "A person, please" } })
  const first = message()
  const ask = (visitor: VisitorClient, body: object) => visitor.send("POST", "/handover", body)
  expect((await ask(one, first)).status).toBe(200)
  expect((await ask(one, message())).status).toBe(200)
  expect(problem(await ask(one, message()), 429, "rate_limited").retry_after_seconds).toBeGreaterThan(60)
  // What people have already is no other handover.
  expect((await ask(one, first)).status).toBe(200)
  expect((await ask(two, message())).status).toBe(200)
  expect(problem(await ask(two, message()), 429, "rate_limited").detail).toContain("at this address")
  expect(await one.conversations()).toHaveLength(2)
})
