import { describe, expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import { WidgetConversation, type WidgetHandover, type WidgetUpdate } from "../../../src/domain/widget/Widget.ts"
import { PersonId } from "../../../src/domain/Ids.ts"
import { handBack } from "../../../src/storage/conversations/Handovers.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { invalid, read, until } from "../../lib/Client.ts"
import { signIdentity } from "../../lib/Identity.ts"
import { sharedServer } from "../../lib/TestServer.ts"
import { publish, visit, type VisitorClient } from "../../lib/Visitors.ts"

/*
 * Visitors of the chat widget and people: what a visitor asks for, sees and tells. What people do is written to the
 * database, as another server would.
 */

const server = await sharedServer()
const { client, query } = server

const run = (statement: (sql: SystemSql["Service"]) => Effect.Effect<unknown, unknown>) =>
  query(SystemSql.use((sql) => Effect.orDie(statement(sql))))

const widgetOf = async (handover: object = { button: true }) => {
  const chatbot = await client.newChatbot({ settings: { model: "local/extractive", handover } })
  const key = await publish(client, chatbot.id)
  return { chatbot, key, visitor: await visit(client, key) }
}

const message = (text: string, id: string = crypto.randomUUID()) => ({ message: { id, text } })

/** Asks for a person, and returns the conversation. */
const ask = async (visitor: VisitorClient, body: object): Promise<WidgetConversation> => {
  const reply = await visitor.send("POST", "/handover", body)
  return read(Schema.Struct({ conversation: WidgetConversation }), reply).conversation
}

/** Anna of the team of a conversation. */
const hire = async (conversation: string, name = "Anna") => {
  const id = crypto.randomUUID()
  await run(
    (sql) => sql`
      with key as (
        insert into api_keys (id, organization_id, name, prefix, hash, kind, scopes, last_four)
        select ${id}::uuid, organization_id, ${name}, '', sha256(${id}::bytea), 'person', '{}', '0000'
        from sessions where id = ${conversation}::uuid returning id, organization_id
      ) insert into people (id, organization_id, name, avatar, state)
      select id, organization_id, ${name}, 'https://example.com/anna.png', 'active' from key`,
  )
  return {
    takes: () =>
      run(
        (sql) => sql`update sessions set assignee = ${id}::uuid, waiting_since = null where id = ${conversation}::uuid`,
      ),
    says: (content: string) =>
      run(
        (sql) => sql`
          with session as (
            update sessions set message_count = message_count + 1, waiting_since = null, updated_at = clock_timestamp()
            where id = ${conversation}::uuid returning id, organization_id
          ) insert into messages (id, organization_id, session_id, sender_type, content, person_id, person_name)
          select ${crypto.randomUUID()}::uuid, organization_id, id, 'agent', ${content}, ${id}::uuid, ${name} from session`,
      ),
    writes: (seconds: number) =>
      run(
        (sql) => sql`
          insert into conversation_presence (session_id, organization_id, who, state, until)
          select id, organization_id, ${id}, 'writing', clock_timestamp() + make_interval(secs => ${seconds}::int)
          from sessions where id = ${conversation}::uuid
          on conflict (session_id, who) do update set until = excluded.until`,
      ),
    reads: () =>
      run((sql) => sql`update sessions set people_read_at = clock_timestamp() where id = ${conversation}::uuid`),
    givesBack: () =>
      run((sql) =>
        handBack(sql, "by_hand", {
          sessions: sql`select ${conversation}::uuid as id`,
          by: { id: PersonId.make(id), name, avatar: null },
        }),
      ),
  }
}

const anna = { name: "Anna", avatar: "https://example.com/anna.png" }
const isMessage = (content: string) => (update: WidgetUpdate) =>
  update.type === "message" && update.message.content === content
const waiting: WidgetHandover = { owner: "people", assignee: null, read_at: null, unread: 0, unanswered: null }

describe("a visitor who asks for a person", () => {
  test("begins a conversation with people by its first message, once however often it is sent", async () => {
    const { chatbot, visitor } = await widgetOf()
    const wish = message("I need a human")
    const conversation = await ask(visitor, { ...wish, email: "ada@example.com" })
    expect(conversation.handover).toEqual(waiting)
    expect(await ask(visitor, wish)).toEqual(conversation)
    expect((await visitor.messages(conversation.id)).map(({ content, role }) => [role, content])).toEqual([
      ["user", "I need a human"],
    ])
    expect(await client.session(chatbot.id, conversation.id)).toMatchObject({
      message_count: 1,
      user_info: { email: "ada@example.com" },
      platform: "widget",
    })
    expect(await visitor.conversations()).toEqual([conversation])
  })

  test("hands over the conversation with the chatbot, which keeps what was said", async () => {
    const { visitor } = await widgetOf()
    const { conversation } = (await visitor.hear("Hello")).ids
    expect((await visitor.page(conversation)).handover).toBeNull()
    expect((await ask(visitor, { conversation_id: conversation })).handover).toEqual(waiting)
    expect(await ask(visitor, { conversation_id: conversation, ...message("It is urgent") })).toMatchObject({
      id: conversation,
      message_count: 3,
    })
    const { handover, messages } = await visitor.page(conversation)
    expect(handover).toEqual(waiting)
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  })

  test("is refused where the chatbot has no button, without a message to begin with, and in the conversation of another", async () => {
    const { visitor } = await widgetOf()
    const { conversation } = (await visitor.hear("Hello")).ids
    expect((await visitor.send("POST", "/handover", {})).status).toBe(400)
    invalid(await visitor.send("POST", "/handover", { ...message("Hello"), email: "ada" }), "email")
    for (const handover of [{ button: false }, { tool: true }]) {
      const other = await widgetOf(handover)
      expect((await other.visitor.send("POST", "/handover", message("Hello"))).status).toBe(403)
    }
    const stranger = await visit(client, (await widgetOf()).key)
    for (const [method, path, body] of [
      ["POST", "/handover", { conversation_id: conversation }],
      ["POST", `/conversations/${conversation}/presence`, { state: "writing" }],
      ["GET", `/conversations/${conversation}/events`, undefined],
    ] as const)
      expect((await stranger.send(method, path, body)).status).toBe(404)
  })

  test("knows whether people are there from the widget's configuration", async () => {
    const configured = async (key: string) =>
      Object((await client.get(`/api/widget/config/${key}`)).body).config.handover
    const handoverOf = async (handover: object) => configured((await widgetOf(handover)).key)
    const always = { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" }
    expect(await configured(await publish(client, (await client.newChatbot()).id))).toBeNull()
    expect(await handoverOf({ tool: true })).toEqual({ button: false, is_open: true })
    expect(await handoverOf({ button: true, hours: { timeZone: "UTC", weekly: [always] } })).toEqual({
      button: true,
      is_open: true,
    })
    expect(await handoverOf({ button: true, hours: { timeZone: "UTC", weekly: [] } })).toEqual({
      button: true,
      is_open: false,
    })
  })
})

describe("a message that nobody has answered", () => {
  /** A visitor who waits in a conversation of people, and how its message is sent again. */
  const wait = async () => {
    const { chatbot, visitor } = await widgetOf()
    const { conversation } = (await visitor.hear("Hello")).ids
    await ask(visitor, { conversation_id: conversation })
    const id = crypto.randomUUID()
    const sent = await visitor.hear("Are you there?", { conversation_id: conversation }, id)
    expect(sent.events.map(({ event }) => event.type)).toEqual(["start", "handover", "finish"])
    const standing = async () => (await visitor.page(conversation)).handover?.unanswered
    expect(await standing()).toBeNull()
    return {
      chatbot,
      conversation,
      person: await hire(conversation),
      standing,
      visitor,
      sayAgain: (regenerates: string) =>
        visitor.hear("Are you there?", { conversation_id: conversation, regenerates }, id),
      said: async () => (await visitor.messages(conversation)).map(({ content, role }) => `${role}: ${content}`),
    }
  }

  test("is answered by the chatbot when it has the conversation again, once, from however many tabs", async () => {
    const { chatbot, conversation, person, said, sayAgain, standing, visitor } = await wait()
    const listener = await visitor.listen(conversation)
    await person.givesBack()
    const update = await listener.until((one) => one.type === "handover" && one.handover?.owner === "bot")
    const unanswered = (await standing()) ?? ""
    expect(update).toMatchObject({ handover: { unanswered } })
    const tabs = await Promise.all([sayAgain(unanswered), sayAgain(unanswered)])
    const later = await sayAgain(unanswered)
    const texts = [...tabs, later].map(({ text }) => text)
    expect(texts[0]).not.toBe("")
    expect(new Set(texts).size).toBe(1)
    expect((await said()).slice(2)).toEqual(["user: Are you there?", `assistant: ${texts[0]}`])
    expect(await standing()).toBeNull()
    await listener.until((one) => one.type === "handover" && one.handover?.unanswered === null)
    listener.leave()
    const session = await client.session(chatbot.id, conversation)
    expect(session).toMatchObject({ message_count: 4, handover: { owner: "bot", waiting_since: null } })
  })

  test("stays as it is where a person has answered, before the return or meanwhile", async () => {
    const { conversation, person, said, sayAgain, standing, visitor } = await wait()
    await person.givesBack()
    const unanswered = (await standing()) ?? ""
    await ask(visitor, { conversation_id: conversation })
    await person.says("Yes, I am.")
    await person.givesBack()
    expect(await standing()).toBeNull()
    expect((await sayAgain(unanswered)).response.status).toBe(409)
    expect((await said()).slice(2)).toEqual(["user: Are you there?", "agent: Yes, I am."])
  })

  test("stays as it is where the conversation was closed", async () => {
    const { chatbot, conversation, standing } = await wait()
    await client.patch(`/api/external/chatbot/${chatbot.id}/conversations/${conversation}`, {
      json: { state: "closed" },
    })
    expect(await standing()).toBeNull()
  })

  test("is left to people who have the conversation once more", async () => {
    const { conversation, person, said, sayAgain, standing, visitor } = await wait()
    await person.givesBack()
    const unanswered = (await standing()) ?? ""
    await ask(visitor, { conversation_id: conversation })
    expect((await sayAgain(unanswered)).events.map(({ event }) => event.type)).toEqual(["start", "handover", "finish"])
    expect((await said()).slice(2)).toEqual(["user: Are you there?"])
  })

  test("is answered to a visitor who has signed in meanwhile", async () => {
    const { chatbot, key } = await widgetOf()
    const secret = "A".repeat(22)
    const stranger = await visit(client, key, { visitor_secret: secret })
    const id = crypto.randomUUID()
    const { id: conversation } = await ask(stranger, message("Are you there?", id))
    const made = await client.post(`/api/external/chatbot/${chatbot.id}/identity-secrets`)
    const claims = { aud: chatbot.id, sub: "user-7", exp: Math.floor(Date.now() / 1_000) + 600 }
    const identity = signIdentity(Object(made.body).secret, claims)
    const visitor = await visit(client, key, { visitor_secret: secret, identity })
    await (await hire(conversation)).givesBack()
    const regenerates = (await visitor.page(conversation)).handover?.unanswered ?? ""
    await visitor.hear("Are you there?", { conversation_id: conversation, regenerates }, id)
    expect((await visitor.messages(conversation)).map(({ role }) => role)).toEqual(["user", "assistant"])
  })
})

describe("a conversation that its visitor has open", () => {
  test("shows who has taken it over, who writes, what people say and how far they have read, as it happens elsewhere", async () => {
    const { key, visitor } = await widgetOf()
    const { id } = await ask(visitor, message("I need a human"))
    const person = await hire(id)
    await until(
      () => client.get(`/widget/${key}`),
      ({ headers }) => headers.get("content-security-policy")?.includes("img-src 'self' https://example.com;") === true,
    )
    const listener = await visitor.listen(id)
    await person.takes()
    await listener.until(({ type }) => type === "handover")
    expect(listener.events).toEqual([
      { type: "resync" },
      { type: "handover", handover: { owner: "people", assignee: anna, read_at: null, unread: 0, unanswered: null } },
    ])
    await person.writes(60)
    expect(await listener.until(({ type }) => type === "presence")).toEqual({ type: "presence", writing: anna })
    await person.writes(0)
    await listener.until((update) => update.type === "presence" && update.writing === null)
    await person.says("How can I help?")
    expect(await listener.until(isMessage("How can I help?"))).toMatchObject({
      message: { role: "agent", sender: anna, is_complete: true, sources: [] },
    })
    await listener.until((update) => update.type === "handover" && update.handover?.unread === 1)
    await person.reads()
    await listener.until((update) => update.type === "handover" && update.handover?.read_at != null)
    await person.givesBack()
    await listener.until((update) => update.type === "handover" && update.handover?.owner === "bot")
    listener.leave()
  })

  test("shows in every tab what the visitor says in one, and nothing twice", async () => {
    const { visitor } = await widgetOf()
    const { id } = await ask(visitor, message("I need a human"))
    const tabs = await Promise.all([visitor.listen(id), visitor.listen(id), visitor.listen(id)])
    const wish = message("Are you there?")
    await ask(visitor, { conversation_id: id, ...wish })
    await (await hire(id)).says("Yes.")
    for (const tab of tabs) {
      await tab.until(isMessage("Yes."))
      const said = tab.events.flatMap((update) => (update.type === "message" ? [update.message] : []))
      expect(said.map(({ client_id, content }) => [content, client_id])).toEqual([
        ["Are you there?", wish.message.id],
        ["Yes.", undefined],
      ])
      tab.leave()
    }
  })

  test("counts the messages of people that the visitor has not read, until it says that it has", async () => {
    const { visitor } = await widgetOf()
    const { id } = await ask(visitor, message("I need a human"))
    const person = await hire(id)
    await person.says("One")
    await person.says("Two")
    const { handover, messages } = await visitor.page(id)
    expect(handover?.unread).toBe(2)
    const readTo = async (read_to: string | undefined) => {
      const body = { state: "reading", ...(read_to !== undefined && { read_to }) }
      return Object((await visitor.send("POST", `/conversations/${id}/presence`, body)).body).handover.unread
    }
    expect(await readTo(messages[1]?.created_at)).toBe(1)
    expect(await readTo(messages[2]?.created_at)).toBe(0)
    // What was read stays read.
    expect(await readTo(messages[1]?.created_at)).toBe(0)
    await person.says("Three")
    // Nobody has read what is not written yet.
    expect(await readTo("2100-01-01T00:00:00.000+00:00")).toBe(0)
    await person.says("Four")
    expect(await readTo(undefined)).toBe(1)
  })

  test("tells people that its visitor writes, only where they answer", async () => {
    const { visitor } = await widgetOf()
    const writing = () =>
      query(
        SystemSql.use((sql) =>
          Effect.orDie(sql`
        select state, until > now() as holds from conversation_presence where session_id = ${conversation}::uuid`),
        ),
      )
    const { conversation } = (await visitor.hear("Hello")).ids
    const say = (state: string) => visitor.send("POST", `/conversations/${conversation}/presence`, { state })
    expect((await say("writing")).body).toEqual({ handover: null })
    expect(await writing()).toEqual([])
    await ask(visitor, { conversation_id: conversation })
    await say("writing")
    expect(await writing()).toEqual([{ state: "writing", holds: true }])
    await say("away")
    expect(await writing()).toEqual([{ state: "reading", holds: false }])
  })

  test("ends when it is deleted, and when the key is revoked", async () => {
    const { chatbot } = await widgetOf()
    const { api_key, key } = Object(
      (
        await client.post("/api/admin/api-keys", {
          json: { name: "Website", kind: "publishable", chatbot_id: chatbot.id, allowed_origins: ["*"] },
        })
      ).body,
    )
    const visitor = await visit(client, key)
    const first = await ask(visitor, message("One"))
    const second = await ask(visitor, message("Two"))
    const [deleted, revoked] = [await visitor.listen(first.id), await visitor.listen(second.id)]
    await visitor.send("DELETE", `/conversations/${first.id}`)
    await deleted.ended
    await client.delete(`/api/admin/api-keys/${api_key.id}`)
    await revoked.ended
    await until(() => visitor.send("GET", `/conversations/${second.id}/events`), { status: 401 })
  })

  test("is open in sixteen places of one visitor, and in no more", async () => {
    const { visitor } = await widgetOf()
    const { id } = await ask(visitor, message("Hello"))
    const listeners = await Promise.all(Array.from({ length: 16 }, () => visitor.listen(id)))
    expect((await visitor.send("GET", `/conversations/${id}/events`)).status).toBe(429)
    for (const one of listeners) one.leave()
    await until(
      async () => (await visitor.listen(id)).events.length,
      (count) => count > 0,
    )
  })
})
