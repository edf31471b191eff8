import { describe, expect, test } from "bun:test"
import { Effect, Layer, Redacted, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent } from "../../src/agent/Agent.ts"
import { Models } from "../../src/models/Models.ts"
import { agentLayer, modelsLayer } from "../lib/Answering.ts"
import { calls, fails, fakeKey, message, says } from "../lib/FakeAnthropic.ts"
import { fakeProvider } from "../lib/FakeProvider.ts"
import { defaults, modelsSettings } from "../lib/Defaults.ts"

const anthropic = { anthropic: { apiKey: Redacted.make(fakeKey) } }

const check = (model: string, settings: Parameters<typeof modelsSettings>[0]) =>
  Effect.gen(function* () {
    const models = yield* Models
    const checked = yield* Effect.result(models.check(model))
    const got = yield* Effect.result(models.get(model))
    expect(got._tag).toBe(checked._tag)
    return checked._tag === "Failure" ? checked.failure.detail : "ok"
  }).pipe(
    Effect.provide(modelsLayer(modelsSettings(settings)).pipe(Layer.provide(FetchHttpClient.layer))),
    Effect.runPromise,
  )

describe("a model", () => {
  test("local/extractive is always available", async () => {
    expect(await check("local/extractive", {})).toBe("ok")
  })

  test("claude-… is available with a key, and otherwise fails with the missing setting", async () => {
    expect(await check("claude-sonnet-5-5", anthropic)).toBe("ok")
    expect(await check("claude-sonnet-5-5", {})).toBe(
      "claude-sonnet-5-5 has no provider. To use it, set ANTHROPIC_API_KEY=sk-ant-…, then start Parley again.",
    )
  })

  test("openai/… is available with a key or a base URL, and otherwise fails with the missing settings", async () => {
    const names = ["openai/gpt-9", "openai/llama3.2:3b", "openai/meta-llama/Llama-3.1-8B-Instruct"]
    for (const model of names) {
      expect(await check(model, { openai: { apiKey: Redacted.make(fakeKey) } })).toBe("ok")
      expect(await check(model, { openai: { baseUrl: "http://127.0.0.1:11434" } })).toBe("ok")
      expect(await check(model, anthropic)).toBe(
        `${model} has no provider. To use it, set OPENAI_API_KEY=sk-… or OPENAI_BASE_URL=http://127.0.0.1:11434/v1, then start Parley again.`,
      )
    }
  })

  test.each(["gpt-9", "openai/", "openai/a b", "local/other", "claude-", "claude-a b", "claude-../x", "Claude-x", ""])(
    "%p is unknown",
    async (model) => {
      expect(await check(model, anthropic)).toStartWith(`There is no model ${model}`)
    },
  )
})

describe("the model of a new chatbot that names none", () => {
  const defaultWith = (given: Parameters<typeof modelsSettings>[0]) =>
    Models.use(({ defaultModel }) => Effect.succeed(defaultModel)).pipe(
      Effect.provide(Models.layer(modelsSettings(given)).pipe(Layer.provide(FetchHttpClient.layer))),
    )

  test("is the configured one, or what the providers suggest", async () => {
    expect(await Effect.runPromise(defaultWith({}))).toBe("local/extractive")
    expect(await Effect.runPromise(defaultWith({ openai: { apiKey: Redacted.make(fakeKey) } }))).toBe(
      "local/extractive",
    )
    expect(await Effect.runPromise(defaultWith(anthropic))).toBe("claude-sonnet-5-5")
    expect(await Effect.runPromise(defaultWith({ ...anthropic, defaultModel: "local/extractive" }))).toBe(
      "local/extractive",
    )
  })

  test("stops the start when no chatbot could use it", async () => {
    const { message } = await Effect.runPromise(Effect.flip(defaultWith({ defaultModel: "claude-sonnet-5-5" })))
    expect(message).toBe(
      'DEFAULT_MODEL is "claude-sonnet-5-5", which cannot be used: claude-sonnet-5-5 has no provider. To use it, set ANTHROPIC_API_KEY=sk-ant-…, then start Parley again. Or set DEFAULT_MODEL to a model whose provider is configured.',
    )
  })
})

const citation = (source: string) => ({ type: "search_result_location", source, cited_text: "About refund period" })

test("a chat by Anthropic's API searches and answers, and its steps show the exact requests", async () => {
  const program = Effect.gen(function* () {
    const fake = yield* fakeProvider(
      calls("refund period", "refund card"),
      message([{ type: "text", text: "14 days.", citations: [citation("d1#1"), citation("foreign#1")] }], "end_turn"),
    )
    const settings = { anthropic: { apiKey: Redacted.make(fakeKey), baseUrl: fake.url } }
    const reply = yield* Effect.gen(function* () {
      const agent = yield* Agent
      return yield* agent.reply({
        model: "claude-sonnet-5-5",
        instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [{ role: "user", content: "How long do refunds take?" }],
        search: (query) =>
          Effect.succeed([{ documentId: "d1", title: "Refunds", chunk: 1, page: 3, content: `About ${query}` }]),
      })
    }).pipe(
      Effect.provide(
        agentLayer(defaults.agent).pipe(
          Layer.provide(Models.layer(modelsSettings(settings)).pipe(Layer.provide(FetchHttpClient.layer))),
        ),
      ),
    )
    return { reply, requests: fake.requests }
  })
  const { reply, requests } = await Effect.runPromise(Effect.scoped(program))
  expect(reply.output).toBe("14 days.")
  expect(reply.provider).toBe("anthropic")
  expect(reply.sources).toEqual([
    { document_id: "d1", title: "Refunds", chunk: 1, page: 3, quote: "About refund period" },
  ])
  expect(reply.tokens).toEqual({ input: 100, output: 80, cacheRead: 22, cacheWrite: 14 })
  expect(reply.steps.map((step) => step.request.body)).toEqual(requests.map((request) => request.body))
  expect(reply.steps.map((step) => step.response.id)).toEqual(["msg_1", "msg_2"])
  expect(reply.steps[0]?.response.headers["request-id"]).toBe("req_1")
  expect(reply.steps[0]?.usage).toEqual({ promptTokens: 50, completionTokens: 40, totalTokens: 90 })
  expect(reply.steps[0]?.experimental_providerMetadata).toEqual({
    anthropic: { cacheCreationInputTokens: 7, cacheReadInputTokens: 11 },
  })
  const results = JSON.parse(requests[1]?.body ?? "").messages[2].content
  expect(results).toHaveLength(2)
  expect(results[0].content).toEqual([
    {
      type: "search_result",
      source: "d1#1",
      title: "Refunds",
      content: [{ type: "text", text: "About refund period" }],
      citations: { enabled: true },
    },
  ])
})

test("a chat that falls back to OpenAI's API searches and answers, and names the model and the sources", async () => {
  const program = Effect.gen(function* () {
    const overloaded = yield* fakeProvider(fails(529, "overloaded_error"))
    const openai = yield* fakeProvider(
      calls("refund period"),
      says("They are paid back within 14 days. Anything else?"),
    )
    const settings = {
      anthropic: { apiKey: Redacted.make(fakeKey), baseUrl: overloaded.url, limits: { attemptsMax: 1 } },
      openai: { baseUrl: openai.url },
    }
    return yield* Agent.use((agent) =>
      agent.reply({
        model: "claude-sonnet-5-5",
        fallbackModels: ["openai/llama3.2:3b"],
        instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [{ role: "user", content: "How long do refunds take?" }],
        search: () =>
          Effect.succeed([
            { documentId: "d1", title: "Refunds", chunk: 2, page: 3, content: "Everything is paid within 14 days." },
          ]),
      }),
    ).pipe(
      Effect.provide(
        agentLayer(defaults.agent).pipe(
          Layer.provide(Models.layer(modelsSettings(settings))),
          Layer.provide(FetchHttpClient.layer),
        ),
      ),
      Effect.provideService(References.MinimumLogLevel, "None"),
    )
  })
  const reply = await Effect.runPromise(Effect.scoped(program))
  expect(reply).toMatchObject({ provider: "openai", model: "openai/llama3.2:3b", finishReason: "stop" })
  expect(reply.steps.map(({ response }) => response.modelId)).toEqual(["llama3.2:3b", "llama3.2:3b"])
  expect(reply.steps[0]?.warnings).toEqual([
    {
      type: "other",
      message: "claude-sonnet-5-5 could not answer; openai/llama3.2:3b answered instead.",
      details: "529 internal words of the provider",
    },
  ])
  expect(reply.sources).toEqual([
    { document_id: "d1", title: "Refunds", chunk: 2, page: 3, quote: "Everything is paid within 14 days." },
  ])
})
