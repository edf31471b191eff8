import { describe, expect, test } from "bun:test"
import OpenAI from "openai"
import { problem, type Reply, until } from "../../lib/Client.ts"
import { fails, says } from "../../lib/FakeAnthropic.ts"
import { operatorKey } from "../../lib/ServerProcess.ts"
import { Context } from "effect"
import { Heartbeat } from "../../../src/http/streams/Streaming.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { startServer } from "../../lib/TestServer.ts"

/*
 * Chats with the header `Idempotency-Key`: what is said is stored once, and the answer is the same again.
 */

const { client, provider, query, url } = await startServer({ RATE_LIMIT: "off" }, Context.make(Heartbeat, "100 millis"))

const claude = { settings: { model: "claude-sonnet-5-5", prompt: "Be a pirate." } }
const atOnce = { "x-should-retry": "false" }
const isReplayed = ({ headers }: Reply) => headers.get("idempotency-replayed") === "true"
const withoutHeartbeats = (text: string) => text.replaceAll(": heartbeat\n\n", "")

const dialects = {
  "the AI SDK": (id: string, _slug: string) => ({
    path: `/api/external/chatbot/${id}/chat?stream=true`,
    json: { messages: [{ role: "user", content: "Hello" }] },
  }),
  OpenAI: (_id: string, slug: string) => ({
    path: "/v1/chat/completions",
    json: { model: slug, stream: true, messages: [{ role: "user", content: "Hello" }] },
  }),
}

const sessionsOf = async (
  id: string,
): Promise<ReadonlyArray<{ readonly id: string; readonly message_count: number }>> =>
  Object((await client.get(`/api/external/chatbot/${id}/conversations`)).body).data

/** What was said in the only conversation of a chatbot. */
const saidTo = async (id: string) => {
  const look = async () => {
    const [session, ...others] = await sessionsOf(id)
    expect(others).toEqual([])
    return { count: session?.message_count, messages: await client.messages(id, session?.id ?? "") }
  }
  // A message may be stored between the two requests.
  const { messages } = await until(look, ({ count, messages }) => count === messages.length)
  return messages.map(({ content }) => content)
}

test.each(["", "?stream=true"])(
  "of two attempts at a chat%s, of which the first was frozen until its key was taken over, one answers",
  async (way) => {
    const { id } = await client.newChatbot(claude)
    const chat = () =>
      client.post(`/api/external/chatbot/${id}/chat${way}`, {
        json: { messages: [{ role: "user", content: "Hello" }] },
        headers: { "idempotency-key": `frozen${way}`, ...atOnce },
      })
    await provider.answers(says("At noon."), says("At six."))
    const release = provider.hold()
    const frozen = chat()
    await until(provider.arrived, (count) => count === 1)
    await query(SystemSql.use((sql) => sql`update idempotency_keys set lease_until = now() - interval '1 second'`))
    const other = chat()
    await until(provider.arrived, (count) => count === 2)
    release()
    const replies = await Promise.all([frozen, other])
    const isAnswer = ({ status, text }: Reply) => status === 200 && !text.includes('"type":"error"')
    const again = await until(chat, isAnswer)
    const answers = replies.filter(isAnswer).map(({ text }) => withoutHeartbeats(text))
    expect(answers).toEqual([again.text])
    expect(replies.every(({ status }) => [200, 503].includes(status))).toBe(true)
    const [session] = await sessionsOf(id)
    const [said, answer, ...more] = await client.messages(id, session?.id ?? "")
    expect([said?.content, more]).toEqual(["Hello", []])
    expect(again.text).toContain(answer?.content ?? "")
  },
)

describe.each(Object.entries(dialects))("a stream for clients of %s", (dialect, requestTo) => {
  test("is sent again byte for byte, without its heartbeats, and the model is asked once", async () => {
    const { id, slug } = await client.newChatbot(claude)
    const { json, path } = requestTo(id, slug)
    const headers = { "idempotency-key": `stream-${dialect}`.replaceAll(" ", "-") }
    await provider.answers(says("At noon."), says("At six."))
    const first = await client.post(path, { json, headers })
    const again = await client.post(path, { json, headers })
    expect(first.text).toContain("data: [DONE]")
    expect(again.text).toBe(withoutHeartbeats(first.text))
    const shown = ["content-type", "x-session-id", "x-message-id", "x-vercel-ai-ui-message-stream", "cache-control"]
    expect(shown.map((name) => again.headers.get(name))).toEqual(shown.map((name) => first.headers.get(name)))
    expect([isReplayed(first), isReplayed(again), provider.requests().length]).toEqual([false, true, 1])
    expect(await saidTo(id)).toEqual(["Hello", "At noon."])
  })

  test("is refused with 409 while the first is running", async () => {
    const { id, slug } = await client.newChatbot(claude)
    const { json, path } = requestTo(id, slug)
    const headers = { "idempotency-key": `running-${dialect}`.replaceAll(" ", "-") }
    await provider.answers(says("At noon."))
    const release = provider.hold()
    const first = client.post(path, { json, headers })
    await until(provider.arrived, (count) => count === 1)
    const meanwhile = await client.post(path, { json, headers })
    expect([meanwhile.status, meanwhile.headers.get("retry-after")]).toEqual([409, "1"])
    release()
    const text = withoutHeartbeats((await first).text)
    expect((await client.post(path, { json, headers })).text).toBe(text)
  })

  test("that its client has left can be asked for again, in the same conversation, in which nothing is twice", async () => {
    const { id, slug } = await client.newChatbot(claude)
    const { json, path } = requestTo(id, slug)
    const headers = { "idempotency-key": `left-${dialect}`.replaceAll(" ", "-") }
    await provider.answers({ kind: "endless" })
    const leaving = new AbortController()
    const response = await fetch(url + path, {
      method: "POST",
      headers: { ...headers, "x-api-key": operatorKey, "content-type": "application/json" },
      body: JSON.stringify(json),
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    let text = ""
    while (text.length < 2_000) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    leaving.abort()
    // What there is of the reply is stored when the client has gone.
    await until(
      () => saidTo(id),
      (said) => said.length === 2,
    )
    await provider.answers(says("At noon."))
    const again = await until(
      () => client.post(path, { json, headers }),
      ({ status }) => status !== 409,
    )
    expect([again.status, isReplayed(again)]).toEqual([200, false])
    expect(await saidTo(id)).toEqual(["Hello", "At noon."])
    expect((await client.post(path, { json, headers })).text).toBe(withoutHeartbeats(again.text))
  })
})

test("a chat as JSON whose client has left can be asked for again, in the same conversation", async () => {
  const { id } = await client.newChatbot(claude)
  const say = (signal?: AbortSignal) =>
    client.post(`/api/external/chatbot/${id}/chat`, {
      json: { messages: [{ role: "user", content: "Hello" }] },
      headers: { "idempotency-key": "left-without-stream" },
      ...(signal !== undefined && { signal }),
    })
  await provider.answers({ kind: "hang" })
  const leaving = new AbortController()
  const left = say(leaving.signal).catch(() => "left")
  await until(provider.arrived, (count) => count === 1)
  leaving.abort()
  expect(await left).toBe("left")
  await provider.answers(says("At noon."))
  const again = await until(say, ({ status }) => status !== 409)
  expect([again.status, isReplayed(again), await saidTo(id)]).toEqual([200, false, ["Hello", "At noon."]])
})

test("a chat that the provider has failed is tried again with the same message, in the session that the client named", async () => {
  const { id } = await client.newChatbot(claude)
  const say = (content: string, key: string) =>
    client.post(`/api/external/chatbot/${id}/chat`, {
      json: { messages: [{ role: "user", content }], sessionToken: "a-visitor-of-the-website" },
      headers: { "idempotency-key": key },
    })
  await provider.answers(says("Arr."), fails(500, "api_error", atOnce), fails(500, "api_error", atOnce), says("Aye."))
  await say("Hello", "first")
  problem(await say("Hello", "second"), 502, "provider_failed")
  problem(await say("Hello", "second"), 502, "provider_failed")
  const reply = await say("Hello", "second")
  expect([reply.status, (await say("Hello", "second")).text]).toEqual([200, reply.text])
  expect(await saidTo(id)).toEqual(["Hello", "Arr.", "Hello", "Aye."])
  const lastPrompt = JSON.parse(provider.requests().at(-1)?.body ?? "")
  expect(lastPrompt.messages).toHaveLength(3)
  problem(await say("Something else", "second"), 422, "idempotency_key_reused")
})

test("the answer to a chat goes with its conversation, and the chat is not repeated", async () => {
  const { id } = await client.newChatbot()
  const say = () =>
    client.post(`/api/external/chatbot/${id}/chat`, {
      json: { messages: [{ role: "user", content: "Private" }] },
      headers: { "idempotency-key": "to-be-erased" },
    })
  const first = await say()
  expect(isReplayed(await say())).toBe(true)
  const session = first.headers.get("x-session-id")
  expect((await client.delete(`/api/external/chatbot/${id}/conversations/${session}`)).status).toBe(200)
  problem(await say(), 409, "conflict")
  expect(await sessionsOf(id)).toEqual([])
})

/** OpenAI's own client, which sends one key with all tries at a request once it knows the header's name. */
class KeyedOpenAI extends OpenAI {
  protected override idempotencyHeader = "Idempotency-Key"
}

test("OpenAI's client tries again with the key of its first try, and what was asked is stored once", async () => {
  const { id, slug } = await client.newChatbot(claude)
  const openai = new KeyedOpenAI({ apiKey: operatorKey, baseURL: `${url}/v1`, maxRetries: 3 })
  const ask = (content: string, options = {}) =>
    openai.chat.completions.create({ model: slug, messages: [{ role: "user", content }] }, options)
  await provider.answers(fails(500, "api_error", atOnce), says("Aye."), says("Nay."))
  const first = await ask("Hello", { idempotencyKey: "chosen-by-the-application" })
  expect(first.choices[0]?.message.content).toBe("Aye.")
  expect(await ask("Hello", { idempotencyKey: "chosen-by-the-application" })).toEqual(first)
  expect(await saidTo(id)).toEqual(["Hello", "Aye."])
  const stream = await openai.chat.completions.create(
    { model: slug, messages: [{ role: "user", content: "Hello" }], stream: true },
    { idempotencyKey: "a-stream" },
  )
  let text = ""
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ""
  expect(text).toBe("Nay.")
})
