import { describe, expect, test } from "bun:test"
import { Context, Schema } from "effect"
import { LookupMillis } from "../../../src/services/keys/RecentLookups.ts"
import { LiveReplyBounds } from "../../../src/services/widget/LiveReplies.ts"
import { AuditEntry } from "../../../src/domain/audit/AuditEntry.ts"
import { IdentitySecret } from "../../../src/domain/widget/IdentitySecret.ts"
import { VisitorSession } from "../../../src/domain/widget/Widget.ts"
import { type Client, problem, read, until } from "../../lib/Client.ts"
import { signIdentity } from "../../lib/Identity.ts"
import { keyOf } from "../../lib/Keys.ts"
import { startServer } from "../../lib/TestServer.ts"
import { visit, type VisitorClient } from "../../lib/Visitors.ts"

const { client, dump } = await startServer(
  {
    SECRETS_KEY: Buffer.from(keyOf(1)).toString("base64"),
    WIDGET_ADDRESS_RATE_LIMIT: "off",
  },
  // A reply is kept until a few more are made in the same organization.
  Context.make(LiveReplyBounds, { keptFor: "1 hour", memory: 4 * 16 * 1024 }).pipe(Context.add(LookupMillis, 100)),
)
const visitor = client.withKey(undefined)

const Made = Schema.Struct({ identity_secret: IdentitySecret, secret: Schema.String })
const path = (chatbot: string) => `/api/external/chatbot/${chatbot}/identity-secrets`
const make = async (chatbot: string, as: Client = client) => read(Made, await as.post(path(chatbot)))
const list = async (chatbot: string) =>
  read(Schema.Struct({ identity_secrets: Schema.Array(IdentitySecret) }), await client.get(path(chatbot)))
    .identity_secrets

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds
const claims = (chatbot: string, more: object = {}) => ({ aud: chatbot, sub: "user-7", exp: inSeconds(600), ...more })
const open = (key: string, more: object) => visitor.post("/api/widget/sessions", { json: { key, ...more } })
const visitorWith = async (key: string, identity: string) => read(VisitorSession, await open(key, { identity })).visitor

describe("an identity secret of a chatbot", () => {
  test("is shown once, kept encrypted, and replaced while both are valid", async () => {
    const bot = await client.newChatbot({ is_public: true })
    const old = await make(bot.id)
    expect(Buffer.from(old.secret, "base64url").length).toBe(32)
    const identity = signIdentity(old.secret, claims(bot.id))
    expect(await visitorWith(bot.id, identity)).toMatchObject({ is_verified: true })

    const next = await make(bot.id)
    problem(await client.post(path(bot.id)), 409, "conflict")
    expect(await list(bot.id)).toEqual([old.identity_secret, next.identity_secret])
    expect(old.identity_secret.last_four).toBe(old.secret.slice(-4))
    const renewed = await visitorWith(bot.id, signIdentity(next.secret, claims(bot.id)))
    expect(renewed).toEqual(await visitorWith(bot.id, identity))

    await client.delete(`${path(bot.id)}/${old.identity_secret.id}`)
    problem(await client.delete(`${path(bot.id)}/${old.identity_secret.id}`), 404, "not_found")
    expect(problem(await open(bot.id, { identity }), 401, "unauthorized").detail).toContain("signature")
    expect(await visitorWith(bot.id, signIdentity(next.secret, claims(bot.id)))).toEqual(renewed)

    const stored = await dump()
    for (const { secret } of [old, next]) expect(stored).not.toContain(secret)
    const { entries } = read(
      Schema.Struct({ entries: Schema.Array(AuditEntry) }),
      await client.get(`/api/admin/audit-log?target_id=${old.identity_secret.id}`),
    )
    expect(entries.map(({ action, target }) => [action, target.chatbot_id])).toEqual([
      ["identity_secret.deleted", bot.id],
      ["identity_secret.created", bot.id],
    ])
  })

  test("ends the sessions of those whom it has vouched for when it is deleted, and so does the token's end", async () => {
    const bot = await client.newChatbot({ is_public: true })
    const [gone, kept] = [await make(bot.id), await make(bot.id)]
    const withEnd = (secret: string, seconds: number) =>
      visit(client, bot.id, { identity: signIdentity(secret, claims(bot.id, { exp: inSeconds(seconds) })) })
    const sessions = [await withEnd(gone.secret, 600), await withEnd(kept.secret, 600)]
    const statuses = () => Promise.all(sessions.map(async (one) => (await one.send("GET", "/conversations")).status))
    expect(await statuses()).toEqual([200, 200])
    await client.delete(`${path(bot.id)}/${gone.identity_secret.id}`)
    await until(statuses, ([first]) => first === 401)
    expect(await statuses()).toEqual([401, 200])
    // One that is made meanwhile vouches at once.
    sessions.push(await withEnd((await make(bot.id)).secret, 600))
    expect(await statuses()).toEqual([401, 200, 200])
    // Both clocks may be off by a minute.
    const exp = inSeconds(-30)
    const ending = await visit(client, bot.id, { identity: signIdentity(kept.secret, claims(bot.id, { exp })) })
    expect(Date.parse(ending.session.expires_at)).toBe((exp + 60) * 1_000)
  })

  test("is never more than one of two, however many are made at once", async () => {
    const bot = await client.newChatbot()
    const replies = await Promise.all(Array.from({ length: 6 }, () => client.post(path(bot.id))))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409])
    expect(await list(bot.id)).toHaveLength(2)
  })

  test("is managed only by keys that administer the organization", async () => {
    const bot = await client.newChatbot()
    const { identity_secret } = await make(bot.id)
    const writer = await client.limitedTo("chatbots:read", "chatbots:write")
    const stranger = await client.newOrganization()
    const one = `${path(bot.id)}/${identity_secret.id}`
    for (const [as, status, code] of [
      [writer, 403, "forbidden"],
      [stranger, 404, "not_found"],
    ] as const) {
      problem(await as.get(path(bot.id)), status, code)
      problem(await as.post(path(bot.id)), status, code)
      problem(await as.delete(one), status, code)
    }
    const another = await client.newChatbot()
    problem(await client.delete(`${path(another.id)}/${identity_secret.id}`), 404, "not_found")
    expect(await list(bot.id)).toEqual([identity_secret])
  })
})

test("a key that may not talk or read what visitors said makes no identity secret, and may delete those of others", async () => {
  const bot = await client.newChatbot()
  for (const scopes of [["admin"], ["admin", "chat"], ["admin", "conversations:read"]] as const) {
    const limited = await client.limitedTo(...scopes)
    const { detail } = problem(await limited.post(path(bot.id)), 403, "forbidden")
    expect(detail).toContain("lacks what it would give")
  }
  const { identity_secret } = await make(bot.id, await client.limitedTo("admin", "chat", "conversations:read"))
  expect((await (await client.limitedTo("admin")).delete(`${path(bot.id)}/${identity_secret.id}`)).status).toBe(200)
})

describe("a visitor with an identity", () => {
  test("is who the customer's server says, on every device, and of this chatbot alone", async () => {
    const bot = await client.newChatbot({ is_public: true })
    const other = await client.newChatbot({ is_public: true })
    const { secret } = await make(bot.id)
    const ofOther = await make(other.id)
    const about = { email: "ada@example.com", name: "Ada Lovelace" }
    const identity = signIdentity(secret, claims(bot.id, about))
    const known = await visitorWith(bot.id, identity)
    expect(known).toEqual({ id: known.id, is_verified: true, ...about })
    const phone = await open(bot.id, { identity, visitor_secret: "yLwDnJm3TzqV0k5bXhRr9A" })
    expect(read(VisitorSession, phone).visitor).toEqual(known)
    const somebodyElse = await visitorWith(bot.id, signIdentity(secret, claims(bot.id, { sub: "user-8" })))
    expect(somebodyElse.id).not.toBe(known.id)

    for (const refused of [
      // Signed for this chatbot, and shown to the other one.
      [other.id, identity],
      // Signed with the other one's secret.
      [bot.id, signIdentity(ofOther.secret, claims(bot.id))],
      [bot.id, signIdentity(secret, claims(other.id))],
      [bot.id, signIdentity(secret, claims(bot.id, { exp: inSeconds(-120) }))],
      [bot.id, `${identity}x`],
      [bot.id, "nonsense"],
      [bot.id, ""],
    ] as const) {
      const { detail } = problem(await open(refused[0], { identity: refused[1] }), 401, "unauthorized")
      expect(detail).toStartWith("The identity token is refused: ")
    }
    const fresh = await visitorWith(other.id, signIdentity(ofOther.secret, claims(other.id)))
    expect(fresh.id).not.toBe(known.id)
  })

  test("cannot be claimed where the chatbot has no secret, or without a signature", async () => {
    const bot = await client.newChatbot({ is_public: true })
    problem(await open(bot.id, { identity: signIdentity("", claims(bot.id)) }), 401, "unauthorized")
    expect((await open(bot.id, { email: "ada@example.com", is_verified: true })).status).toBe(400)
  })

  test("is erased by the signed address, with what the browser said before, also where the chatbot asks for none", async () => {
    const bot = await client.newChatbot({ is_public: true, settings: { model: "local/extractive" } })
    const { secret } = await make(bot.id)
    const visitor_secret = "zLwDnJm3TzqV0k5bXhRr9A"
    const signed = (more: object) => signIdentity(secret, claims(bot.id, { sub: "ada", ...more }))
    const erase = async (email: string) =>
      (await client.post("/api/external/erasures", { json: { email, chatbot_id: bot.id } })).body
    const talk = async (who: VisitorClient) => {
      await who.hear("When does the heron breed?")
    }
    const stranger = await visit(client, bot.id)
    await talk(stranger)
    // Before the page says who it is; then without an address, and with one.
    await talk(await visit(client, bot.id, { visitor_secret }))
    await talk(await visit(client, bot.id, { identity: signed({}) }))
    const known = await visit(client, bot.id, { visitor_secret, identity: signed({ email: "Ada@example.com" }) })
    await talk(known)
    expect(await known.conversations()).toHaveLength(3)
    expect(await erase("ada@example.com")).toEqual({ erased: { conversations: 3, messages: 6 } })
    expect(await known.conversations()).toEqual([])
    expect(await stranger.conversations()).toHaveLength(1)

    // Under the address that was signed last.
    await talk(known)
    await visit(client, bot.id, { identity: signed({ email: "lovelace@example.com" }) })
    expect(await erase("ada@example.com")).toEqual({ erased: { conversations: 0, messages: 0 } })
    expect(await erase("lovelace@example.com")).toEqual({ erased: { conversations: 1, messages: 2 } })
  })

  test("is named in the conversations, those from before included, by what was signed last", async () => {
    const bot = await client.newChatbot({ is_public: true, settings: { model: "local/extractive" } })
    const { secret } = await make(bot.id)
    const visitor_secret = "aLwDnJm3TzqV0k5bXhRr9A"
    const signed = (name: string) => signIdentity(secret, claims(bot.id, { name }))
    const anonymous = await visit(client, bot.id, { visitor_secret })
    const { conversation } = (await anonymous.hear("When does the heron breed?")).ids
    const infoOf = async (id: string) => (await client.session(bot.id, id)).user_info
    expect(await infoOf(conversation)).toEqual({})
    const known = await visit(client, bot.id, { visitor_secret, identity: signed("Ada") })
    expect(await infoOf(conversation)).toEqual({ name: "Ada" })
    const later = (await known.hear("And when does it leave?")).ids.conversation
    expect(await infoOf(later)).toEqual({ name: "Ada" })
    await visit(client, bot.id, { identity: signed("Ada Lovelace") })
    expect([await infoOf(conversation), await infoOf(later)]).toEqual([
      { name: "Ada Lovelace" },
      { name: "Ada Lovelace" },
    ])
  })

  test("keeps the conversations of its browser from whoever shows the browser's earlier token", async () => {
    const bot = await client.newChatbot({ is_public: true, settings: { model: "local/extractive" } })
    const { secret } = await make(bot.id)
    const anonymous = await visit(client, bot.id, { visitor_secret: "yLwDnJm3TzqV0k5bXhRr9A" })
    const [text, message] = ["When does the heron breed?", crypto.randomUUID()]
    const { conversation, reply } = (await anonymous.hear(text, {}, message)).ids
    const known = await visit(client, bot.id, {
      visitor_secret: "yLwDnJm3TzqV0k5bXhRr9A",
      identity: signIdentity(secret, claims(bot.id)),
    })
    const messages = await known.messages(conversation)
    expect(messages).toHaveLength(2)

    problem(await anonymous.send("POST", "/chat", { message: { id: message, text } }), 409, "conflict")
    // Once the reply is only in the database, since later ones have taken its place in the memory.
    while ((await known.resume(reply, 0)).response.status !== 404) await known.hear("And when does it leave?")
    expect((await anonymous.hear(text, {}, message)).response.status).toBe(404)
    expect(await known.messages(conversation)).toEqual(messages)
    expect(await anonymous.conversations()).toEqual([])
  })
})
