import { describe, expect, test } from "bun:test"
import { Chat } from "@ai-sdk/react"
import { DefaultChatTransport, type UIMessage } from "ai"
import { problem, until } from "../../lib/Client.ts"
import { calls, fails, message, says, usage } from "../../lib/FakeAnthropic.ts"
import { Context } from "effect"
import { Heartbeat } from "../../../src/http/streams/Streaming.ts"
import { sharedServer, startServer } from "../../lib/TestServer.ts"
import { uiEvents } from "../../lib/UiEvents.ts"
import type { Answer } from "../../lib/Wire.ts"

const { client, provider, url } = await sharedServer()
/** A server whose streams begin and wait with a heartbeat that comes soon. */
const impatient = await startServer({}, Context.make(Heartbeat, "200 millis"))

const claude = { settings: { model: "claude-sonnet-5-5" } }
const tides = { "tides.md": "# Tides\n\nThe tide at Morlaix turns at noon." }
const streamPath = (id: string) => `/api/external/chatbot/${id}/chat?stream=true`
const atOnce = { "x-should-retry": "false" }

/** An answer of the model that has begun and then ends, breaks off or hangs. */
const begun = (ending: "end" | "reset" | "hang", text = "At n"): Answer => ({
  kind: "events",
  events: [
    { type: "message_start", message: { id: "m", type: "message", model: "claude", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  ],
  ending,
})

const ask = (id: string, content = "When?", more: object = {}) =>
  client.post(streamPath(id), { json: { messages: [{ role: "user", content }], ...more } })

/** A chat as a React application creates it, with no options but the address and the key. */
const chatWith = (id: string, session: string = crypto.randomUUID(), path = streamPath(id)) => {
  const errors: Array<Error> = []
  const chat = new Chat<UIMessage>({
    id: session,
    transport: new DefaultChatTransport({ api: url + path, headers: { "x-api-key": client.key ?? "" } }),
    onError: (error) => errors.push(error),
  })
  return { chat, errors, session }
}

const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("")

const wordsOf = ({ content }: { readonly content: ReadonlyArray<{ readonly text: string }> }) =>
  content.map(({ text }) => text).join("")

describe("a stream", () => {
  test("is the AI SDK's UI message stream", async () => {
    const { id } = await client.newChatbot(claude)
    await client.learn(id, tides)
    await provider.answers(calls("tide"), says("At noon."))
    const reply = await ask(id)
    expect(reply.status).toBe(200)
    const session = reply.headers.get("x-session-id") ?? ""
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": expect.stringMatching(/^text\/event-stream/),
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-vercel-ai-ui-message-stream": "v1",
      "access-control-allow-origin": "*",
    })
    const stored = await client.messages(id, session)
    const call = { toolCallId: "toolu_tide_0", dynamic: true }
    const name = { toolName: "searchKnowledgeBase" }
    expect(await uiEvents(reply.text)).toEqual([
      { type: "start", messageId: stored[1]?.id, messageMetadata: { session_id: session } },
      { type: "start-step" },
      { type: "tool-input-start", ...call, ...name },
      { type: "tool-input-available", ...call, ...name, input: { query: "tide" } },
      { type: "tool-output-available", ...call, output: stored[1]?.tool_results?.map((one) => Object(one).result)[0] },
      { type: "finish-step" },
      { type: "start-step" },
      { type: "text-start", id: "text-1" },
      { type: "text-delta", id: "text-1", delta: "At noon." },
      { type: "text-end", id: "text-1" },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop", messageMetadata: { written_by: "model" } },
    ])
  })

  test("has the steps when they are asked for, with prompts for keys alone that may read conversations", async () => {
    const { id } = await client.newChatbot(claude)
    const website = await client.newKey({ scopes: ["chat"] })
    const stepsOf = async (asker: typeof client) => {
      await provider.answers(says("At noon."))
      const reply = await asker.post(`${streamPath(id)}&steps=true`, {
        json: { messages: [{ role: "user", content: "When is the tide?" }] },
      })
      const events = await uiEvents(reply.text)
      expect(events.map(({ type }) => type).slice(-3)).toEqual(["data-step", "finish-step", "finish"])
      return events.flatMap((event) => (event.type === "data-step" ? [Object(event)] : []))
    }
    const [step, ...more] = await stepsOf(client)
    expect(more).toEqual([])
    expect(step).toMatchObject({
      transient: true,
      data: { stepType: "initial", text: "At noon.", usage: { completionTokens: expect.any(Number) } },
    })
    expect(step.data.response).not.toHaveProperty("messages")
    expect(step.data.request.body).toContain("When is the tide?")
    expect((await stepsOf(website.client))[0].data.request.body).toBe("")
  })

  test("is requested by the query or by Accept, and the query wins", async () => {
    const { id } = await client.newChatbot()
    const kindOf = async (query: string, accept?: string) => {
      const { headers } = await client.post(`/api/external/chatbot/${id}/chat${query}`, {
        json: { messages: [{ role: "user", content: "Hello" }] },
        ...(accept !== undefined && { headers: { accept } }),
      })
      return headers.get("content-type")?.split(";")[0]
    }
    expect(await kindOf("")).toBe("application/json")
    expect(await kindOf("", "*/*")).toBe("application/json")
    expect(await kindOf("", "text/event-stream")).toBe("text/event-stream")
    expect(await kindOf("?stream=true", "application/json")).toBe("text/event-stream")
    expect(await kindOf("?stream=false", "text/event-stream")).toBe("application/json")
    problem(
      await client.post(`/api/external/chatbot/${id}/chat?stream=yes`, { json: { messages: [] } }),
      400,
      "invalid_request",
    )
  })

  test("stores the same reply as a response in JSON", async () => {
    const { id } = await client.newChatbot(claude)
    await client.learn(id, tides)
    const script = [calls("tide", "moon"), says("First, ", "pause_turn"), says("at noon.", "max_tokens")]
    const [whole, streamed] = ["whole", "streamed"]
    await provider.answers(...script)
    await client.chat(id, "When?", { sessionToken: whole })
    await provider.answers(...script)
    await ask(id, "When?", { sessionToken: streamed })
    const [one, other] = [await client.messages(id, whole), await client.messages(id, streamed)]
    const kept = (messages: typeof one) => messages.map(({ id: _, session_id: __, created_at: ___, ...rest }) => rest)
    expect(one).toHaveLength(2)
    expect(kept(other)).toEqual(kept(one))
  })

  test("has the error of a tool", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(
      message([{ type: "tool_use", id: "toolu_1", name: "nowhere", input: {} }], "tool_use"),
      says("Sorry."),
    )
    const events = await uiEvents((await ask(id)).text)
    expect(events.filter(({ type }) => type === "tool-output-error")).toEqual([
      {
        type: "tool-output-error",
        toolCallId: "toolu_1",
        errorText: expect.stringContaining("There is no tool nowhere"),
        dynamic: true,
      },
    ])
  })

  test("has the question for the e-mail address", async () => {
    const { id } = await client.newChatbot({ settings: { ...claude.settings, isRequestUserInfoEnabled: true } })
    const events = await uiEvents((await ask(id)).text)
    expect(events.map(({ type }) => type)).toEqual(["start", "text-start", "text-delta", "text-end", "finish"])
  })
})

describe("a stream that fails", () => {
  test("before its first event is answered with a status", async () => {
    const { id } = await client.newChatbot(claude)
    const failures = [
      [fails(500, "api_error", atOnce), 502, "provider_failed"],
      [fails(529, "overloaded_error", atOnce), 503, "unavailable"],
      [fails(429, "rate_limit_error", { ...atOnce, "retry-after": "9" }), 429, "too_many_requests"],
    ] as const
    for (const [answer, status, code] of failures) {
      await provider.answers(answer)
      problem(await ask(id), status, code)
    }
    problem(await ask("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"), 404, "not_found")
    problem(await client.withKey("nobody").post(streamPath(id), { json: {} }), 401, "unauthorized")
  })

  test("after its first event closes what is open and ends with the error", async () => {
    const { id } = await client.newChatbot(claude)
    for (const ending of ["reset", "end"] as const) {
      await provider.answers(begun(ending))
      const reply = await ask(id)
      expect(reply.status).toBe(200)
      const events = await uiEvents(reply.text)
      expect(events.map(({ type }) => type)).toEqual([
        "start",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "data-explanation",
        "error",
      ])
      expect(events.at(-1)?.errorText).toMatch(/^The model provider (?:cannot be reached|failed to answer)\.$/)
      const [, partial] = await client.messages(id, reply.headers.get("x-session-id") ?? "")
      expect(partial).toMatchObject({ id: events[0]?.messageId, content: "At n", provider: "anthropic" })
      // The tokens that the provider reported, and an estimated one for the text since then.
      expect(partial?.tokens_used).toBe(50 + 40 + 7 + 11 + 1)
    }
  })

  test("during a fallback is stored with the fallback's name", async () => {
    const { id } = await client.newChatbot({ settings: { ...claude.settings, fallbackModels: ["openai/test-1"] } })
    await provider.answers(fails(500, "api_error", atOnce), { kind: "reset in body" })
    const reply = await ask(id)
    expect((await uiEvents(reply.text)).at(-1)?.type).toBe("error")
    const [, partial] = await client.messages(id, reply.headers.get("x-session-id") ?? "")
    expect(partial).toMatchObject({ content: "Hello", model: "openai/test-1", provider: "openai" })
  })

  test("after a tool call ends with the error, and the results of the tool are kept", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(calls("tide"), fails(500, "api_error", atOnce))
    const reply = await ask(id)
    expect((await uiEvents(reply.text)).at(-1)).toEqual({
      type: "error",
      errorText: "The model provider failed to answer.",
    })
    const [, partial] = await client.messages(id, reply.headers.get("x-session-id") ?? "")
    expect(partial?.tool_results).toHaveLength(1)
  })
})

describe("a stream that waits", () => {
  const { client, provider, url } = impatient

  test("sends heartbeats and begins before the model does, so that a later error is an event", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(fails(500, "api_error", atOnce))
    const goOn = provider.hold()
    const response = await fetch(url + streamPath(id), {
      method: "POST",
      headers: { "x-api-key": client.key ?? "", "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "When?" }] }),
    })
    // On a busy machine a heartbeat comes even before the conversation is known, and with it its header.
    expect(response.status).toBe(200)
    goOn()
    const text = await response.text()
    expect(text).toStartWith(": heartbeat\n\n")
    expect((await uiEvents(text)).map(({ type }) => type)).toEqual(["start", "data-explanation", "error"])
  })

  test("sends heartbeats while the model pauses", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(begun("hang"))
    const controller = new AbortController()
    const response = await fetch(url + streamPath(id), {
      method: "POST",
      headers: { "x-api-key": client.key ?? "", "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "When?" }] }),
      signal: controller.signal,
    })
    let seen = ""
    const reading = (async () => {
      for await (const bytes of response.body ?? []) seen += Buffer.from(bytes).toString()
    })().catch(() => {})
    await until(
      () => seen.split('"delta":"At n"')[1]?.split(": heartbeat\n\n").length ?? 0,
      (count) => count > 3,
    )
    controller.abort()
    await reading
    await until(provider.hungUp, (count) => count === 1)
  })
})

describe("the AI SDK's client", () => {
  test("is told to ask for a stream where it does not, and other clients have their JSON", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("At noon."))
    const path = streamPath(id).replace("?stream=true", "")
    const { chat, errors, session } = chatWith(id, undefined, path)
    await chat.sendMessage({ text: "When?" })
    await chat.regenerate()
    expect([chat.status, errors.length]).toEqual(["error", 2])
    for (const { message } of errors) expect(message).toContain("add ?stream=true to the address in `api`")
    expect(provider.requests()).toEqual([])
    problem(await client.get(`/api/external/chatbot/${id}/sessions/${session}`), 404, "not_found")

    const parts = [{ type: "text", text: "When?" }]
    const sent = { id: session, trigger: "submit-message", messages: [{ id: "m1", role: "user", parts }] }
    const kindOf = async (json: object, headers: Record<string, string> = {}, query = "") => {
      const reply = await client.post(path + query, { json, headers })
      return reply.status === 200
        ? reply.headers.get("content-type")?.split(";")[0]
        : problem(reply, 400, "invalid_request").code
    }
    const browser = { origin: "https://shop.example.com" }
    expect(await kindOf(sent)).toBe("invalid_request")
    expect(await kindOf({ ...sent, platform: "shop" }, browser)).toBe("invalid_request")
    expect(await kindOf({ ...sent, platform: "shop" })).toBe("application/json")
    expect(await kindOf(sent, browser, "?stream=false")).toBe("application/json")
    expect(await kindOf(sent, { accept: "application/json" })).toBe("application/json")
    expect(await kindOf(sent, { accept: "text/event-stream" })).toBe("text/event-stream")
    expect(await kindOf({ ...sent, trigger: undefined }, browser)).toBe("application/json")
    expect(await kindOf({ ...sent, messages: [{ role: "user", content: "When?" }] }, browser)).toBe("application/json")
  })

  test("holds a conversation of several turns, and nothing is stored twice", async () => {
    const { id } = await client.newChatbot(claude)
    await client.learn(id, tides)
    const looking = calls("tide")
    if (looking.kind !== "message") throw new Error("Expected a message")
    await provider.answers(
      { ...looking, content: [{ type: "text", text: "Let me look." }, ...looking.content] },
      says("At noon."),
      says("At six."),
    )
    const { chat, errors, session } = chatWith(id)
    await chat.sendMessage({ text: "When does the tide turn?" })
    expect(errors).toEqual([])
    expect(chat.status).toBe("ready")
    const [question, answer] = chat.messages
    expect(question?.role).toBe("user")
    expect(answer?.parts.map(({ type }) => type)).toEqual(["step-start", "text", "dynamic-tool", "step-start", "text"])
    expect(answer?.parts[2]).toMatchObject({
      type: "dynamic-tool",
      toolName: "searchKnowledgeBase",
      state: "output-available",
      input: { query: "tide" },
      output: [{ title: "Tides", chunk: 1 }],
    })
    expect(textOf(answer)).toBe("Let me look.At noon.")
    expect(answer?.parts.every((part) => part.type !== "text" || part.state === "done")).toBe(true)

    await chat.sendMessage({ text: "And then?" })
    expect(textOf(chat.messages.at(-1))).toBe("At six.")
    const stored = await client.messages(id, session)
    expect(stored.map(({ content }) => content)).toEqual([
      "When does the tide turn?",
      "At noon.",
      "And then?",
      "At six.",
    ])
    expect(chat.messages.map((one) => one.id)).toEqual([
      question?.id ?? "",
      stored[1]?.id ?? "",
      stored[2]?.metadata.mid ?? "",
      stored[3]?.id ?? "",
    ])
  })

  test.each(["claude-sonnet-5-5", "openai/test-1"])("shows the sources of an answer of %s", async (model) => {
    const { id } = await client.newChatbot({ settings: { model } })
    const [document] = await client.learn(id, tides)
    const source = `${document?.id}#1`
    const said = "It turns at noon in Morlaix."
    const quote = "The tide at Morlaix turns at noon."
    // Claude names its quotes itself; for the other models the server finds them.
    const citations = [{ type: "search_result_location", source, cited_text: quote }]
    const script = [calls("tide"), message([{ type: "text", text: said, citations }], "end_turn")]
    await provider.answers(...script)
    const { chat, errors } = chatWith(id)
    await chat.sendMessage({ text: "When?" })
    expect(errors).toEqual([])
    const place = { document_id: document?.id ?? "", chunk: 1, page: null, quote }
    expect(chat.messages.at(-1)?.parts.filter(({ type }) => type === "source-document")).toEqual([
      {
        type: "source-document",
        sourceId: source,
        mediaType: "text/plain",
        title: "Tides",
        providerMetadata: { parley: place },
      },
    ])
    await provider.answers(...script)
    expect(await client.chat(id, "When?")).toMatchObject({ output: said, sources: [{ title: "Tides", ...place }] })
  })

  test("shows two quotes of one passage separately", async () => {
    const { id } = await client.newChatbot(claude)
    const [document] = await client.learn(id, tides)
    const source = `${document?.id}#1`
    const quotes = ["The tide at Morlaix", "turns at noon", "at noon"]
    const citations = quotes.map((cited_text) => ({ type: "search_result_location", source, cited_text }))
    const script = [calls("tide"), message([{ type: "text", text: "At noon.", citations }], "end_turn")]
    await provider.answers(...script)
    const { chat } = chatWith(id)
    await chat.sendMessage({ text: "When?" })
    const shown = chat.messages
      .at(-1)
      ?.parts.flatMap((part) => (part.type === "source-document" ? [[part.sourceId, part.providerMetadata]] : []))
    const place = { document_id: document?.id ?? "", chunk: 1, page: null }
    expect(shown).toEqual(
      quotes.map((quote, index) => [index === 0 ? source : `${source}#${index + 1}`, { parley: { ...place, quote } }]),
    )
    await provider.answers(...script)
    expect(await client.chat(id, "When?")).toMatchObject({
      sources: quotes.map((quote) => ({ title: "Tides", ...place, quote })),
    })
  })

  test("shows a tool call that failed, and one that was cut off", async () => {
    const { id } = await client.newChatbot(claude)
    const call = { type: "tool_use", id: "toolu_1", name: "nowhere", input: { query: "tide" } } as const
    await provider.answers(message([call], "tool_use"), says("Sorry."), {
      kind: "events",
      events: [
        { type: "message_start", message: { id: "m", type: "message", model: "claude", content: [], usage } },
        { type: "content_block_start", index: 0, content_block: { ...call, id: "toolu_2", input: {} } },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"que' } },
      ],
      ending: "reset",
    })
    const { chat, errors } = chatWith(id)
    const shown = () => chat.messages.at(-1)?.parts.find(({ type }) => type === "dynamic-tool")
    await chat.sendMessage({ text: "When?" })
    expect(shown()).toMatchObject({
      toolName: "nowhere",
      state: "output-error",
      errorText: expect.stringContaining("There is no tool nowhere"),
    })
    expect(errors).toEqual([])
    await chat.sendMessage({ text: "And then?" })
    expect(shown()).toMatchObject({ state: "output-error", errorText: "The model provider cannot be reached." })
    expect([chat.status, chat.error?.message]).toEqual(["error", "The model provider cannot be reached."])
  })

  test("regenerates an answer", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(says("At noon."), says("At one."))
    const { chat, errors, session } = chatWith(id)
    await chat.sendMessage({ text: "When?" })
    await chat.regenerate()
    expect(errors).toEqual([])
    expect(chat.messages.map(textOf)).toEqual(["When?", "At one."])
    expect((await client.messages(id, session)).map(({ content }) => content)).toEqual(["When?", "At noon.", "At one."])
    expect(JSON.parse(provider.requests()[1]?.body ?? "").messages).toHaveLength(1)
  })

  test("regenerates the answer to an earlier question, and edits an earlier question", async () => {
    const { id } = await client.newChatbot(claude)
    const shown = () => JSON.parse(provider.requests().at(-1)?.body ?? "").messages.map(wordsOf)
    await provider.answers(
      ...["At noon.", "At six.", "At one.", "At ten.", "At two.", "At three.", "At four."].map((text) => says(text)),
    )
    const { chat, errors, session } = chatWith(id)
    await chat.sendMessage({ text: "When?" })
    await chat.sendMessage({ text: "And then?" })
    await chat.regenerate({ messageId: chat.messages[1]?.id ?? "" })
    expect(shown()).toEqual(["When?"])
    await chat.regenerate()
    expect(shown()).toEqual(["When?"])
    await chat.sendMessage({ text: "And at night?" })
    expect(shown()).toEqual(["When?", "At ten.", "And at night?"])
    await chat.sendMessage({ text: "And in the morning?", messageId: chat.messages[2]?.id ?? "" })
    expect(shown()).toEqual(["When?", "At ten.", "And in the morning?"])
    await chat.sendMessage({ text: "When today?", messageId: chat.messages[0]?.id ?? "" })
    expect(shown()).toEqual(["When today?"])
    expect(chat.messages.map(textOf)).toEqual(["When today?", "At four."])
    expect(errors).toEqual([])
    const said = (await client.messages(id, session)).map(({ content }) => content)
    expect(said.join(" ")).toBe(
      "When? At noon. And then? At six. When? At one. At ten. And at night? At two. And in the morning? At three. When today? At four.",
    )
  })

  test("reports an error before the stream begins and within it", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(fails(500, "api_error", atOnce), begun("reset"))
    const { chat, errors } = chatWith(id)
    await chat.sendMessage({ text: "When?" })
    expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringContaining("provider_failed")])
    chat.clearError()
    await chat.sendMessage({ text: "When?" })
    expect([chat.status, chat.error?.message]).toEqual(["error", "The model provider cannot be reached."])
    expect(errors).toHaveLength(2)
    expect(textOf(chat.messages.at(-1))).toBe("At n")
  })

  test("stops an answer, which is kept as far as it got", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(begun("hang", "As far as this"), says("Yes."))
    const { chat, errors, session } = chatWith(id)
    const sending = chat.sendMessage({ text: "When?" })
    await until(
      () => textOf(chat.messages.at(-1)),
      (text) => text === "As far as this",
    )
    await chat.stop()
    await sending
    await until(provider.hungUp, (count) => count === 1)
    const stored = await until(
      () => client.messages(id, session),
      (messages) => messages.length === 2,
    )
    expect(stored[1]).toMatchObject({
      id: chat.messages.at(-1)?.id,
      content: "As far as this",
      tokens_used: 50 + 40 + 7 + 11 + 4,
      provider: "anthropic",
    })
    await chat.sendMessage({ text: "Go on?" })
    expect(errors).toEqual([])
    expect((await client.messages(id, session)).map(({ content }) => content)).toEqual([
      "When?",
      "As far as this",
      "Go on?",
      "Yes.",
    ])
  })
})
