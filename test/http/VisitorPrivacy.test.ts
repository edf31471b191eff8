import { describe, expect, test } from "bun:test"
import { type Client, invalid, problem, type Reply } from "../lib/Client.ts"
import { calls, fails, says } from "../lib/FakeAnthropic.ts"
import { callTool, connectMcp } from "../lib/Mcp.ts"
import { sharedServer, startServer } from "../lib/TestServer.ts"

const { client, provider, url } = await sharedServer()
const strict = await startServer({ SESSION_TOKENS: "strict" })

const canary = "The launch code is swordfish."
const claude = { settings: { model: "claude-sonnet-5-5", prompt: canary } }
const secret = "My account number is 4711."
const guessable = "visitor-4711"
const random = () => crypto.randomUUID()

/** A chatbot, and the key of a website, which is bound to it and may only chat. */
const website = async (of: Client = client) => {
  const { id, slug } = await of.newChatbot(claude)
  return { id, slug, visitor: (await of.newKey({ scopes: ["chat"], chatbot_id: id })).client }
}

const chatPath = (id: string) => `/api/external/chatbot/${id}/chat`
const ask = (as: Client, id: string, content: string, sessionToken?: string, stream = "") =>
  as.post(`${chatPath(id)}${stream}`, { json: { messages: [{ role: "user", content }], sessionToken } })
const complete = (as: Client, model: string, body: object, headers = {}) =>
  as.post("/v1/chat/completions", { json: { model, messages: [{ role: "user", content: "Hello" }], ...body }, headers })

/** The last request that reached the provider, as text. */
const shown = () => provider.requests().at(-1)?.body ?? ""
const noticesOf = ({ headers }: Reply) => headers.get("x-parley-notice")

describe("a key that may only chat is not shown the system instruction or the prompt", () => {
  test("in the steps of a reply, which a key that reads conversations is shown whole", async () => {
    const { id, visitor } = await website()
    await client.learn(id, { "tides.md": "The tide turns at noon." })
    const replies = []
    for (const as of [visitor, client]) {
      await provider.answers(calls("tide"), says("At noon."))
      replies.push(await as.say(id, "When does the tide turn?"))
    }
    const [limited, whole] = replies
    expect(whole?.text).toContain(canary)
    expect(limited?.text).not.toContain("swordfish")
    const shapeOf = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shapeOf)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shapeOf(of)]))
          : typeof value
    expect(shapeOf(limited?.body)).toEqual(shapeOf(whole?.body))
    expect(limited?.body).toMatchObject({
      output: "At noon.",
      steps: [
        { request: { body: "" }, toolCalls: [{}] },
        { request: { body: "" }, text: "At noon." },
      ],
      tool_results: [{ result: [{ content: expect.stringContaining("noon") }] }],
    })
  })

  test("in a stream, a failure, another dialect or an answer of a tool", async () => {
    const { id, slug, visitor } = await website()
    await client.learn(id, { "tides.md": "The tide turns at noon." })
    const system = { role: "system", content: "Mind the tides." }
    const user = { role: "user", content: "When does the tide turn?" }
    const { mcp } = await connectMcp(`${url}/mcp/${id}`, { authorization: `Bearer ${visitor.key}` })
    const ways: ReadonlyArray<() => Promise<string>> = [
      async () => (await ask(visitor, id, user.content, random())).text,
      async () => (await ask(visitor, id, user.content, random(), "?stream=true")).text,
      async () => (await complete(visitor, slug, { messages: [system, user] })).text,
      async () => (await complete(visitor, slug, { messages: [system, user], stream: true })).text,
      async () => JSON.stringify(await callTool(mcp, "chat", { message: user.content })),
    ]
    for (const answers of [[calls("tide"), says("At noon.")], [fails(400, "invalid_request_error")]]) {
      for (const way of ways) {
        await provider.answers(...answers)
        expect(await way()).not.toMatch(/swordfish|Mind the tides|Rest your answer/)
        expect(shown()).toContain(canary)
      }
    }
    await mcp.close()
  })
})

describe("a short session token", () => {
  test("continues a conversation for the key that opened it, and for no other key", async () => {
    const { id, visitor } = await website()
    const { client: other } = await client.newKey({ scopes: ["chat"] })
    await provider.answers(says("Noted."))
    const first = await visitor.chat(id, secret, { sessionToken: guessable })
    for (const as of [other, client]) {
      const guess = await as.chat(id, "What is my account number?", { sessionToken: guessable })
      expect(guess.session_id).not.toBe(first.session_id)
      expect(shown()).not.toContain("account number is")
    }
    expect((await visitor.chat(id, "And?", { sessionToken: guessable })).session_id).toBe(first.session_id)
    expect(shown()).toContain(secret)
  })

  test("does not let a visitor open the conversation in which another key's users are answered", async () => {
    const { id, visitor } = await website()
    await visitor.chat(id, "I was here first.", { sessionToken: guessable })
    const { session_id } = await client.chat(id, secret, { sessionToken: guessable })
    await visitor.chat(id, "What did I say?", { sessionToken: guessable })
    expect(shown()).not.toContain(secret)
    // Reading by the same name means one's own, and what only others opened is found too.
    expect((await client.session(id, guessable)).id).toBe(session_id)
    const { client: reader } = await client.newKey({ scopes: ["conversations:read"] })
    expect((await reader.messages(id, guessable)).map(({ content }) => content)).toContain("What did I say?")
  })

  test("rates a reply for the key that opened the conversation, and for one that reads it", async () => {
    const { id, visitor } = await website()
    const message = (await ask(visitor, id, "Hello", guessable)).headers.get("x-message-id")
    const path = `/api/external/chatbot/${id}/conversations/${guessable}/messages/${message}/feedback`
    const { client: other } = await client.newKey({ scopes: ["chat"] })
    problem(await other.post(path, { json: { rating: "down" } }), 404, "not_found")
    for (const as of [visitor, client]) expect((await as.post(path, { json: { rating: "up" } })).status).toBe(200)
  })

  test("is remarked upon in every dialect, whole or streamed, and can be seen by scripts of other origins", async () => {
    const { id, slug } = await website()
    const answers = [
      await ask(client, id, "Hello", guessable),
      await ask(client, id, "Hello", guessable, "?stream=true"),
      await complete(client, slug, { metadata: { session_id: guessable } }),
      await complete(client, slug, { stream: true }, { "x-session-id": guessable }),
    ]
    for (const answer of answers) {
      expect(noticesOf(answer)).toBe("guessable_session_token")
      expect(answer.headers.get("access-control-expose-headers")).toContain("x-parley-notice")
    }
    expect(noticesOf(await ask(client, id, "Hello", "a".repeat(16)))).toBeNull()
    expect(noticesOf(await ask(client, id, "Hello"))).toBeNull()
  })

  test("is refused, and opens nothing, where the server is strict", async () => {
    const { id, slug } = await strict.client.newChatbot()
    invalid(await ask(strict.client, id, "Hello", "a".repeat(15)), "sessionToken")
    const completion = await complete(strict.client, slug, { metadata: { session_id: guessable } })
    expect(completion.status).toBe(400)
    expect((await strict.client.get(`/api/external/chatbot/${id}/conversations`)).body).toMatchObject({ data: [] })
    const { session_id } = await strict.client.chat(id, "Hello", { sessionToken: "a".repeat(16) })
    expect((await strict.client.chat(id, "Hello", { sessionToken: session_id })).session_id).toBe(session_id)
  })
})

describe("who knows an unguessable name of a conversation", () => {
  test("continues it with any key that serves the chatbot", async () => {
    const { id, visitor } = await website()
    const { client: next } = await client.newKey({ scopes: ["chat"], chatbot_id: id })
    const sessionToken = random()
    const { session_id } = await visitor.chat(id, secret, { sessionToken })
    for (const name of [sessionToken, session_id]) {
      expect((await next.chat(id, "And?", { sessionToken: name })).session_id).toBe(session_id)
      expect(shown()).toContain(secret)
    }
    const short = await visitor.chat(id, secret, { sessionToken: guessable })
    expect((await next.chat(id, "And?", { sessionToken: short.session_id })).session_id).toBe(short.session_id)
  })

  test("cannot conclude it from an id that was made at the same time", async () => {
    const { id } = await client.newChatbot()
    for (let n = 0; n < 10; n++) {
      const { session_id } = await client.chat(id, "Hello")
      const [question] = await client.messages(id, session_id)
      expect(session_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      // The ids of one millisecond count on from a common beginning, which has these digits.
      expect(question?.id.slice(15, 23)).not.toBe(session_id.slice(15, 23))
    }
  })
})

describe("system messages", () => {
  const messages = [
    { role: "system", content: "Talk like a pirate." },
    { role: "user", content: "Hello" },
  ]

  test("are ignored, and remarked upon, where neither the chatbot nor the key allows them", async () => {
    const { slug, visitor } = await website()
    for (const stream of [false, true]) {
      const answer = await complete(visitor, slug, { messages, stream })
      expect(answer.status).toBe(200)
      expect(noticesOf(answer)).toBe("system_messages_ignored")
      expect(shown()).not.toContain("pirate")
    }
    expect(noticesOf(await complete(visitor, slug, { messages, metadata: { session_id: "short" } }))).toBe(
      "guessable_session_token, system_messages_ignored",
    )
  })

  test("are followed with a key that could change the chatbot's own instructions", async () => {
    const { slug } = await website()
    expect(noticesOf(await complete(client, slug, { messages }))).toBeNull()
    expect(shown()).toContain("Talk like a pirate.")
  })

  test("are followed with every key once the chatbot's settings allow it, and the settings show it only then", async () => {
    const { id, slug, visitor } = await website()
    const change = (isSystemMessageEnabled: boolean | null) =>
      client.patch(`/api/external/chatbots?id=${id}`, { json: { settings: { isSystemMessageEnabled } } })
    expect((await client.chatbot(id)).settings).not.toHaveProperty("isSystemMessageEnabled")
    expect((await change(true)).body).toMatchObject({ chatbot: { settings: { isSystemMessageEnabled: true } } })
    expect(noticesOf(await complete(visitor, slug, { messages }))).toBeNull()
    expect(shown()).toContain("Talk like a pirate.")
    for (const off of [false, null]) {
      await change(true)
      expect((await change(off)).status).toBe(200)
      expect((await client.chatbot(id)).settings).not.toHaveProperty("isSystemMessageEnabled")
    }
    await complete(visitor, slug, { messages })
    expect(shown()).not.toContain("pirate")
  })
})
