import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ChatReply } from "../../src/domain/chat/Chat.ts"
import { problem, read, until, wrongPaths } from "../lib/Client.ts"
import { calls, fails, message, says, usage } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"
import type { Answer } from "../lib/Wire.ts"

const { client, provider } = await sharedServer()

const claude = { settings: { model: "claude-sonnet-5-5" } }
const chatPath = (id: string) => `/api/external/chatbot/${id}/chat`
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const tides = { "tides.md": "# Tides\n\nThe tide at Morlaix turns at noon." }
const user = (content: string) => ({ role: "user", content })
const assistant = (content: string) => ({ role: "assistant", content })

const Sent = Schema.Struct({
  model: Schema.String,
  system: Schema.optionalKey(Schema.Json),
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.Json })),
  tools: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, input_schema: Schema.Json }))),
  tool_choice: Schema.optionalKey(Schema.Json),
})

/** The requests that reached the provider. */
const sent = () => provider.requests().map(({ body }) => Schema.decodeUnknownSync(Sent)(JSON.parse(body)))

const textOf = (content: Schema.Json): string =>
  typeof content === "string"
    ? content
    : Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ text: Schema.optionalKey(Schema.String) })))(content)
        .map(({ text = "" }) => text)
        .join("")

/** The messages of the last request to the provider. */
const shown = () => (sent().at(-1)?.messages ?? []).map(({ role, content }) => ({ role, content: textOf(content) }))

/** The stored messages of a session, each with its sender. */
const said = async (id: string, session: string) =>
  (await client.messages(id, session)).map(({ sender_type, content }) => `${sender_type}: ${content}`)

describe("a chat with a language model", () => {
  test("answers with the reply and the steps that led to it", async () => {
    const { id } = await client.newChatbot(claude)
    const [document] = await client.learn(id, tides)
    await provider.answers(calls("tide Morlaix"), says("At noon."))
    const reply = await client.say(id, "When does the tide turn?")
    const passages = [
      {
        title: "Tides",
        chunk: 1,
        content: expect.stringContaining("The tide at Morlaix turns at noon."),
        similarity: expect.any(Number),
        document_id: document?.id,
      },
    ]
    const call = {
      type: "tool-call",
      toolCallId: "toolu_tide Morlaix_0",
      toolName: "searchKnowledgeBase",
      args: { query: "tide Morlaix" },
    }
    const result = { ...call, type: "tool-result", result: passages }
    const { args: _, ...shown } = result
    const made = [
      { role: "assistant", content: [{ type: "text", text: "" }, call] },
      { role: "tool", content: [shown] },
    ]
    const answered = [...made, { role: "assistant", content: [{ type: "text", text: "At noon." }] }]
    const common = {
      isContinued: false,
      warnings: [],
      usage: {
        promptTokens: usage.input_tokens,
        completionTokens: usage.output_tokens,
        totalTokens: usage.input_tokens + usage.output_tokens,
      },
      experimental_providerMetadata: {
        anthropic: {
          cacheCreationInputTokens: usage.cache_creation_input_tokens,
          cacheReadInputTokens: usage.cache_read_input_tokens,
        },
      },
    }
    const response = { modelId: "claude-sonnet-5-5", timestamp, headers: expect.any(Object) }
    const [first, second] = provider.requests().map(({ body }) => ({ body }))

    // Read before it is compared: Bun's `toMatchObject` writes its matchers into what it compares.
    const { steps, ...top } = read(ChatReply, reply)
    expect(reply.body).toMatchObject({
      session_id: reply.headers.get("x-session-id"),
      finish_reason: "stop",
      output: "At noon.",
      tool_calls: [call],
      tool_results: [result],
      steps: [
        {
          ...common,
          stepType: "initial",
          finishReason: "tool-calls",
          text: "",
          toolCalls: [call],
          toolResults: [result],
          request: first,
          response: { ...response, id: "msg_1" },
        },
        {
          ...common,
          stepType: "tool-result",
          finishReason: "stop",
          text: "At noon.",
          toolCalls: [],
          toolResults: [],
          request: second,
          response: { ...response, id: "msg_2", messages: answered },
        },
      ],
    })
    expect(Object.keys(top).toSorted()).toEqual("finish_reason output session_id tool_calls tool_results".split(" "))
    const fields =
      "experimental_providerMetadata finishReason isContinued request response stepType text toolCalls toolResults usage warnings"
    for (const step of steps) {
      expect(Object.keys(step).toSorted()).toEqual(fields.split(" "))
      expect(Object.keys(step.request)).toEqual(["body"])
      expect(Object.keys(step.response).toSorted()).toEqual(["headers", "id", "messages", "modelId", "timestamp"])
      expect(step.response.headers).toHaveProperty("request-id")
      expect(JSON.stringify(step.response.headers)).not.toContain("secret")
    }
  })

  test.each(["", "?stream=true"])(
    "names the stored reply in a header, so that it can be rated (chat%s)",
    async (query) => {
      const { id } = await client.newChatbot()
      const reply = await client.post(`/api/external/chatbot/${id}/chat${query}`, {
        json: { messages: [{ role: "user", content: "Hello" }] },
      })
      const session = reply.headers.get("x-session-id") ?? ""
      const message = reply.headers.get("x-message-id") ?? ""
      expect((await client.messages(id, session)).map((stored) => stored.id)).toEqual([expect.any(String), message])
      const rated = await client.post(
        `/api/external/chatbot/${id}/conversations/${session}/messages/${message}/feedback`,
        { json: { rating: "up" } },
      )
      expect(rated).toMatchObject({ status: 200, body: { message_id: message } })
      expect(reply.headers.get("access-control-expose-headers")).toContain("x-message-id")
      // A stream says it at its end.
      expect(reply.headers.get("x-written-by")).toBe(query === "" ? "rule" : null)
    },
  )

  test("sends the chatbot's instructions and the tools of its knowledge base to the model, and stores the tokens used", async () => {
    const { id } = await client.newChatbot({
      name: "Marin",
      personality_config: { tone: "salty", style: "terse" },
      settings: { ...claude.settings, prompt: "Speak of the sea only." },
    })
    await provider.answers(says("Ahoy."))
    const { session_id } = await client.chat(id, "Hello there")
    const [request] = sent()
    expect(request?.tools).toMatchObject([
      { name: "searchKnowledgeBase", input_schema: { type: "object", properties: { query: { type: "string" } } } },
      { name: "listDocuments", input_schema: { type: "object", properties: {} } },
    ])
    for (const words of ["Marin", "Speak of the sea only.", "salty", "terse"]) {
      expect(textOf(request?.system ?? "")).toContain(words)
    }
    expect(await client.messages(id, session_id)).toMatchObject([
      { sender_type: "user", model: null, provider: null, tokens_used: 0, tool_calls: null, tool_results: null },
      {
        sender_type: "bot",
        model: "claude-sonnet-5-5",
        provider: "anthropic",
        tokens_used: 50 + 40 + 7 + 11,
        tool_calls: [],
        tool_results: [],
      },
    ])
  })

  test("without tools gives the model the passages of one search, marked as data", async () => {
    const { id } = await client.newChatbot({ settings: { ...claude.settings, isToolEnabled: false } })
    await client.learn(id, tides)
    await provider.answers(says("At noon."))
    const { output, steps, tool_calls } = await client.chat(id, "When does the tide at Morlaix turn?")
    expect({ output, steps: steps.length, tool_calls }).toEqual({ output: "At noon.", steps: 1, tool_calls: [] })
    const [request] = sent()
    expect(request).not.toHaveProperty("tools")
    expect(request?.messages.at(-1)?.content).toEqual([
      { type: "text", text: "<knowledge_base>" },
      {
        type: "search_result",
        source: expect.stringMatching(/^[0-9a-f-]{36}#1$/),
        title: "Tides",
        content: [
          { type: "text", text: "# Tides" },
          { type: "text", text: "The tide at Morlaix turns at noon." },
        ],
        citations: { enabled: true },
      },
      { type: "text", text: expect.stringMatching(/^The similarities of these passages, in order: [01](\.\d+)?\.$/) },
      { type: "text", text: "</knowledge_base>" },
      { type: "text", text: "When does the tide at Morlaix turn?" },
    ])
    expect(textOf(request?.system ?? "")).not.toContain("turns at noon")
  })

  const stops: ReadonlyArray<readonly [string, string]> = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content-filter"],
    ["of_a_later_year", "unknown"],
  ]
  test.each(stops)("reports the stop reason %s as %s", async (reason, finish_reason) => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("Words", reason))
    expect(await client.chat(id, "Hello there")).toMatchObject({ finish_reason, output: "Words" })
  })
})

describe("a chat without a language model", () => {
  test("answers with sentences from the knowledge base and their titles", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, tides)
    const { output, steps, tool_calls, finish_reason } = await client.chat(id, "When does the tide at Morlaix turn?")
    expect(output).toContain("The tide at Morlaix turns at noon.")
    expect(output).toContain("Tides")
    expect(finish_reason).toBe("stop")
    expect(tool_calls).toMatchObject([{ toolName: "searchKnowledgeBase" }])
    expect(steps).toMatchObject([
      { stepType: "initial", finishReason: "tool-calls" },
      { stepType: "tool-result", finishReason: "stop", text: output },
    ])
    for (const { warnings, request } of steps) {
      expect(warnings).toMatchObject([{ type: "other", message: expect.stringContaining("No language model") }])
      expect(JSON.parse(request.body)).toHaveProperty("messages")
    }
  })

  test("says so when the search finds nothing", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, tides)
    expect((await client.chat(id, "Where is the xylophone?")).output).toContain("found nothing")
  })

  test("says that there are no documents while its chatbot has none", async () => {
    const { id } = await client.newChatbot()
    expect((await client.chat(id, "Where is the xylophone?")).output).toStartWith("I have no readable documents yet")
    expect((await client.chat(id, "Was weißt du?")).output).toContain("Ich habe noch keine lesbaren Dokumente")
  })

  test("speaks the language of its widget where nothing shows another", async () => {
    const { id } = await client.newChatbot({ settings: { isRequestUserInfoEnabled: true } })
    await client.patch(`/api/external/chatbot/${id}/chat-widget`, { json: { language: "de-AT" } })
    const sessionToken = "words"
    expect((await client.chat(id, "4711?", { sessionToken })).output).toContain("E-Mail-Adresse")
    expect((await client.chat(id, "ada@example.com", { sessionToken })).output).toContain("keine lesbaren Dokumente")
    expect((await client.chat(id, "Where is the xylophone?")).output).toContain("e-mail address")
  })

  test("names its documents when it is asked what it knows about, with and without tools", async () => {
    const { id } = await client.newChatbot({ name: "Marin" })
    await client.learn(id, tides)
    const { output, tool_results } = await client.chat(id, "What do you know about?")
    expect(output).toStartWith("I am Marin, a chatbot.")
    expect(output).toContain("I know these documents:\n- Tides")
    expect(tool_results).toMatchObject([
      { toolName: "listDocuments", args: {}, result: { total: 1, titles: ["Tides"] } },
    ])
    const mute = await client.newChatbot({ name: "Marin", settings: { isToolEnabled: false } })
    await client.learn(mute.id, tides)
    const short = await client.chat(mute.id, "What do you know about?")
    expect(short.output).toStartWith("I am Marin, a chatbot.")
    expect(short.tool_results).toEqual([])
  })

  test.each([true, false])(
    "searches for a follow-up with the question before it (tools: %p)",
    async (isToolEnabled) => {
      const { id } = await client.newChatbot({ settings: { isToolEnabled } })
      await client.learn(id, {
        "prices.md":
          "# Prices\n\nA ticket for adults costs 12 EUR.\n\nA ticket for students costs 7 EUR.\n\nStudents like the garden.",
      })
      const { output, session_id } = await client.chat(id, "How much is a ticket for adults?")
      expect(output).toContain("12 EUR")
      const next = await client.chat(id, "and for students?", { sessionToken: session_id })
      expect(next.output).toContain("7 EUR")
      expect(next.output).not.toContain("garden")
    },
  )
})

describe("the history", () => {
  test("is that of the stored session when the request has one message", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("One."), says("Two."), says("Three."))
    const first = await client.chat(id, "First", { sessionToken: "visitor 1/ü" })
    const second = await client.chat(id, "Second", { sessionToken: "visitor 1/ü" })
    const third = await client.chat(id, "Third", { sessionToken: first.session_id })
    expect([second.session_id, third.session_id]).toEqual([first.session_id, first.session_id])
    expect(shown()).toEqual([user("First"), assistant("One."), user("Second"), assistant("Two."), user("Third")])
    const stored = ["user: First", "bot: One.", "user: Second", "bot: Two.", "user: Third", "bot: Three."]
    expect(await said(id, first.session_id)).toEqual(stored)
    expect(await said(id, "visitor 1/ü")).toEqual(stored)
  })

  test("is that of the request when it has several messages, and only new messages are stored", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("One."), says("Two."), says("Three."))
    const send = (...messages: ReadonlyArray<object>) =>
      client.post(chatPath(id), { json: { messages, sessionToken: "several" } })
    await send(user("First"))
    await send(user("First"), assistant("One."), user("Second"))
    expect(shown()).toEqual([user("First"), assistant("One."), user("Second")])
    expect(await said(id, "several")).toEqual(["user: First", "bot: One.", "user: Second", "bot: Two."])
    await send(user("Zeroth"), { role: "bot", content: "Edited." }, user("Third"))
    expect(shown()).toEqual([user("Zeroth"), assistant("Edited."), user("Third")])
    expect((await said(id, "several")).slice(4)).toEqual(["user: Zeroth", "bot: Edited.", "user: Third", "bot: Three."])
  })

  test("never mixes chatbots or sessions", async () => {
    const [one, two] = [await client.newChatbot(claude), await client.newChatbot(claude)]
    await provider.answers(says("Here."))
    const first = await client.chat(one.id, "First", { sessionToken: "shared" })
    const other = await client.chat(two.id, "Second", { sessionToken: "shared" })
    expect(other.session_id).not.toBe(first.session_id)
    expect(shown()).toEqual([user("Second")])
    const foreign = await client.chat(two.id, "Third", { sessionToken: first.session_id })
    expect(foreign.session_id).not.toBe(first.session_id)
    expect(shown()).toEqual([user("Third")])
    const fresh = await client.chat(one.id, "Fourth")
    expect(fresh.session_id).not.toBe(first.session_id)
    expect(shown()).toEqual([user("Fourth")])
  })

  test("is that of one session when ten messages open the session at once", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("Yes."))
    const sessions = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client.chat(id, `Number ${n}`, { sessionToken: "at once" })),
    )
    expect(new Set(sessions.map(({ session_id }) => session_id)).size).toBe(1)
    expect(await said(id, "at once")).toHaveLength(20)
    expect((await client.session(id, "at once")).message_count).toBe(20)
  })
})

describe("the request", () => {
  test("may be that of an AI SDK, whose additional fields are ignored", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("One."))
    const parts = [{ type: "text", text: "Hel" }, { type: "step-start" }, { type: "text", text: "lo" }]
    const json = {
      id: "sdk-chat-1",
      trigger: "submit-message",
      messages: [{ id: "m1", role: "user", parts, metadata: { a: 1 } }],
      data: { anything: [1] },
    }
    const { session_id } = read(ChatReply, await client.post(chatPath(id), { json }))
    expect(shown()).toEqual([user("Hello")])
    expect(await client.session(id, "sdk-chat-1")).toMatchObject({ id: session_id, session_token: "sdk-chat-1" })
    expect(await client.messages(id, session_id)).toMatchObject([{ metadata: { mid: "m1" } }, { metadata: {} }])
    const both = { ...json, sessionToken: "by token" }
    await client.post(chatPath(id), { json: both })
    expect(await client.session(id, "by token")).toMatchObject({ session_token: "by token" })
  })

  test("names the platform, which is web by default", async () => {
    const { id } = await client.newChatbot()
    const named = await client.chat(id, "Hello", { platform: "whats_app-2" })
    const unnamed = await client.chat(id, "Hello")
    expect((await client.session(id, named.session_id)).platform).toBe("whats_app-2")
    expect((await client.session(id, unnamed.session_id)).platform).toBe("web")
  })

  const long = (length: number) => "x".repeat(length)
  const refused: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no messages", {}, "messages"],
    ["an empty list", { messages: [] }, "messages"],
    ["too many messages", { messages: Array.from({ length: 1_001 }, () => user("a")) }, "messages"],
    ["a system message", { messages: [{ role: "system", content: "a" }, user("b")] }, "messages.0.role"],
    ["a tool message", { messages: [{ role: "tool", content: "a" }, user("b")] }, "messages.0.role"],
    ["an assistant's last word", { messages: [user("a"), assistant("b")] }, "messages.1.role"],
    ["an empty message", { messages: [user("")] }, "messages.0.content"],
    ["a message that is too long", { messages: [user(long(32_001))] }, "messages.0.content"],
    ["no content", { messages: [{ role: "user" }] }, "messages.0.content"],
    ["parts without text", { messages: [{ role: "user", parts: [{ type: "file" }] }] }, "messages.0.content"],
    ["NUL", { messages: [user("a\u0000")] }, "messages.0.content"],
    ["a lone surrogate", { messages: [user("\udfff")] }, "messages.0.content"],
    ["an empty token", { messages: [user("a")], sessionToken: "" }, "sessionToken"],
    ["a token that is too long", { messages: [user("a")], sessionToken: long(201) }, "sessionToken"],
    ["NUL in a token", { messages: [user("a")], sessionToken: "a\u0000" }, "sessionToken"],
    ["a platform in capitals", { messages: [user("a")], platform: "Web" }, "platform"],
    ["a platform that is too long", { messages: [user("a")], platform: long(33) }, "platform"],
  ]
  test.each(refused)("is refused with %s", async (_, json, path) => {
    const { id } = await client.newChatbot()
    expect(wrongPaths(await client.post(chatPath(id), { json }))).toEqual([path])
  })

  test("may be as long as documented", async () => {
    const { id } = await client.newChatbot()
    const messages = [...Array.from({ length: 999 }, () => assistant("a")), user(`Hello ${long(31_994)}`)]
    expect((await client.post(chatPath(id), { json: { messages } })).status).toBe(200)
    await client.chat(id, "Hello", { sessionToken: long(200), platform: long(32) })
    problem(await client.say(nowhere, "Hello"), 404, "not_found")
  })
})

describe("the e-mail gate", () => {
  const gated = { settings: { ...claude.settings, isRequestUserInfoEnabled: true } }

  test("asks for an address first, and answers the question once it has one", async () => {
    const { id } = await client.newChatbot(gated)
    await provider.answers(says("At noon."), says("Welcome."))
    const sessionToken = "gated"
    const asked = await client.chat(id, "When does the tide turn?", { sessionToken })
    expect(asked).toMatchObject({ finish_reason: "stop", steps: [], tool_calls: [], tool_results: [] })
    expect(asked.output).toContain("e-mail")
    const again = await client.chat(id, "Why?", { sessionToken })
    expect(again.output).toContain("e-mail")
    expect(provider.requests()).toHaveLength(0)

    const answered = await client.chat(id, "It is ada.l+tides@example.co.uk.", { sessionToken })
    expect(answered.output).toBe("At noon.")
    expect(shown()).toEqual([user("When does the tide turn?"), user("Why?")].slice(0, shown().length))
    expect((await client.session(id, sessionToken)).user_info).toEqual({ email: "ada.l+tides@example.co.uk" })

    expect((await client.chat(id, "Thanks", { sessionToken })).output).toBe("Welcome.")
    expect(await said(id, sessionToken)).toHaveLength(8)
  })

  test("accepts an address that comes with the question", async () => {
    const { id } = await client.newChatbot(gated)
    await provider.answers(says("At noon."))
    const { output, session_id } = await client.chat(id, "I am bob@example.com. When does the tide turn at Morlaix?")
    expect(output).toBe("At noon.")
    expect((await client.session(id, session_id)).user_info).toEqual({ email: "bob@example.com" })
  })

  test.each([
    ["Wann dreht sich die Flut bei uns und was ist mit der Ebbe?", "E-Mail-Adresse"],
    ["À quelle heure la marée tourne-t-elle dans le port ?", "adresse e-mail"],
    ["潮汐什么时候变化？", "邮箱"],
    ["満潮はいつですか", "メール"],
    ["qwxz", "e-mail"],
  ])("asks in the user's language: %s", async (question, words) => {
    const { id } = await client.newChatbot(gated)
    expect((await client.chat(id, question)).output).toContain(words)
  })

  test("does not ask when the setting is off", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("Yes."))
    const { session_id } = await client.chat(id, "I am bob@example.com.")
    expect((await client.session(id, session_id)).user_info).toEqual({})
  })
})

describe("a provider that fails", () => {
  const atOnce = { "x-should-retry": "false" }
  const failures: ReadonlyArray<readonly [string, Answer, number, string, number | undefined]> = [
    ["an internal error", fails(500, "api_error", atOnce), 502, "provider_failed", undefined],
    ["a refused key", fails(401, "authentication_error", atOnce), 502, "provider_failed", undefined],
    ["a refused request", fails(400, "invalid_request_error", atOnce), 502, "provider_failed", undefined],
    ["no JSON", { kind: "raw", body: "<html>", contentType: "text/html" }, 502, "provider_failed", undefined],
    ["another JSON", { kind: "raw", body: "{}", contentType: "application/json" }, 502, "provider_failed", undefined],
    ["too much to do", fails(529, "overloaded_error", { ...atOnce, "retry-after": "7" }), 503, "unavailable", 7],
    ["its time-out", fails(504, "timeout_error", atOnce), 504, "provider_timeout", undefined],
    ["its limit", fails(429, "rate_limit_error", { ...atOnce, "retry-after": "9" }), 429, "too_many_requests", 9],
  ]
  test.each(failures)(
    "with %s is answered with a status of its own, and the user's message is stored",
    async (_, answer, status, code, after) => {
      const { id } = await client.newChatbot(claude)
      await provider.answers(answer)
      const { detail, retry_after_seconds } = problem(
        await client.say(id, "Hello", { sessionToken: "s" }),
        status,
        code,
      )
      expect(detail).not.toContain("internal words of the provider")
      expect(retry_after_seconds).toBe(after)
      expect(await said(id, "s")).toEqual(["user: Hello"])

      await provider.answers(says("There."))
      expect((await client.chat(id, "Again", { sessionToken: "s" })).output).toBe("There.")
      expect(await said(id, "s")).toEqual(["user: Hello", "user: Again", "bot: There."])
    },
  )

  test("once is asked again", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers({ kind: "reset" }, says("Here."))
    expect((await client.chat(id, "Hello")).output).toBe("Here.")
    expect(provider.requests()).toHaveLength(2)
  })

  test("in its second step leaves the first step in the conversation", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(calls("tide"), fails(500, "api_error", atOnce))
    problem(await client.say(id, "When?", { sessionToken: "s" }), 502, "provider_failed")
    expect(await client.messages(id, "s")).toMatchObject([
      { sender_type: "user" },
      { sender_type: "bot", content: "", tool_calls: [{ args: { query: "tide" } }], tokens_used: 50 + 40 + 7 + 11 },
    ])
  })
})

describe("a client that disconnects", () => {
  const leave = async (id: string, arrived: number) => {
    const controller = new AbortController()
    const reply = client
      .post(chatPath(id), {
        json: { messages: [user("When?")], sessionToken: "left" },
        signal: controller.signal,
      })
      .catch((error: unknown) => error)
    await until(provider.arrived, (count) => count === arrived)
    controller.abort()
    expect(await reply).toBeInstanceOf(DOMException)
    await until(provider.hungUp, (count) => count === 1)
  }

  test("cancels the call of the model", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers({ kind: "hang" })
    await leave(id, 1)
    expect(await said(id, "left")).toEqual(["user: When?"])
  })

  test("leaves the reply as far as it got in the conversation, with its tokens", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(
      message(
        [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "tide" } },
        ],
        "tool_use",
      ),
      { kind: "hang" },
    )
    await leave(id, 2)
    const stored = await until(
      () => client.messages(id, "left"),
      (messages) => messages.length === 2,
    )
    expect(stored[1]).toMatchObject({
      sender_type: "bot",
      content: "Let me look.",
      tokens_used: 50 + 40 + 7 + 11,
      provider: "anthropic",
      tool_calls: [{ toolCallId: "toolu_1" }],
    })
  })
})
