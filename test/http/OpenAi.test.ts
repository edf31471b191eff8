import { describe, expect, test } from "bun:test"
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai"
import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionMessageParam } from "openai/resources"
import { calls, fails, says, usage } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, provider, url } = await sharedServer()

const claude = { settings: { model: "claude-sonnet-5-5", prompt: "Be a pirate." } }
const openai = (apiKey = client.key ?? "") => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
const atOnce = { "x-should-retry": "false" }
const hello: Array<ChatCompletionMessageParam> = [{ role: "user", content: "When does the tide turn?" }]

/** The body of the last request to the provider. */
const sent = () => JSON.parse(provider.requests().at(-1)?.body ?? "")
const totalUsage = (calls: number) => {
  const prompt =
    calls * (usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0))
  const completion = calls * usage.output_tokens
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: calls * (usage.cache_read_input_tokens ?? 0) },
  }
}

const caught = async (promise: PromiseLike<unknown>): Promise<APIError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof APIError) return error
    throw error
  }
  throw new Error("Expected a failure")
}

describe("a completion", () => {
  test("is the reply of the chatbot that `model` names by slug or id", async () => {
    const { id, slug } = await client.newChatbot(claude)
    for (const model of [slug, id]) {
      await provider.answers(calls("tide"), says("At noon."))
      const { data, response } = await openai().chat.completions.create({ model, messages: hello }).withResponse()
      expect(data).toEqual({
        id: expect.stringMatching(/^chatcmpl-[0-9a-f-]{36}$/),
        object: "chat.completion",
        created: expect.any(Number),
        model,
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "At noon.", refusal: null },
            logprobs: null,
            finish_reason: "stop",
          },
        ],
        usage: totalUsage(2),
      })
      const stored = await client.messages(id, response.headers.get("x-session-id") ?? "")
      expect(stored.map(({ content }) => content)).toEqual(["When does the tide turn?", "At noon."])
      expect(`chatcmpl-${stored[1]?.id}`).toBe(data.id)
      expect(response.headers.get("x-message-id")).toBe(stored[1]?.id ?? "")
    }
  })

  test("continues the session that the client names, in the body or in a header", async () => {
    const { id, slug } = await client.newChatbot(claude)
    await provider.answers(says("At noon."), says("At six."))
    const create = (content: string, params: Partial<ChatCompletionCreateParamsNonStreaming>, headers = {}) =>
      openai().chat.completions.create({ model: slug, messages: [{ role: "user", content }], ...params }, { headers })
    await create("When?", { metadata: { session_id: "mine" } })
    await create("And then?", {}, { "x-session-id": "mine" })
    expect(sent().messages).toHaveLength(3)
    expect((await client.messages(id, "mine")).map(({ content }) => content)).toEqual([
      "When?",
      "At noon.",
      "And then?",
      "At six.",
    ])
    expect((await client.session(id, "mine")).platform).toBe("openai")
  })

  test("that the client retries leaves the question in the session once", async () => {
    const { id, slug } = await client.newChatbot(claude)
    const trying = new OpenAI({ apiKey: client.key ?? "", baseURL: `${url}/v1`, maxRetries: 2 })
    const ask = (content: string) =>
      trying.chat.completions.create({
        model: slug,
        messages: [{ role: "user", content }],
        metadata: { session_id: "tried" },
      })
    await provider.answers(says("Arr."), fails(500, "api_error", atOnce), fails(500, "api_error", atOnce), says("Aye."))
    await ask("Hello")
    await ask("Hello")
    expect(provider.requests().map(({ body }) => JSON.parse(body).messages.length)).toEqual([1, 3, 3, 3])
    expect((await client.messages(id, "tried")).map(({ content }) => content)).toEqual([
      "Hello",
      "Arr.",
      "Hello",
      "Aye.",
    ])
  })

  test("adds the application's instructions after the chatbot's own, and does not store them", async () => {
    const { id, slug } = await client.newChatbot(claude)
    await provider.answers(says("Arr."))
    await openai().chat.completions.create({
      model: slug,
      messages: [
        { role: "system", content: "Answer in one word." },
        {
          role: "user",
          content: [
            { type: "text", text: "Hel" },
            { type: "text", text: "lo" },
          ],
        },
        { role: "assistant", content: "Ahoy." },
        { role: "developer", content: "Mind the tides." },
        { role: "user", content: "Who are you?" },
      ],
      metadata: { session_id: "instructed" },
      temperature: 0.3,
      max_completion_tokens: 5,
      seed: 7,
    })
    const system: string = sent().system[0].text
    expect(system.indexOf("Be a pirate.")).toBeLessThan(system.indexOf("Answer in one word.\n\nMind the tides."))
    expect(sent().messages.map(({ content }: { content: Array<{ text: string }> }) => content[0]?.text)).toEqual([
      "Hello",
      "Ahoy.",
      "Who are you?",
    ])
    expect(sent()).not.toHaveProperty("temperature")
    expect((await client.messages(id, "instructed")).map(({ content }) => content)).toEqual([
      "Hello",
      "Ahoy.",
      "Who are you?",
      "Arr.",
    ])
  })

  test("has a finish reason in OpenAI's words", async () => {
    const { slug } = await client.newChatbot(claude)
    const reasons = [
      ["max_tokens", "length"],
      ["refusal", "content_filter"],
      ["something_new", "stop"],
    ] as const
    for (const [stop, reason] of reasons) {
      await provider.answers(says("So", stop))
      const { choices } = await openai().chat.completions.create({ model: slug, messages: hello })
      expect(choices[0]?.finish_reason).toBe(reason)
    }
  })
})

describe("a stream of chunks", () => {
  test("has the reply in chunks, and the usage when the client requests it", async () => {
    const { id, slug } = await client.newChatbot(claude)
    for (const include_usage of [true, false]) {
      await provider.answers(calls("tide"), says("At noon."))
      const { data, response } = await openai()
        .chat.completions.create({ model: slug, messages: hello, stream: true, stream_options: { include_usage } })
        .withResponse()
      const chunks = await Array.fromAsync(data)
      expect(response.headers.get("content-type")).toStartWith("text/event-stream")
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
      expect(new Set(chunks.map(({ object, model }) => `${object} ${model}`))).toEqual(
        new Set([`chat.completion.chunk ${slug}`]),
      )
      const choices = chunks.flatMap(({ choices }) => choices)
      expect(choices[0]?.delta).toEqual({ role: "assistant", content: "" })
      expect(choices.map(({ delta }) => delta.content ?? "").join("")).toBe("At noon.")
      expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toMatchObject([
        { delta: {}, finish_reason: "stop" },
      ])
      expect(choices.at(-1)?.finish_reason).toBe("stop")
      const usages = chunks.map(({ usage }) => usage)
      if (include_usage) {
        expect(chunks.at(-1)?.choices).toEqual([])
        expect(usages.slice(0, -1).every((usage) => usage === null)).toBe(true)
        expect<unknown>(usages.at(-1)).toEqual(totalUsage(2))
      } else expect(usages.every((usage) => usage === undefined)).toBe(true)
      const stored = await client.messages(id, response.headers.get("x-session-id") ?? "")
      expect(stored.map(({ content }) => content)).toEqual(["When does the tide turn?", "At noon."])
    }
  })

  test("separates the texts of two steps by a blank line", async () => {
    const { slug } = await client.newChatbot(claude)
    const searching = { ...calls("tide"), content: [{ type: "text" as const, text: "Let me look." }] }
    const search = calls("tide")
    if (search.kind !== "message") throw new Error("Expected a message")
    await provider.answers({ ...search, content: [...searching.content, ...search.content] }, says("At noon."))
    const stream = await openai().chat.completions.create({ model: slug, messages: hello, stream: true })
    const texts = (await Array.fromAsync(stream)).map(({ choices }) => choices[0]?.delta.content ?? "")
    expect(texts.join("")).toBe("Let me look.\n\nAt noon.")
  })

  test("is recognized when the client sends it back in the history", async () => {
    const { id, slug } = await client.newChatbot(claude)
    const search = calls("tide")
    if (search.kind !== "message") throw new Error("Expected a message")
    const looking = { ...search, content: [{ type: "text" as const, text: "Let me look." }, ...search.content] }
    await provider.answers(looking, says("At noon."), says("At six."))
    const messages: Array<ChatCompletionMessageParam> = [...hello]
    const metadata = { session_id: "as it came" }
    for (const next of ["And then?", ""]) {
      const stream = await openai().chat.completions.create({ model: slug, messages, metadata, stream: true })
      const texts = (await Array.fromAsync(stream)).map(({ choices }) => choices[0]?.delta.content ?? "")
      messages.push({ role: "assistant", content: texts.join("") }, { role: "user", content: next })
    }
    expect((await client.messages(id, "as it came")).map(({ content }) => content)).toEqual([
      "When does the tide turn?",
      "At noon.",
      "And then?",
      "At six.",
    ])
  })

  test("that fails midway ends with an error that the client throws", async () => {
    const { slug } = await client.newChatbot(claude)
    await provider.answers({
      kind: "events",
      events: [
        { type: "message_start", message: { id: "m", type: "message", model: "claude", content: [], usage } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "At n" } },
      ],
      ending: "reset",
    })
    const stream = await openai().chat.completions.create({ model: slug, messages: hello, stream: true })
    const texts: Array<string> = []
    const failure = await caught(
      (async () => {
        for await (const { choices } of stream) texts.push(choices[0]?.delta.content ?? "")
      })(),
    )
    expect(texts.join("")).toBe("At n")
    expect(failure).toMatchObject({ type: "server_error", code: "unavailable" })
    expect(failure.message).toContain("model provider")
  })

  test("stops, together with the model, when the client aborts it", async () => {
    const { slug } = await client.newChatbot(claude)
    await provider.answers({
      kind: "events",
      events: [
        { type: "message_start", message: { id: "m", type: "message", model: "claude", content: [], usage } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "At n" } },
      ],
      ending: "hang",
    })
    const stream = await openai().chat.completions.create({ model: slug, messages: hello, stream: true })
    for await (const { choices } of stream) if (choices[0]?.delta.content === "At n") break
    while (provider.hungUp() === 0) await Bun.sleep(5)
  })
})

describe("models", () => {
  test("are the chatbots by their slugs, newest first", async () => {
    const [one, two] = [await client.newChatbot(claude), await client.newChatbot(claude)]
    const { data } = await openai().models.list()
    expect(data.slice(0, 2).map(({ id }) => id)).toEqual([two.slug, one.slug])
    expect(data[0]).toEqual({ id: two.slug, object: "model", created: expect.any(Number), owned_by: "parley" })
    const now = Date.now() / 1_000
    expect(Math.abs((data[0]?.created ?? 0) - now)).toBeLessThan(3_600)
    for (const name of [one.id, one.slug]) expect((await openai().models.retrieve(name)).id).toBe(one.slug)
  })

  test("are one chatbot for a key that is bound to it, and no other can be used", async () => {
    const [one, two] = [await client.newChatbot(claude), await client.newChatbot(claude)]
    const key = (await client.newKey({ scopes: ["chat"], chatbot_id: one.id })).client.key
    const bound = openai(key)
    expect((await bound.models.list()).data.map(({ id }) => id)).toEqual([one.slug])
    await provider.answers(says("Arr."))
    expect((await bound.chat.completions.create({ model: one.slug, messages: hello })).choices).toHaveLength(1)
    expect(await caught(bound.chat.completions.create({ model: two.slug, messages: hello }))).toBeInstanceOf(
      PermissionDeniedError,
    )
    expect(await caught(bound.models.retrieve(two.id))).toBeInstanceOf(PermissionDeniedError)
  })
})

test("CORS allows every header of OpenAI's client, and Parley's own", async () => {
  const { slug } = await client.newChatbot(claude)
  const { headers } = await client.withKey(undefined).send("OPTIONS", "/v1/chat/completions", {
    headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
  })
  const allowed = new Set(headers.get("access-control-allow-headers")?.toLowerCase().split(", "))
  let asked: ReadonlyArray<string> = []
  const inBrowser = openai().withOptions({
    fetch: (url, init) => {
      asked = Array.from(new Headers(init?.headers).keys())
      return fetch(url, init)
    },
  })
  await provider.answers(says("Arr."))
  await inBrowser.chat.completions.create({ model: slug, messages: hello }, { headers: { "x-session-id": "mine" } })
  expect(asked).toEqual(expect.arrayContaining(["authorization", "x-stainless-lang", "x-session-id"]))
  // For browsers the asterisk excludes `Authorization`, and is a literal in requests with cookies.
  expect(asked.filter((name) => !allowed.has(name) && (name === "authorization" || !allowed.has("*")))).toEqual([])
  expect(headers.get("access-control-allow-origin")).toBe("*")
})

describe("an error has OpenAI's form", () => {
  test("for an invalid key, or one without the scope", async () => {
    const error = await caught(openai("sk-nobody").models.list())
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "invalid_request_error" })
    const key = (await client.newKey({ scopes: ["chatbots:read"] })).client.key
    expect(await caught(openai(key).models.list())).toBeInstanceOf(PermissionDeniedError)
  })

  test("for an unknown chatbot", async () => {
    for (const model of ["nobody", "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"]) {
      const error = await caught(openai().chat.completions.create({ model, messages: hello }))
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error).toMatchObject({ status: 404, code: "model_not_found" })
      expect(await caught(openai().models.retrieve(model))).toBeInstanceOf(NotFoundError)
    }
  })

  const tool = { type: "function", function: { name: "now", parameters: {} } } as const
  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["two answers", { n: 2 }, "n"],
    ["tools of the client", { tools: [tool] }, "tools"],
    ["functions of the client", { functions: [{ name: "now" }] }, "functions"],
    ["JSON", { response_format: { type: "json_object" } }, "response_format"],
    ["probabilities", { logprobs: true }, "logprobs"],
    ["sound", { modalities: ["text", "audio"] }, "modalities.1"],
    [
      "a tool's message",
      { messages: [...hello, { role: "tool", tool_call_id: "1", content: "x" }] },
      "messages.1.role",
    ],
    [
      "a function's message",
      { messages: [{ role: "function", name: "f", content: "x" }, ...hello] },
      "messages.0.role",
    ],
    [
      "a call of the client's tool",
      { messages: [{ role: "assistant", content: null, tool_calls: [{ id: "1", ...tool }] }, ...hello] },
      "messages.0.tool_calls",
    ],
    [
      "a picture",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] },
      "messages.0.content.0.type",
    ],
    ["no message", { messages: [] }, "messages"],
    ["instructions alone", { messages: [{ role: "system", content: "x" }] }, "messages"],
    ["an assistant's last word", { messages: [...hello, { role: "assistant", content: "x" }] }, "messages.1.role"],
    ["an empty message", { messages: [{ role: "user", content: "" }] }, "messages.0.content"],
    ["a message that is too long", { messages: [{ role: "user", content: "x".repeat(32_001) }] }, "messages.0.content"],
    ["no model", { model: "" }, "model"],
    ["a session without a name", { metadata: { session_id: "" } }, "metadata.session_id"],
  ]
  test.each(refused)("for %s", async (_, params, param) => {
    const { slug } = await client.newChatbot(claude)
    const body = { model: slug, messages: hello, ...params } as ChatCompletionCreateParamsNonStreaming
    const error = await caught(openai().chat.completions.create(body))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param })
  })

  test("for a response format other than text, which says what is supported", async () => {
    const { slug } = await client.newChatbot(claude)
    const body = { model: slug, messages: hello, response_format: { type: "json_object" as const } }
    expect((await caught(openai().chat.completions.create(body))).message).toContain("Only text is supported")
  })

  test("for a failing provider, streamed or not", async () => {
    const { slug } = await client.newChatbot(claude)
    const failures = [
      [fails(429, "rate_limit_error", { ...atOnce, "retry-after": "9" }), RateLimitError, 429, "rate_limit_exceeded"],
      [fails(500, "api_error", atOnce), InternalServerError, 502, "provider_failed"],
      [fails(529, "overloaded_error", atOnce), InternalServerError, 503, "unavailable"],
      [fails(504, "timeout_error", atOnce), InternalServerError, 504, "provider_timeout"],
    ] as const
    for (const [answer, kind, status, code] of failures) {
      for (const stream of [false, true]) {
        await provider.answers(answer)
        const error = await caught(openai().chat.completions.create({ model: slug, messages: hello, stream }))
        expect(error).toBeInstanceOf(kind)
        expect(error).toMatchObject({ status, code })
        if (status === 429) expect(error.headers?.get("retry-after")).toBe("9")
        expect(error.message).not.toContain("internal words of the provider")
        // A provider that fails five times in a row is left alone.
        await provider.answers(says("Hello"))
        await openai().chat.completions.create({ model: slug, messages: hello })
      }
    }
  })

  test("for a request that is refused before it reaches an endpoint", async () => {
    const form = (type: string, code: string) => ({ error: { message: expect.any(String), type, param: null, code } })
    const invalid = "invalid_request_error"
    expect((await client.get("/v1/embeddings")).body).toEqual(form(invalid, "model_not_found"))
    expect((await client.get("/v1/chat/completions")).body).toEqual(form(invalid, "method_not_allowed"))
    const wrong = await client.post("/v1/chat/completions", {
      body: "{",
      headers: { "content-type": "application/json" },
    })
    expect(wrong.body).toMatchObject({ error: { type: invalid, param: "body", errors: [{ path: "body" }] } })
    expect(wrong.headers.get("x-request-id")).not.toBeNull()
    const large = await client.post("/v1/chat/completions", { json: { model: "x".repeat(2_000_000) } })
    expect([large.status, large.body]).toEqual([413, form(invalid, "request_too_large")])
  })
})
