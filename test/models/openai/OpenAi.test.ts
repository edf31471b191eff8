import { describe, expect, test } from "bun:test"
import { Effect, Layer, Redacted } from "effect"
import { Prompt, type Response as Answered } from "effect/ai"
import { FetchHttpClient, HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { Agent } from "../../../src/agent/Agent.ts"
import type { ModelCalls, ModelRequest } from "../../../src/models/ModelCalls.ts"
import { Models } from "../../../src/models/Models.ts"
import { endpointAt } from "../../../src/outbound/VersionedUrl.ts"
import { makeOpenAi } from "../../../src/models/openai/OpenAi.ts"
import type { CallSettings } from "../../../src/models/calls/ProviderCalls.ts"
import type { ProviderFailure } from "../../../src/models/calls/ProviderFailure.ts"
import { agentLayer } from "../../lib/Answering.ts"
import { calls, message, says, usage } from "../../lib/FakeAnthropic.ts"
import { asking, hello, streamed, textOf as textIn, whole } from "../../lib/Asking.ts"
import { fakeOpenAiKey } from "../../lib/FakeOpenAi.ts"
import { type FakeProvider, fakeProvider } from "../../lib/FakeProvider.ts"
import { pieces } from "../../lib/OddServer.ts"
import type { Answer } from "../../lib/Wire.ts"
import { callSettings, defaults, modelsSettings } from "../../lib/Defaults.ts"

const modelAt = (fake: FakeProvider, limits: Partial<CallSettings> = {}) =>
  Effect.map(HttpClient.HttpClient, (client) =>
    makeOpenAi(
      { apiKey: Redacted.make(fakeOpenAiKey), baseUrl: fake.url, limits: callSettings(limits) },
      client,
    )("llama3.2:3b"),
  ).pipe(Effect.provide(FetchHttpClient.layer))

type Parts = ReadonlyArray<Answered.PartEncoded | Answered.StreamPartEncoded>
type Way = (calls: ModelCalls, request?: ModelRequest) => Effect.Effect<Parts, ProviderFailure>

const ask = (way: Way, answer: Answer, request = hello) =>
  Effect.gen(function* () {
    const fake = yield* fakeProvider(answer)
    const parts = yield* way(yield* modelAt(fake), request)
    return { parts, body: JSON.parse(fake.requests[0]?.body ?? ""), request: fake.requests[0] }
  }).pipe(Effect.scoped, Effect.runPromise)

const callsIn = (parts: Parts) => parts.filter((part) => part.type === "tool-call")
const finishIn = (parts: Parts) => parts.find((part) => part.type === "finish")

describe("a request", () => {
  test("is shown by the step with its exact body, and has the key in a header only", async () => {
    const { parts, request } = await ask(whole, says("Hi"))
    const metadata = parts.find((part) => part.type === "response-metadata")
    expect(metadata?.metadata?.parley?.body).toBe(request?.body ?? "")
    expect(request?.headers["authorization"]).toBe(`Bearer ${fakeOpenAiKey}`)
    expect(request?.path).toBe("/v1/chat/completions")
    expect(JSON.stringify(parts)).not.toContain(fakeOpenAiKey)
    expect(metadata?.metadata?.parley?.headers).toMatchObject({
      "x-request-id": "req_1",
      "x-ratelimit-remaining-requests": "99",
    })
    expect(JSON.stringify(metadata)).not.toContain("secret")
    expect(metadata).toMatchObject({ id: "chatcmpl-1", modelId: "llama3.2:3b" })
  })

  test("declares the tools, limits the answer and requests the token counts of a stream", async () => {
    for (const way of [whole, streamed]) {
      const { body } = await ask(way, says("Hi"))
      expect(body).toMatchObject({
        model: "llama3.2:3b",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" },
        ],
        tools: [{ type: "function", function: { name: "searchKnowledgeBase", parameters: { required: ["query"] } } }],
        tool_choice: "auto",
        max_tokens: callSettings().outputTokensMax,
        stream: true,
        stream_options: { include_usage: true },
      })
    }
  })

  test("has no tools that may not be called, because some servers let their models call them", async () => {
    for (const way of [whole, streamed]) {
      const { body } = await ask(way, says("Hi"), asking(hello.prompt, { toolChoice: "none" }))
      expect(body).not.toHaveProperty("tools")
      expect(body).not.toHaveProperty("tool_choice")
    }
  })

  test("alternates between user and assistant and begins with the user, as chat templates require", async () => {
    const turn = (role: "user" | "assistant", text: string) =>
      Prompt.makeMessage(role, { content: [Prompt.textPart({ text })] })
    const prompt = Prompt.fromMessages([turn("assistant", "Welcome!"), turn("user", "One"), turn("user", "Two")])
    expect((await ask(whole, says("Hi"), asking(prompt))).body.messages).toEqual([
      { role: "user", content: "(The conversation begins.)" },
      { role: "assistant", content: "Welcome!" },
      { role: "user", content: "One\n\nTwo" },
    ])
  })

  test("has the result of each call in a message of its own", async () => {
    const requests = await Effect.gen(function* () {
      const fake = yield* fakeProvider(calls("a", "b"), says("Hi"))
      const models = Models.layer(
        modelsSettings({ openai: { apiKey: Redacted.make(fakeOpenAiKey), baseUrl: fake.url } }),
      )
      const reply = Agent.use((agent) =>
        agent.reply({
          model: "openai/m",
          instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" } },
          toolsEnabled: true,
          history: [{ role: "user", content: "Hello" }],
          search: () => Effect.succeed([]),
        }),
      )
      yield* Effect.provide(
        reply,
        agentLayer(defaults.agent).pipe(Layer.provide(models), Layer.provide(FetchHttpClient.layer)),
      )
      return fake.requests
    }).pipe(Effect.scoped, Effect.runPromise)
    const call = (id: string, query: string) => ({
      id,
      type: "function",
      function: { name: "searchKnowledgeBase", arguments: JSON.stringify({ query }) },
    })
    expect(JSON.parse(requests[1]?.body ?? "").messages.slice(2)).toEqual([
      { role: "assistant", content: null, tool_calls: [call("toolu_a_0", "a"), call("toolu_b_1", "b")] },
      { role: "tool", tool_call_id: "toolu_a_0", content: "[]" },
      { role: "tool", tool_call_id: "toolu_b_1", content: "[]" },
    ])
  })

  test.each([
    ["https://api.openai.com", "https://api.openai.com/v1/chat/completions"],
    ["http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1/chat/completions"],
    ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/chat/completions"],
    ["http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/chat/completions"],
    ["https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1/chat/completions"],
    [
      "https://generativelanguage.googleapis.com/v1beta/openai",
      "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    ],
    ["https://proxy.example.com/llm", "https://proxy.example.com/llm/v1/chat/completions"],
    ["https://models.github.ai/inference/chat/completions", "https://models.github.ai/inference/chat/completions"],
    [
      "https://x.openai.azure.com/openai/deployments/y?api-version=2024-10-21",
      "https://x.openai.azure.com/openai/deployments/y/chat/completions?api-version=2024-10-21",
    ],
    ["http://127.0.0.1:8000/?key=a", "http://127.0.0.1:8000/v1/chat/completions?key=a"],
  ])("with the base URL %s goes to %s", (base, url) => {
    expect(endpointAt(base, "/chat/completions")).toBe(url)
  })
})

test("the other endpoints of a server whose address of chat completions is set are beside that", () => {
  expect(endpointAt("https://models.github.ai/inference/chat/completions", "/models")).toBe(
    "https://models.github.ai/inference/models",
  )
  expect(endpointAt("http://127.0.0.1:11434", "/embeddings")).toBe("http://127.0.0.1:11434/v1/embeddings")
})

describe.each([
  ["whole", whole],
  ["streamed", streamed],
] as const)("an answer that is %s", (_, way) => {
  test("has text, a finish reason, and tokens without those that were read from a cache", async () => {
    const { parts } = await ask(way, says("Hello there"))
    expect(textIn(parts)).toBe("Hello there")
    expect(finishIn(parts)).toMatchObject({
      reason: "stop",
      usage: {
        inputTokens: { uncached: usage.input_tokens, cacheRead: 11, total: 61 },
        outputTokens: { total: usage.output_tokens },
      },
      metadata: { openai: { cachedPromptTokens: 11, reasoningTokens: 0 } },
    })
  })

  test("has calls", async () => {
    const given = message(
      [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "call_1", name: "searchKnowledgeBase", input: { query: "a" } },
        { type: "tool_use", id: "call_2", name: "other", input: [1] },
      ],
      "tool_use",
    )
    const { parts } = await ask(way, given)
    expect(textIn(parts)).toBe("Let me look.")
    expect(callsIn(parts)).toMatchObject([
      { id: "call_1", name: "searchKnowledgeBase", params: { query: "a" } },
      { id: "call_2", name: "other", params: [1] },
    ])
    expect(finishIn(parts)?.reason).toBe("tool-calls")
  })

  test.each([
    ["max_tokens", "length"],
    ["refusal", "content-filter"],
    ["something new", "unknown"],
  ] as const)("with the stop reason %s has the finish reason %s", async (stop, reason) => {
    expect(finishIn((await ask(way, says("Hi", stop))).parts)?.reason).toBe(reason)
  })
})

/** A message as other servers than OpenAI's send it. */
const completion = (choice: object, rest: object = {}): Answer => ({
  kind: "raw",
  contentType: "application/json",
  body: JSON.stringify({ choices: [choice], ...rest }),
})

const call = (fields: object) => ({
  message: { role: "assistant", content: null, tool_calls: [fields] },
  finish_reason: "stop",
})

const stream = (body: string): Answer => ({ kind: "raw", contentType: "text/event-stream; charset=utf-8", body })
const chunks = (...deltas: ReadonlyArray<object>) =>
  deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`).join("")
const ending = (finish_reason: string) => `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason }] })}\n\n`
const args = { query: "x" }
const named = { name: "searchKnowledgeBase" }

describe("the answer of another server is understood with", () => {
  test.each([
    ["arguments as an object", call({ id: "c", function: { ...named, arguments: args } })],
    ["a call without an id", call({ function: { ...named, arguments: JSON.stringify(args) } })],
    ["an empty id, and a type of its own", call({ id: "", type: "tool", function: { ...named, arguments: args } })],
    ["no finish reason", { ...call({ id: "c", function: { ...named, arguments: args } }), finish_reason: null }],
  ])("%s", async (_, choice) => {
    const { parts } = await ask(whole, completion(choice))
    expect(callsIn(parts)).toMatchObject([{ id: expect.stringMatching(/./), ...named, params: args }])
    expect(finishIn(parts)?.reason).toBe("tool-calls")
  })

  test("fields of its own, reasoning, no id, no model and no token counts", async () => {
    const message = { role: "assistant", content: "Hi", reasoning_content: "Hm.", audio: null, tool_calls: null }
    const { parts } = await ask(whole, completion({ message, finish_reason: "stop", stop_reason: 7 }, { extra: [] }))
    expect(parts.map(({ type }) => type)).toEqual(["reasoning", "text", "finish", "response-metadata"])
    expect(finishIn(parts)?.usage.inputTokens.total).toBe(0)
  })

  test("text in parts, and a refusal", async () => {
    const parts = await ask(
      whole,
      completion({
        message: {
          content: [
            { type: "text", text: "A" },
            { type: "text", text: "B" },
          ],
        },
        finish_reason: "stop",
      }),
    )
    expect(textIn(parts.parts)).toBe("AB")
    const refused = await ask(whole, completion({ message: { content: null, refusal: "No." }, finish_reason: "stop" }))
    expect(textIn(refused.parts)).toBe("No.")
    expect(finishIn(refused.parts)?.reason).toBe("content-filter")
  })

  const piece = (fields: object) => ({ tool_calls: [fields] })
  test.each([
    ["a call in one piece", chunks(piece({ index: 0, id: "c", function: { ...named, arguments: '{"query":"x"}' } }))],
    [
      "a call in many pieces, the name with each, without an index",
      chunks(
        piece({ id: "c", function: { ...named, arguments: "" } }),
        piece({ id: "c", function: { ...named, arguments: '{"que' } }),
        piece({ id: "c", function: { ...named, arguments: 'ry":"x"}' } }),
      ),
    ],
    ["arguments as an object", chunks(piece({ index: 0, function: { ...named, arguments: args } }))],
    [
      "neither id nor index",
      chunks(piece({ function: { ...named, arguments: '{"query":' } }), piece({ function: { arguments: '"x"}' } })),
    ],
  ])("a stream with %s", async (_, body) => {
    const { parts } = await ask(streamed, stream(`${body}${ending("stop")}data: [DONE]\n\n`))
    expect(callsIn(parts)).toMatchObject([{ id: expect.stringMatching(/./), ...named, params: args }])
    expect(finishIn(parts)?.reason).toBe("tool-calls")
  })

  test.each([
    ["with an id for each piece", [{ id: "a" }, { id: "b" }, { id: "c" }]],
    ["with an id that comes late", [{}, {}, { id: "c" }]],
  ])("a stream with a call in many pieces, %s", async (_, ids) => {
    const said = [{ ...named, arguments: "" }, { arguments: '{"query":' }, { arguments: '"x"}' }]
    const body = chunks(...said.map((fields, index) => piece({ index: 0, ...ids[index], function: fields })))
    const { parts } = await ask(streamed, stream(body + ending("tool_calls")))
    expect(callsIn(parts)).toMatchObject([{ ...named, params: args }])
  })

  const two = (...places: ReadonlyArray<object>) =>
    places.map((place, index) => ({
      ...place,
      function: { ...named, arguments: JSON.stringify({ query: String(index) }) },
    }))
  test.each([
    ["one id", two({ index: 0, id: "c" }, { index: 1, id: "c" })],
    ["one index and no id", two({ index: 0 }, { index: 0 })],
    ["one index and an empty id", two({ index: 0, id: "" }, { index: 0, id: "" })],
  ])("calls that have %s, which get ids of their own", async (_, made) => {
    const message = { role: "assistant", content: null, tool_calls: made }
    for (const { parts } of [
      await ask(whole, completion({ message, finish_reason: "tool_calls" })),
      await ask(streamed, stream(chunks(...made.map(piece)) + ending("tool_calls"))),
    ]) {
      expect(callsIn(parts)).toMatchObject([{ params: { query: "0" } }, { params: { query: "1" } }])
      expect(new Set(callsIn(parts).map((part) => ("id" in part ? part.id : ""))).size).toBe(2)
    }
  })

  test.each([
    ["whole", whole, completion(call({ id: "c", function: { ...named, arguments: "null" } }))],
    [
      "streamed",
      streamed,
      stream(chunks(piece({ index: 0, id: "c", function: { ...named, arguments: "null" } })) + ending("tool_calls")),
    ],
  ] as const)("`null` for no arguments, %s", async (_, way, given) => {
    expect(callsIn((await ask(way, given)).parts)).toMatchObject([{ id: "c", params: {} }])
  })

  test("content after the finish reason", async () => {
    const [first, ...rest] = [
      chunks({ content: "Hel" }) + ending("stop"),
      chunks({ content: "lo" }),
      "data: [DONE]\n\n",
    ].map((piece) => new TextEncoder().encode(piece))
    const isRead = Promise.withResolvers<void>()
    const server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            start: async (body) => {
              if (first !== undefined) body.enqueue(first)
              // The chunks must not be received as one.
              await isRead.promise
              for (const piece of rest) body.enqueue(piece)
              body.close()
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    })
    const parts = await Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      return yield* streamed(
        makeOpenAi({ apiKey: undefined, baseUrl: server.url.href, limits: callSettings() }, client)("m"),
        hello,
        (parts) => {
          if (textIn(parts) === "Hel") isRead.resolve()
        },
      )
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
    await server.stop(true)
    expect(textIn(parts)).toBe("Hello")
  })

  test("the same index for all calls of a stream", async () => {
    const made = ["a", "b"].map((id) =>
      piece({ index: 0, id, function: { ...named, arguments: JSON.stringify({ query: id }) } }),
    )
    const { parts } = await ask(streamed, stream(chunks(...made) + ending("tool_calls")))
    expect(callsIn(parts)).toMatchObject([
      { id: "a", params: { query: "a" } },
      { id: "b", params: { query: "b" } },
    ])
  })

  const text = chunks({ role: "assistant", content: null }, { content: "Hel" }, { reasoning: null, content: "lo" })
  const counts =
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":null}}\n\n'
  test.each([
    ["no [DONE]", text + ending("stop") + counts],
    ["[DONE], but no finish reason and no token counts", `${text}data: [DONE]\n\n`],
    ["no empty line at its end", `${text}${ending("stop")}data: [DONE]`],
    ["CRLF, comments and other fields", `: hi\r\n\r\n${text}${ending("stop")}`.replaceAll("\n\n", "\r\nid: 7\r\n\r\n")],
    [
      "token counts with every chunk",
      text.replaceAll('{"choices"', '{"usage":null,"choices"') + ending("stop") + counts,
    ],
    ["empty events as heartbeats", `data:\n\n${(text + ending("stop")).replaceAll("\n\n", "\n\ndata: \n\n")}`],
    ["no space after data:", (text + ending("stop")).replaceAll("data: ", "data:")],
  ])("a stream with %s", async (_, body) => {
    const { parts } = await ask(streamed, stream(body))
    expect(textIn(parts)).toBe("Hello")
    expect(finishIn(parts)?.reason).toBe("stop")
    if (body.includes("prompt_tokens")) expect(finishIn(parts)?.usage.inputTokens.total).toBe(3)
  })

  test("reasoning before the text", async () => {
    const { parts } = await ask(streamed, stream(chunks({ reasoning: "Hm." }, { content: "Hi" }) + ending("stop")))
    expect(parts.map(({ type }) => type)).toEqual([
      "response-metadata",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "finish",
    ])
  })

  test("a stream that stays open after its content", async () => {
    const given: Answer = {
      kind: "events",
      events: [{ choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] }],
      ending: "hang",
    }
    expect(textIn((await ask(streamed, given)).parts)).toBe("Hi")
  })

  test("no key, when the server requires none", async () => {
    const { request, text } = await Effect.gen(function* () {
      const fake = yield* fakeProvider(says("Hi"))
      const client = yield* HttpClient.HttpClient
      const parts = yield* whole(
        makeOpenAi({ apiKey: undefined, baseUrl: fake.url, limits: callSettings() }, client)("m"),
      )
      return { text: textIn(parts), request: fake.requests[0] }
    }).pipe(Effect.provide(FetchHttpClient.layer), Effect.scoped, Effect.runPromise)
    expect(text).toBe("Hi")
    expect(request?.headers).not.toHaveProperty("authorization")
    expect(request?.headers).not.toHaveProperty("traceparent")
  })

  test("the key as Azure's endpoints take it", async () => {
    const sent: Array<HttpClientRequest.HttpClientRequest> = []
    const client = HttpClient.make((request) => {
      sent.push(request)
      return Effect.succeed(HttpClientResponse.fromWeb(request, pieces("Hi")))
    })
    const baseUrl = "https://me.openai.azure.com/openai/v1"
    const model = makeOpenAi({ apiKey: Redacted.make("k"), baseUrl, limits: callSettings() }, client)("m")
    expect(textIn(await Effect.runPromise(whole(model)))).toBe("Hi")
    expect(sent[0]?.headers).toMatchObject({ authorization: "Bearer k", "api-key": "k" })
  })
})
