import { describe, expect, test } from "bun:test"
import { Clock, Duration, Effect, Fiber, Layer, Redacted, References } from "effect"
import { Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { FetchHttpClient, HttpClient } from "effect/http"
import { Agent } from "../../../src/agent/Agent.ts"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { makeAnthropic } from "../../../src/models/anthropic/Anthropic.ts"
import type { ModelCalls, ModelRequest } from "../../../src/models/ModelCalls.ts"
import { Models } from "../../../src/models/Models.ts"
import { makeOpenAi } from "../../../src/models/openai/OpenAi.ts"
import type { CallSettings } from "../../../src/models/calls/ProviderCalls.ts"
import type { ProviderFailure } from "../../../src/models/calls/ProviderFailure.ts"
import { type ProviderError, toProviderError } from "../../../src/models/ClientFailures.ts"
import { agentLayer } from "../../lib/Answering.ts"
import { calls, eventsOf, fakeKey, fails, message, says, usage } from "../../lib/FakeAnthropic.ts"
import { asking, hello, streamed, whole } from "../../lib/Asking.ts"
import { type FakeProvider, fakeProvider } from "../../lib/FakeProvider.ts"
import type { Answer } from "../../lib/Wire.ts"
import { callSettings, defaults, modelsSettings } from "../../lib/Defaults.ts"

const waiting = (wait: Duration.Duration): Partial<CallSettings> => ({
  retryDelay: Duration.millis(1),
  replyTimeout: wait,
  firstByteTimeout: wait,
  stallTimeout: wait,
})
const patient = waiting(Duration.seconds(50))

const modelsAt = (baseUrl: string, limits: Partial<CallSettings> = {}) =>
  makeAnthropic({ apiKey: Redacted.make(fakeKey), baseUrl, limits: callSettings(limits) })

const modelAt = (fake: FakeProvider, limits: Partial<CallSettings> = patient) =>
  modelsAt(fake.url, limits)("claude-test-1")

type Ask = (calls: ModelCalls) => Effect.Effect<unknown, ProviderFailure>
const asWhole = (calls: ModelCalls) => whole(calls)
const asStream = (calls: ModelCalls) => streamed(calls)
const ways: ReadonlyArray<Ask> = [asWhole, asStream]

/** The parts of one answer, whole or streamed, and the requests that the server received. */
const answer = <A>(
  ask: (calls: ModelCalls) => Effect.Effect<A, ProviderFailure>,
  answers: ReadonlyArray<Answer>,
  limits = patient,
) =>
  Effect.gen(function* () {
    const fake = yield* fakeProvider(...answers)
    const result = yield* Effect.result(ask(modelAt(fake, limits)))
    return { fake, result, requests: fake.requests }
  }).pipe(Effect.scoped, Effect.runPromise)

const parts = async (...answers: ReadonlyArray<Answer>) => {
  const { requests, result } = await answer(asWhole, answers)
  if (result._tag === "Failure") throw result.failure
  return { parts: result.success, requests }
}

const streamParts = async (...answers: ReadonlyArray<Answer>) => {
  const { requests, result } = await answer(asStream, answers)
  if (result._tag === "Failure") throw result.failure
  return { parts: result.success, requests }
}

const withThinking = message(
  [
    { type: "thinking", thinking: "Hm.", signature: "sig" },
    { type: "text", text: "Searching." },
    { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "refunds" } },
  ],
  "tool_use",
)

describe("a request", () => {
  test("is shown with its exact body, or of a stream with its length, and never with the key", async () => {
    const { parts: got, requests } = await parts(says("Hi"))
    const metadata = got.find((part) => part.type === "response-metadata")
    expect(metadata?.metadata?.parley?.body).toBe(requests[0]?.body ?? "")
    expect(JSON.stringify(got)).not.toContain(fakeKey)
    const { parts: streamedParts, requests: streamRequests } = await streamParts(says("Hi"))
    const streamMetadata = streamedParts.find((part) => part.type === "response-metadata")
    expect(streamMetadata?.metadata?.parley).toMatchObject({ body: "", bodyLength: streamRequests[0]?.body.length })
  })

  test("has three cache breakpoints and no sampling parameters", async () => {
    const { requests } = await parts(says("Hi"))
    const body = JSON.parse(requests[0]?.body ?? "")
    const cached = { cache_control: { type: "ephemeral" } }
    expect(body).toMatchObject({
      ...cached,
      model: "claude-test-1",
      max_tokens: callSettings().outputTokensMax,
      system: [{ type: "text", text: "Be brief.", ...cached }],
      tools: [{ name: "searchKnowledgeBase", ...cached }],
      tool_choice: { type: "auto" },
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    })
    expect(Object.keys(body)).not.toContain("temperature")
    expect(body.tools[0].input_schema).toMatchObject({ required: ["query"], additionalProperties: false })
  })

  test("is the same byte for byte when nothing has changed", async () => {
    const { requests } = await parts(fails(500, "api_error"), says("Hi"))
    expect(requests[0]?.body).toBe(requests[1]?.body ?? "")
  })

  test("declares tools that may not be called, and has no list of tools when there are none", async () => {
    const ask = (more: Partial<ModelRequest>) =>
      answer((calls) => whole(calls, asking(hello.prompt, more)), [says("Hi")])
    const shown = await ask({ toolChoice: "none" })
    expect(JSON.parse(shown.requests[0]?.body ?? "")).toMatchObject({
      tools: [{ name: "searchKnowledgeBase" }],
      tool_choice: { type: "none" },
    })
    const absent = await ask({ tools: [] })
    expect(Object.keys(JSON.parse(absent.requests[0]?.body ?? ""))).not.toContain("tools")
  })

  test("has no empty text and begins with the user, as the API requires", async () => {
    const turn = (role: "user" | "assistant", text: string) =>
      Prompt.makeMessage(role, { content: [Prompt.textPart({ text })] })
    const prompt = Prompt.fromMessages([
      turn("assistant", "Welcome!"),
      turn("user", "   "),
      turn("assistant", ""),
      turn("user", "Well?"),
    ])
    const { requests, result } = await answer((calls) => whole(calls, asking(prompt)), [says("Hi")])
    expect(result._tag).toBe("Success")
    const roles = JSON.parse(requests[0]?.body ?? "").messages.map((turn: { role: string }) => turn.role)
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"])
  })

  test("has the results of a message's calls in one message, and keeps its reasoning", async () => {
    const requests = await Effect.gen(function* () {
      const fake = yield* fakeProvider(withThinking, says("Hi"))
      const models = Models.layer(modelsSettings({ anthropic: { apiKey: Redacted.make(fakeKey), baseUrl: fake.url } }))
      const reply = Agent.use((agent) =>
        agent.reply({
          model: "claude-test-1",
          instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" } },
          toolsEnabled: true,
          history: [{ role: "user", content: "Hello" }],
          search: () => Effect.fail(new Unavailable({ detail: "no", retry_after_seconds: 1 })),
        }),
      )
      yield* Effect.provide(
        reply,
        agentLayer(defaults.agent).pipe(Layer.provide(models), Layer.provide(FetchHttpClient.layer)),
      )
      return fake.requests
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"), Effect.runPromise)
    expect(JSON.parse(requests[1]?.body ?? "").messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "sig" },
          { type: "text", text: "Searching." },
          { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "refunds" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: expect.stringMatching(/^\{"error":"/),
            is_error: true,
          },
        ],
      },
    ])
  })
})

describe("a search result", () => {
  const found = [
    {
      title: "Refunds",
      chunk: 2,
      content: `# Refunds\n\n${"Paid in 14 days. ".repeat(10)}\n\nBy card.`,
      document_id: "d1",
    },
    { title: "Nothing", chunk: 1, section: "At all", content: "", document_id: "d2" },
  ]
  const after = (result: unknown) =>
    Prompt.fromMessages([
      ...hello.prompt.content,
      Prompt.assistantMessage({
        content: [
          Prompt.toolCallPart({ id: "call.1", name: "searchKnowledgeBase", params: {}, providerExecuted: false }),
        ],
      }),
      Prompt.toolMessage({
        content: [
          Prompt.toolResultPart({
            id: "call.1",
            name: "searchKnowledgeBase",
            providerExecuted: false,
            isFailure: false,
            result,
          }),
        ],
      }),
    ])
  const sentAfter = async (result: unknown) => {
    const { requests, result: answered } = await answer((calls) => whole(calls, asking(after(result))), [says("Hi")])
    expect(answered._tag).toBe("Success")
    return JSON.parse(requests[0]?.body ?? "").messages.slice(1)
  }

  test("is sent as blocks that the model can cite by paragraph, with an id that the API accepts", async () => {
    const result = (source: string, title: string, ...texts: ReadonlyArray<unknown>) => ({
      type: "search_result",
      source,
      title,
      content: texts.map((text) => ({ type: "text", text })),
      citations: { enabled: true },
    })
    expect(await sentAfter(found)).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "searchKnowledgeBase", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_1",
            content: [
              result("d1#2", "Refunds", "# Refunds", expect.stringMatching(/^Paid in 14 days/), "By card."),
              result("d2#1", "Nothing > At all", "(empty message)"),
            ],
          },
        ],
      },
    ])
  })

  test.each([[[]], [{ rows: 3 }], ["text"]])("of another tool is sent as JSON: %j", async (result) => {
    const [, { content }] = await sentAfter(result)
    expect(content[0].content).toBe(JSON.stringify(result))
  })

  test("is followed by the similarities, which no citation can quote", async () => {
    const [, { content }] = await sentAfter(
      found.map((passage, index) => ({ ...passage, similarity: 0.618 / (index + 1) })),
    )
    const blocks: ReadonlyArray<unknown> = content[0].content
    expect(blocks).toHaveLength(3)
    expect(blocks[2]).toEqual({ type: "text", text: "The similarities of these passages, in order: 0.62, 0.31." })
  })

  test("is a source of the answer that cites it, whole or streamed", async () => {
    const cites = (source: string, cited_text: string) => ({
      type: "search_result_location",
      source,
      title: "Refunds",
      cited_text,
      search_result_index: 0,
      start_block_index: 0,
      end_block_index: 1,
    })
    const elsewhere = { type: "char_location", cited_text: "x", document_index: 0 }
    const given = message(
      [
        { type: "text", text: "In 14 days", citations: [cites("d1#2", "Paid in 14 days."), elsewhere] },
        { type: "text", text: ", by card.", citations: [cites("d1#2", "By card."), cites("not ours", "?")] },
      ],
      "end_turn",
    )
    const source = (quote: string) => ({ document_id: "d1", title: "", chunk: 2, page: null, quote })
    for (const got of [(await parts(given)).parts, (await streamParts(given)).parts]) {
      expect(got.flatMap((part) => (part.type === "source" ? [part.metadata?.parley] : []))).toEqual([
        source("Paid in 14 days."),
        source("By card."),
      ])
    }
  })
})

describe("an answer", () => {
  test("has its id, model, tokens of all four kinds, and the headers that may be shown", async () => {
    const { parts: got } = await parts(says("Hi"))
    const metadata = got.find((part) => part.type === "response-metadata")
    expect([metadata?.id, metadata?.modelId]).toEqual(["msg_1", "claude-test-1"])
    expect(metadata?.timestamp).toBeDefined()
    const headers = metadata?.metadata?.parley?.headers ?? {}
    expect(Object.keys(headers).toSorted()).toEqual([
      "anthropic-ratelimit-requests-remaining",
      "content-type",
      "date",
      "request-id",
    ])
    const finish = got.find((part) => part.type === "finish")
    expect(finish?.usage.inputTokens).toEqual({ uncached: 50, total: 68, cacheRead: 11, cacheWrite: 7 })
    expect(finish?.usage.outputTokens.total).toBe(40)
    expect(finish?.metadata).toEqual({ anthropic: { cacheCreationInputTokens: 7, cacheReadInputTokens: 11 } })
  })

  const reasons: ReadonlyArray<readonly [string, string]> = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content-filter"],
    ["pause_turn", "pause"],
    ["something_new", "unknown"],
  ]
  test.each(reasons)("with the stop reason %s has the finish reason %s", async (stop, reason) => {
    const ends = (list: ReadonlyArray<{ readonly type: string }>) => list.filter((part) => part.type === "finish")
    expect(ends((await parts(says("x", stop))).parts)).toMatchObject([{ reason }])
    expect(ends((await streamParts(says("x", stop))).parts)).toMatchObject([{ reason }])
  })

  test("is read without blocks of unknown types", async () => {
    const body = {
      id: "msg_9",
      model: "claude-test-1",
      content: [
        { type: "hologram", data: 1 },
        { type: "text", text: "Hi" },
      ],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const { parts: got } = await parts({ kind: "raw", body: JSON.stringify(body), contentType: "application/json" })
    expect(got.map((part) => part.type)).toEqual(["text", "finish", "response-metadata"])
  })

  test("is the same streamed as whole", async () => {
    const { parts: got } = await streamParts(withThinking)
    expect(got.map((part) => part.type)).toEqual([
      "response-metadata",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "tool-params-start",
      "tool-params-delta",
      "tool-params-delta",
      "tool-params-end",
      "tool-call",
      // Reports the tokens, because the stream may be cut off after them.
      "response-metadata",
      "finish",
    ])
    expect((await parts(withThinking)).parts).toMatchObject([
      { type: "reasoning", text: "Hm.", metadata: { anthropic: { signature: "sig" } } },
      { type: "text", text: "Searching." },
      { type: "tool-call", id: "toolu_1", name: "searchKnowledgeBase", params: { query: "refunds" } },
      { type: "finish" },
      { type: "response-metadata" },
    ])
    const finish = got.find((part) => part.type === "finish")
    expect(finish?.usage.inputTokens).toEqual({ uncached: 50, total: 68, cacheRead: 11, cacheWrite: 7 })
    expect(finish?.usage.outputTokens.total).toBe(40)
  })
})

const wholeMessage = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-test-1",
  content: [{ type: "text", text: "Hello there" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
} as const
const events = eventsOf(wholeMessage)
const errorEvent = { type: "error", error: { type: "overloaded_error", message: "internal words of the provider" } }

describe("a failure", () => {
  interface Case {
    readonly what: string
    readonly answer: Answer
    readonly tag: ProviderError["_tag"]
    readonly attempts: number
  }
  const cases: ReadonlyArray<Case> = [
    { what: "408", answer: fails(408, "timeout_error"), tag: "ProviderTimeout", attempts: 3 },
    { what: "409", answer: fails(409, "conflict_error"), tag: "ProviderFailed", attempts: 3 },
    {
      what: "500 that forbids a retry",
      answer: fails(500, "api_error", { "x-should-retry": "false" }),
      tag: "ProviderFailed",
      attempts: 1,
    },
    {
      what: "400 that asks for a retry",
      answer: fails(400, "invalid_request_error", { "x-should-retry": "true" }),
      tag: "ProviderFailed",
      attempts: 3,
    },
  ]
  for (const { answer: given, attempts, tag, what } of cases) {
    test(`of a call by ${what} becomes ${tag} after the right number of attempts`, async () => {
      for (const ask of ways) {
        const { requests, result } = await answer<unknown>(ask, [given])
        if (result._tag === "Success") throw new Error("It answered")
        const error = toProviderError(result.failure)
        expect(error._tag).toBe(tag)
        expect(requests).toHaveLength(attempts)
        expect(JSON.stringify(error)).not.toContain("internal words")
        expect(JSON.stringify(result.failure)).not.toContain(fakeKey)
      }
    })
  }

  test.each<readonly [string, Answer]>([
    ["before its answer", { kind: "hang" }],
    ["in its answer", { kind: "events", events: events.slice(0, 4), ending: "hang" }],
    ["in an answer that is no stream", { kind: "hang in body" }],
  ])("by a provider that falls silent %s ends the call long before the time for a reply", async (_, given) => {
    const silence = Duration.millis(100)
    const limits = {
      ...waiting(Duration.hours(1)),
      loadTimeout: silence,
      firstByteTimeout: silence,
      stallTimeout: silence,
    }
    for (const ask of ways) {
      const { result } = await answer<unknown>(ask, [given], limits)
      if (result._tag === "Success") throw new Error("It answered")
      expect(toProviderError(result.failure)._tag).toBe("ProviderTimeout")
    }
  })

  test("by an answer of another shape is the provider's", async () => {
    const given: Answer = { kind: "raw", body: '{"ok":true}', contentType: "application/json" }
    const { requests, result } = await answer(asWhole, [given])
    if (result._tag === "Success") throw new Error("It answered")
    expect(toProviderError(result.failure)._tag).toBe("ProviderFailed")
    expect(requests).toHaveLength(1)
  })
})

describe("retry-after", () => {
  test("of an overloaded provider is passed on to the client", async () => {
    const { result } = await answer(asWhole, [fails(529, "overloaded_error", { "retry-after": "44" })])
    if (result._tag === "Success") throw new Error("It answered")
    expect(toProviderError(result.failure)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 44 })
  })

  test.each([
    ["retry-after", "Infinity"],
    ["retry-after", "1e400"],
    ["retry-after", "99999999999999999999999"],
    ["retry-after", "Wed, 21 Oct 9999 07:28:00 GMT"],
    ["retry-after-ms", "Infinity"],
  ])("in %s with the value %s means at most a day", async (name, value) => {
    const { requests, result } = await answer(asWhole, [fails(429, "rate_limit_error", { [name]: value })])
    if (result._tag === "Success") throw new Error("It answered")
    expect(toProviderError(result.failure)).toMatchObject({ _tag: "TooManyRequests", retry_after_seconds: 86_400 })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ["retry-after-ms", "120000"],
    ["retry-after", "120"],
  ])("in %s delays the next attempt", async (name, value) => {
    await Effect.gen(function* () {
      const fake = yield* fakeProvider(fails(429, "rate_limit_error", { [name]: value }), says("Hi"))
      const model = modelAt(fake, {
        ...patient,
        // The test's clock runs fast, even during the second attempt.
        replyTimeout: Duration.days(1),
        retryAfterMax: Duration.minutes(3),
        retryWindow: Duration.minutes(10),
      })
      const fiber = yield* Effect.forkChild(whole(model))
      yield* until(() => fake.requests.length === 1)
      const isAsked = Effect.as(Effect.andThen(TestClock.adjust("10 seconds"), pause(5)), fake.requests)
      yield* Effect.repeat(isAsked, { until: (requests) => requests.length === 2 })
      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(120_000)
      yield* Fiber.join(fiber)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
  })
})

describe("a stream that has begun", () => {
  const begun = events.slice(0, 4)
  test("with an error event is retried", async () => {
    const first: Answer = { kind: "events", events: [errorEvent], ending: "end" }
    expect((await streamParts(first, says("Hi"))).requests).toHaveLength(2)
  })

  test("is complete when the connection stays open after the last event", async () => {
    const { parts: got } = await streamParts({ kind: "events", events, ending: "hang" })
    expect(got.at(-1)?.type).toBe("finish")
  })

  test("is closed when its content is complete and it does not end", async () => {
    await Effect.gen(function* () {
      const fake = yield* fakeProvider({ kind: "events", events, ending: "hang" })
      yield* streamed(modelAt(fake))
      yield* until(() => fake.hungUp() === 1)
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  test("may have the input of a call in the event that begins it, as some proxies write it", async () => {
    const call = { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "refunds" } }
    const given: Answer = {
      kind: "events",
      events: [
        events[0] ?? {},
        { type: "content_block_start", index: 0, content_block: call },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
        { type: "message_stop" },
      ],
      ending: "end",
    }
    const { parts } = await streamParts(given)
    expect(parts.find((part) => part.type === "tool-call")).toMatchObject({ params: { query: "refunds" } })
  })

  test("is read without events of unknown types", async () => {
    const strange = [
      { type: "hologram" },
      { type: "content_block_delta", index: 0, delta: { type: "smell", strength: 3 } },
    ]
    const given: Answer = { kind: "events", events: [...begun, ...strange, ...events.slice(4)], ending: "end" }
    expect((await streamParts(given)).parts.at(-1)?.type).toBe("finish")
  })
})

/** Waits in real time, whatever the clock of the test. */
const pause = (millis: number) => Effect.promise(() => Bun.sleep(millis))

/** Waits until a condition holds. The test fails by its time-out when it never does. */
const until = (condition: () => boolean) =>
  Effect.repeat(Effect.map(pause(2), condition), { until: (isTrue) => isTrue })

test("a key that the provider repeats is not logged", async () => {
  const server = Bun.serve({
    port: 0,
    fetch: ({ headers }) => Response.json({ error: { message: headers.get("authorization") } }, { status: 401 }),
  })
  const settings = { apiKey: Redacted.make(fakeKey), baseUrl: server.url.origin, limits: callSettings() }
  const failures = await Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const models = [makeAnthropic(settings)("m"), makeOpenAi(settings, client)("m")]
    return yield* Effect.forEach(models, (calls) =>
      Effect.all([Effect.flip(whole(calls)), Effect.flip(streamed(calls))]),
    )
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
  await server.stop(true)
  for (const { description } of failures.flat()) {
    expect(description).toContain("Bearer [key]")
    expect(description).not.toContain(fakeKey)
  }
})

test("the key does not appear when the connection is inspected", async () => {
  const anthropic = modelsAt("http://127.0.0.1:1")
  expect(Bun.inspect([anthropic, anthropic("m")], { depth: 20 })).not.toContain(fakeKey)
})

test("calls are passed on unchanged, whatever their input", async () => {
  const given = message([{ type: "tool_use", id: "t", name: "unknownTool", input: [1, "two"] }], "tool_use")
  const expected = [{ name: "unknownTool", params: [1, "two"] }]
  const callsIn = (list: ReadonlyArray<{ readonly type: string }>) => list.filter((part) => part.type === "tool-call")
  expect(callsIn((await parts(given)).parts)).toMatchObject(expected)
  expect(callsIn((await streamParts(given)).parts)).toMatchObject(expected)
  expect(callsIn((await parts(calls("a", "b"))).parts)).toHaveLength(2)
})
