import { describe, expect, test } from "bun:test"
import { Duration, Effect, Redacted } from "effect"
import { Prompt } from "effect/ai"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as fc from "fast-check"
import { makeAnthropic } from "../../src/models/anthropic/Anthropic.ts"
import { makeGenerate } from "../../src/agent/Generate.ts"
import type { StepMade } from "../../src/agent/AgentEvent.ts"
import { makeOpenAi } from "../../src/models/openai/OpenAi.ts"
import { tokensOfCharacters, TokenCount } from "../../src/models/TokenCount.ts"
import type { TokenCounts } from "../../src/domain/organizations/Usage.ts"
import { fakeKey, usage } from "../lib/FakeAnthropic.ts"
import { fakeProvider } from "../lib/FakeProvider.ts"
import type { Answer } from "../lib/Wire.ts"
import { callSettings } from "../lib/Defaults.ts"

const limits = callSettings({ attemptsMax: 1, stallTimeout: Duration.seconds(20) })
const messages = [Prompt.userMessage({ content: [Prompt.textPart({ text: "How long do refunds take?" })] })]

/** The tokens of one answer as far as it was received, and the estimate of the request's tokens. */
const counted = (protocol: "anthropic" | "openai", way: "whole" | "streamed", answer: Answer) =>
  Effect.gen(function* () {
    const fake = yield* fakeProvider(answer)
    const client = yield* HttpClient.HttpClient
    const calls =
      protocol === "anthropic"
        ? makeAnthropic({ apiKey: Redacted.make(fakeKey), baseUrl: fake.url, limits })
        : makeOpenAi({ apiKey: undefined, baseUrl: fake.url, limits }, client)
    let look: (() => StepMade) | undefined
    const generate = makeGenerate({
      named: { calls: calls("m"), model: "m", provider: protocol },
      tools: [],
      emit: (event) => void (event.type === "step-start" && (look = event.look)),
      isStreamed: way === "streamed",
    })
    const made = yield* Effect.result(generate({ messages, tools: "none" }))
    const cost = made._tag === "Success" ? made.success.cost : look?.().cost
    return {
      tokens: cost?.tokens,
      isCut: made._tag === "Failure" && look !== undefined,
      sent: Math.ceil((fake.requests[0]?.body.length ?? 0) / 4),
    }
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.scoped, Effect.runPromise)

const chunk = (delta: object, rest: object = {}) => ({ choices: [{ delta }], ...rest })
const call = (fields: object) => chunk({ tool_calls: [{ index: 0, function: fields }] })
const usageChunk = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens },
})
const stop = { choices: [{ delta: {}, finish_reason: "stop" }] }
const noCache = { cacheRead: 0, cacheWrite: 0 }

describe("a stream of chat completions", () => {
  const stream = (...events: ReadonlyArray<object>) =>
    counted("openai", "streamed", { kind: "events", events, ending: "end" })

  test("that is cut off costs the request, and the received text, reasoning and tool input", async () => {
    const { isCut, sent, tokens } = await stream(
      chunk({ reasoning: "12345678" }),
      chunk({ content: "1234" }),
      call({ name: "search", arguments: "" }),
      call({ arguments: '{"query":"ab' }),
    )
    expect(isCut).toBe(true)
    expect(tokens).toEqual({ input: sent, output: 6, ...noCache })
  })

  test("that is cut off after a tool input which is an object costs that, too", async () => {
    const { sent, tokens } = await stream(call({ name: "search", arguments: { query: "ab" } }))
    expect(tokens).toEqual({ input: sent, output: 4, ...noCache })
  })

  test("with several reports costs the last of them, and an estimate of what follows", async () => {
    const told = [chunk({ content: "1234" }, usageChunk(900, 3)), chunk({ content: "12345678" }, usageChunk(900, 7))]
    expect((await stream(...told)).tokens).toEqual({ input: 900, output: 7, ...noCache })
    const more = await stream(...told, chunk({ content: "12345" }))
    expect(more).toMatchObject({ isCut: true, tokens: { input: 900, output: 7 + 2, ...noCache } })
  })

  test("that is complete costs what was reported, and an estimate of what was not", async () => {
    const text = chunk({ content: "12345678" })
    const whole = await stream(text, stop, { choices: [], ...usageChunk(900, 1) })
    expect(whole).toMatchObject({ isCut: false, tokens: { input: 900, output: 1, ...noCache } })
    const { sent, tokens } = await stream(text, stop)
    const estimate = { input: sent, output: 2, ...noCache }
    expect(tokens).toEqual(estimate)
    expect((await stream(text, stop, { choices: [], ...usageChunk(0, 0) })).tokens).toEqual(estimate)
    expect((await stream(text, stop, { choices: [], ...usageChunk(900, 0) })).tokens).toEqual({
      ...estimate,
      input: 900,
    })
  })
})

test("a whole chat completion without a report costs an estimate of the request and the answer", async () => {
  const calls = [{ id: "c", function: { name: "search", arguments: '{"query":"ab"}' } }]
  const message = { content: "1234", reasoning: "12345678", tool_calls: calls }
  const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }] })
  const { sent, tokens } = await counted("openai", "whole", { kind: "raw", body, contentType: "application/json" })
  expect(tokens).toEqual({ input: sent, output: 7, ...noCache })
})

test.each([-1, 10_000_001, 2 ** 31, 2 ** 32 - 1, 1e300])("a report of %p tokens is ignored", async (count) => {
  const usage = { prompt_tokens: count, completion_tokens: count }
  const body = JSON.stringify({ choices: [{ message: { content: "12345678" }, finish_reason: "stop" }], usage })
  const { sent, tokens } = await counted("openai", "whole", { kind: "raw", body, contentType: "application/json" })
  expect(tokens).toEqual({ input: sent, output: 2, ...noCache })
})

describe("a stream of messages", () => {
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [] }
  const begun = (counts: object) => [
    { type: "message_start", message: { ...message, usage: counts } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "12345678" } },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t", name: "search", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"query":' } },
  ]
  const stream = (...events: ReadonlyArray<object>) =>
    counted("anthropic", "streamed", { kind: "events", events, ending: "end" })
  const { cache_creation_input_tokens: _, cache_read_input_tokens: __, ...plain } = usage
  const told = { input: 50, cacheRead: 11, cacheWrite: 7 }

  test("that is cut off costs the report of its start, and the received content", async () => {
    const { isCut, tokens } = await stream(...begun({ ...usage, output_tokens: 1 }))
    expect(isCut).toBe(true)
    expect(tokens).toEqual({ ...told, output: 1 + 5 })
    const untold = await stream(...begun({ ...plain, input_tokens: 0, output_tokens: 0 }))
    expect(untold.tokens).toEqual({ input: untold.sent, output: 5, ...noCache })
    // The whole prompt was read from the cache.
    const cached = await stream(...begun({ ...usage, input_tokens: 0, output_tokens: 0 }))
    expect(cached.tokens).toEqual({ ...told, input: 0, output: 5 })
  })

  test("that is cut off after its last report costs exactly that", async () => {
    const delta = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 40 } }
    const { isCut, tokens } = await stream(...begun({ ...usage, output_tokens: 1 }), delta)
    expect(isCut).toBe(true)
    expect(tokens).toEqual({ ...told, output: 40 })
  })
})

test("a count is never less than the last report, and not zero when content was received", () => {
  const kind = fc.nat(1_000)
  const told: fc.Arbitrary<TokenCounts> = fc.record({ input: kind, output: kind, cacheRead: kind, cacheWrite: kind })
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(100), told)), fc.integer({ min: 1, max: 1_000_000 }), (happened, sent) => {
      const count = new TokenCount()
      let last: TokenCounts | undefined
      for (const one of happened) {
        if (typeof one === "number") count.addCharacters(one)
        else count.report((last = one))
      }
      const total = count.total(sent)
      const kinds = ["input", "output", "cacheRead", "cacheWrite"] as const
      for (const kind of kinds) expect(total[kind]).toBeGreaterThanOrEqual(last?.[kind] ?? 0)
      expect(total.input + total.cacheRead + total.cacheWrite).toBeGreaterThan(0)
      if (happened.some((one) => typeof one === "number" && one > 0)) expect(total.output).toBeGreaterThan(0)
      if (last !== undefined && typeof happened.at(-1) !== "number" && last.output > 0 && last.input > 0) {
        expect(total).toEqual(last)
      }
    }),
  )
  expect([0, 1, 4, 5].map(tokensOfCharacters)).toEqual([0, 1, 1, 2])
})
