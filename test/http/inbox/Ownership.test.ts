import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { run as returnAll } from "../../../src/jobs/Returns.ts"
import { Returns } from "../../../src/storage/inbox/Returns.ts"
import { handOver } from "../../../src/storage/conversations/Handovers.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { until } from "../../lib/Client.ts"
import { message, says } from "../../lib/FakeAnthropic.ts"
import { sharedServer } from "../../lib/TestServer.ts"

/*
 * Who answers: the chatbot never talks over people, and no message is lost, doubled or out of order.
 */

const { client, provider, query, url } = await sharedServer()

interface Said {
  readonly sender_type: string
  readonly content: string
}

const newChatbot = (handover: object = {}, model = "claude-sonnet-5-5") =>
  client.newChatbot({ settings: { model, handover } })

const pathOf = (chatbot: string, session: string) => `/api/external/chatbot/${chatbot}/conversations/${session}`

/** The messages of a conversation as `user: Hello`. */
const saidIn = async (path: string): Promise<ReadonlyArray<string>> =>
  Object((await client.get(`${path}/messages?limit=100`)).body).data.map(
    ({ content, sender_type }: Said) => `${sender_type}: ${content}`,
  )

const handoverOf = async (path: string) => Object((await client.get(path)).body).session.handover

const reasonsOf = async (path: string): Promise<ReadonlyArray<string>> =>
  Object((await client.get(`${path}/events`)).body).events.map(
    ({ detail, type }: { readonly detail: { readonly reason?: string }; readonly type: string }) =>
      `${type} ${detail.reason}`,
  )

/** A conversation that the chatbot has answered once. */
const begin = async (handover: object = {}, model?: string) => {
  const chatbot = await newChatbot(handover, model)
  await provider.answers(says("At noon."))
  const token = crypto.randomUUID()
  const { session_id } = await client.chat(chatbot.id, "When?", { sessionToken: token })
  const path = pathOf(chatbot.id, session_id)
  return {
    chatbot: chatbot.id,
    path,
    say: (content: string) => client.chat(chatbot.id, content, { sessionToken: token }),
    /** Asks for a stream, and returns what is read of it so far. */
    stream: async (content: string) => {
      const response = await fetch(`${url}/api/external/chatbot/${chatbot.id}/chat?stream=true`, {
        method: "POST",
        headers: { "x-api-key": client.key ?? "", "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content }], sessionToken: token }),
      })
      let text = ""
      const ended = (async () => {
        for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece
        return text
      })()
      await until(
        async () => text,
        (read) => read.includes("text-delta"),
      )
      return { ended }
    },
  }
}

/** Takes a conversation over as another server does, of which this one only sees the database. */
const takeElsewhere = (path: string) =>
  query(
    SystemSql.use((sql) =>
      handOver(sql, "taken", { sessions: sql`select ${path.split("/").at(-1) ?? ""}::uuid as id` }),
    ),
  )

describe("in a conversation of people", () => {
  test("a burst of twenty messages is stored as it comes, and none is answered", async () => {
    const { path, say } = await begin()
    await client.post(`${path}/handover`, { json: {} })
    const asked = provider.requests().length
    const numbers = Array.from({ length: 20 }, (_, number) => String(number))
    const replies = await Promise.all(numbers.map(say))
    for (const reply of replies)
      expect(reply).toMatchObject({ output: "", finish_reason: "other", handover: { owner: "people" } })
    expect((await saidIn(path)).slice(2).toSorted()).toEqual(numbers.map((number) => `user: ${number}`).toSorted())
    expect(provider.requests().length).toBe(asked)
    expect((await handoverOf(path)).waiting_since).not.toBeNull()
  })

  test("a message that nobody has answered is answered after the return when a client asks for it, and stored once", async () => {
    const { chatbot, path, say } = await begin()
    await client.post(`${path}/handover`, { json: {} })
    const { session_id } = await say("Anybody?")
    await client.post(`${path}/return`)
    await provider.answers(says("The chatbot."))
    await client.chat(chatbot, "Anybody?", { sessionToken: session_id, trigger: "regenerate-message" })
    expect((await saidIn(path)).slice(2)).toEqual(["user: Anybody?", "bot: The chatbot."])
  })

  test("clients of OpenAI get an empty answer", async () => {
    const { chatbot, path } = await begin()
    await client.post(`${path}/handover`, { json: {} })
    const { body } = await client.post("/v1/chat/completions", {
      json: {
        model: chatbot,
        messages: [{ role: "user", content: "There?" }],
        metadata: { session_id: path.split("/").at(-1) },
      },
    })
    expect(Object(body).choices[0]).toMatchObject({ message: { content: "" }, finish_reason: "stop" })
  })
})

describe("a reply under way, when people take over", () => {
  test.each([
    ["on this server", (path: string) => client.post(`${path}/handover`, { json: {} })],
    ["on another server", takeElsewhere],
    ["by a message", (path: string) => client.post(`${path}/messages`, { json: { content: "I am here." } })],
  ])("%s, stops, and what was seen of it stays before them", async (_, take) => {
    const { path, stream } = await begin()
    await provider.answers({ kind: "endless" })
    const { ended } = await stream("Tell me all.")
    await take(path)
    const text = await ended
    expect(text).toContain('"data-handover"')
    await client.post(`${path}/messages`, { json: { content: "I am Ada.", sender_name: "Ada" } })
    const said = await saidIn(path)
    expect(said.map((one) => one.split(":")[0]).slice(0, 5)).toEqual(["user", "bot", "user", "bot", "agent"])
    expect(text.split("text-delta").length).toBeGreaterThan(1)
    expect(Object((await client.get(path)).body).session.message_count).toBe(said.length)
  })

  test.each([
    ["on this server", (path: string) => client.post(`${path}/handover`, { json: {} })],
    ["on another server a moment ago", takeElsewhere],
  ])("%s, is not stored where nobody has seen any of it", async (_, take) => {
    const { path, say } = await begin()
    await provider.answers(says("Too late."))
    const release = provider.hold()
    const reply = say("Still there?")
    await until(provider.arrived, (count) => count > 0)
    await take(path)
    release()
    expect(await reply).toMatchObject({ output: "", handover: { owner: "people" } })
    await client.post(`${path}/messages`, { json: { content: "I am Ada.", sender_name: "Ada" } })
    expect(await saidIn(path)).toEqual(["user: When?", "bot: At noon.", "user: Still there?", "agent: I am Ada."])
  })
})

describe("a model", () => {
  const human = message(
    [
      { type: "text", text: "One moment." },
      { type: "tool_use", id: "toolu_1", name: "requestHuman", input: { reason: "wants a refund" } },
    ],
    "tool_use",
  )

  test("hands over with the reply in which it asks for a person", async () => {
    const { path, say } = await begin({ tool: true })
    await provider.answers(human, says("A person will answer here."), says("Never said."))
    expect(await say("I want a refund.")).toMatchObject({
      output: "A person will answer here.",
      handover: { owner: "people" },
    })
    expect(await say("Hello?")).toMatchObject({ output: "" })
    expect((await saidIn(path)).slice(2)).toEqual([
      "user: I want a refund.",
      "bot: A person will answer here.",
      "user: Hello?",
    ])
    expect(await reasonsOf(path)).toEqual(["handover tool"])
  })

  test("is not offered a person where the chatbot has none", async () => {
    const { say } = await begin({ button: true })
    await provider.answers(says("Well."))
    await say("A person, please.")
    expect(provider.requests().at(-1)?.body).not.toContain("requestHuman")
  })

  test("sees what people have said, and that it has the conversation again", async () => {
    const { path, say } = await begin({ tool: true })
    await client.post(`${path}/messages`, { json: { content: "You get 10 percent.", sender_name: "Ada" } })
    await client.post(`${path}/return`)
    await provider.answers(says("Ada promised 10 percent."))
    expect((await say("How much?")).output).toBe("Ada promised 10 percent.")
    const { body } = provider.requests().at(-1) ?? { body: "" }
    expect(body).toContain("[Ada, a person of the team:] You get 10 percent.")
    expect(body).toContain("[The chatbot answers again from here on.")
  })
})

describe("local/extractive", () => {
  const extractive = "local/extractive"

  test.each(["I want to talk to a human, please", "Kann ich mit einem Menschen sprechen?", "我要转人工", "Agent!"])(
    "hands over at %s",
    async (wish) => {
      const { path, say } = await begin({ tool: true }, extractive)
      const { handover, output } = Object(await say(wish))
      expect([handover, output === ""]).toEqual([{ owner: "people" }, false])
      expect(await reasonsOf(path)).toEqual(["handover tool"])
    },
  )

  test("answers questions about people, and whether it is one", async () => {
    const { say } = await begin({ tool: true }, extractive)
    for (const question of ["Are you a real person?", "What does a travel agent cost?"])
      expect(Object(await say(question)).handover).toBeUndefined()
  })

  test("hands over when it has found nothing twice, and not again for the same after the return", async () => {
    const { path, say } = await begin({ tool: true }, extractive)
    expect(Object(await say("How heavy is the moon?")).handover).toEqual({ owner: "people" })
    expect(await reasonsOf(path)).toEqual(["handover not_found"])
    await client.post(`${path}/return`)
    expect(Object(await say("And the sun?")).handover).toBeUndefined()
    expect(Object(await say("How far is Mars?")).handover).toEqual({ owner: "people" })
  })
})

describe("a rule hands over", () => {
  test("for a reply that is rated down, once", async () => {
    const { path } = await begin({ ratedDown: true })
    const [, reply] = Object((await client.get(`${path}/messages`)).body).data
    const rate = (rating: string) => client.post(`${path}/messages/${reply.id}/feedback`, { json: { rating } })
    await rate("down")
    expect(await reasonsOf(path)).toEqual(["handover rated_down"])
    await client.post(`${path}/return`)
    await rate("up")
    await rate("down")
    expect((await handoverOf(path)).owner).toBe("bot")
  })

  test("for two replies without an answer in a row, counted anew after a return", async () => {
    const { path, say } = await begin({ unanswered: 2 })
    await provider.answers(says("[no-answer] I do not know."))
    const owners: Array<unknown> = []
    for (const question of ["One?", "Two?"]) owners.push(Object(await say(question)).handover)
    await client.post(`${path}/return`)
    for (const question of ["Three?", "Four?"]) owners.push(Object(await say(question)).handover)
    const people = { owner: "people" }
    expect(owners).toEqual([undefined, people, undefined, people])
    expect((await saidIn(path)).filter((one) => one.startsWith("bot"))).toHaveLength(5)
  })
})

describe("the bot has a conversation again", () => {
  const age = (path: string) =>
    query(
      SystemSql.use(
        (sql) => sql`update sessions set updated_at = updated_at - interval '1 hour'
          where id = ${path.split("/").at(-1) ?? ""}::uuid`,
      ),
    )

  test("after silence, and not while somebody writes", async () => {
    const [silent, busy, endless] = [await begin({ returnAfterMinutes: 5 }), await begin(), await begin()]
    for (const { path } of [silent, busy, endless]) {
      await client.post(`${path}/handover`, { json: {} })
      await age(path)
    }
    await busy.say("Hello?")
    // Only now, since the server itself looks for silent conversations each minute, also before the message.
    await client.patch(`/api/external/chatbots?id=${busy.chatbot}`, {
      json: { settings: { handover: { returnAfterMinutes: 5 } } },
    })
    await query(Effect.provide(returnAll, Returns.layer))
    expect((await handoverOf(silent.path)).owner).toBe("bot")
    expect((await handoverOf(busy.path)).owner).toBe("people")
    expect((await handoverOf(endless.path)).owner).toBe("people")
    expect(await reasonsOf(silent.path)).toEqual(["handover api", "returned silence"])
  })

  test("and answers a message that comes at that moment, or leaves it waiting, never both", async () => {
    for (let round = 0; round < 10; round++) {
      const { path, say } = await begin()
      await client.post(`${path}/messages`, { json: { content: "Here." } })
      await provider.answers(says("I am back."))
      const [reply] = await Promise.all([say("Is it open?"), client.post(`${path}/return`)])
      const said = await saidIn(path)
      const { owner, waiting_since } = await handoverOf(path)
      const isAnswered = said.at(-1) === "bot: I am back."
      expect(said.filter((one) => one === "user: Is it open?")).toHaveLength(1)
      expect([owner, isAnswered, reply.output]).toEqual(["bot", waiting_since === null, isAnswered ? "I am back." : ""])
    }
  })
})

test("of two people who say something at once, both are heard, and one has taken over", async () => {
  const { path } = await begin()
  const contents = ["I am Ada.", "I am Bob."]
  await Promise.all(contents.map((content) => client.post(`${path}/messages`, { json: { content } })))
  expect((await saidIn(path)).slice(2).toSorted()).toEqual(contents.map((content) => `agent: ${content}`))
  expect(await reasonsOf(path)).toEqual(["handover api"])
})
