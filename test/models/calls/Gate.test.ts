import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Layer, Redacted, References, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { makeAnthropic } from "../../../src/models/anthropic/Anthropic.ts"
import type { ModelCalls } from "../../../src/models/ModelCalls.ts"
import { Models } from "../../../src/models/Models.ts"
import type { CallSettings } from "../../../src/models/calls/ProviderCalls.ts"
import { toProviderError } from "../../../src/models/ClientFailures.ts"
import { modelsLayer } from "../../lib/Answering.ts"
import { fails, fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { streamed as stream, textOf, whole } from "../../lib/Asking.ts"
import { fakeOpenAiKey } from "../../lib/FakeOpenAi.ts"
import { fakeProvider } from "../../lib/FakeProvider.ts"
import type { Answer } from "../../lib/Wire.ts"
import { callSettings, modelsSettings } from "../../lib/Defaults.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const overloaded = fails(529, "overloaded_error")

const connect = (limits: Partial<CallSettings>, ...answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const fake = yield* fakeProvider(...answers)
    const limited = callSettings({ attemptsMax: 1, failuresMax: 2, ...limits })
    const settings = { apiKey: Redacted.make(fakeKey), baseUrl: fake.url, limits: limited }
    const calls = makeAnthropic(settings)
    return { fake, model: calls("claude-1"), other: calls("claude-2") }
  })

const say = (calls: ModelCalls) => Effect.map(whole(calls), textOf)
const failure = (calls: ModelCalls) => Effect.map(Effect.flip(say(calls)), toProviderError)

const run = <A, E>(program: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(program))
const it = effectTests(run)

const until = (condition: () => boolean) =>
  Effect.repeat(
    Effect.promise(async () => (await Bun.sleep(2), condition())),
    { until: (isTrue) => isTrue },
  )

describe("a failing provider", () => {
  test("gets no calls of the model that fails for a while, and those of the others", async () => {
    const program = Effect.gen(function* () {
      const { fake, model, other } = yield* connect({}, overloaded, overloaded, says("Back"))
      yield* failure(model)
      yield* failure(model)
      expect(yield* failure(model)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 15 })
      expect(yield* say(other)).toBe("Back")
      expect(fake.requests).toHaveLength(3)
      yield* TestClock.adjust("15 seconds")
      expect(yield* say(model)).toBe("Back")
    })
    await run(Effect.provide(program, TestClock.layer()))
  })

  it("is not left alone for errors, which may be those of one visitor's words", function* () {
    const broken = fails(500, "api_error")
    const { model } = yield* connect({}, broken, broken, broken, broken, broken, says("Back"))
    for (let time = 0; time < 5; time++) yield* failure(model)
    expect(yield* say(model)).toBe("Back")
  })

  test("that cannot be reached gets no calls of any of its models for a while, then all again", async () => {
    const program = Effect.gen(function* () {
      const { fake, model, other } = yield* connect({}, { kind: "reset" }, { kind: "reset" }, says("Back"))
      yield* failure(model)
      yield* failure(model)
      expect(yield* failure(other)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 15 })
      yield* TestClock.adjust("14 seconds")
      expect(yield* failure(other)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 1 })
      expect(fake.requests).toHaveLength(2)
      yield* TestClock.adjust("1 second")
      expect(yield* say(other)).toBe("Back")
      expect(yield* say(model)).toBe("Back")
    })
    await run(Effect.provide(program, TestClock.layer()))
  })

  test("gets no calls for no longer when the machine's clock is set back", async () => {
    const program = Effect.gen(function* () {
      const { model } = yield* connect({}, overloaded, overloaded, says("Back"))
      yield* TestClock.setTime(Duration.toMillis("1 hour"))
      yield* failure(model)
      yield* failure(model)
      yield* TestClock.setTime(0)
      yield* TestClock.adjust("15 seconds")
      expect(yield* say(model)).toBe("Back")
    })
    await run(Effect.provide(program, TestClock.layer()))
  })

  it("gets no calls when its streams break after they have begun", function* () {
    const { fake, model } = yield* connect({}, { kind: "early end" })
    yield* Effect.flip(stream(model))
    yield* Effect.flip(stream(model))
    expect(yield* failure(model)).toMatchObject({ _tag: "Unavailable" })
    expect(fake.requests).toHaveLength(2)
  })

  test.each([
    ["refuses requests", fails(400, "invalid_request_error"), "ProviderFailed"],
    ["refuses the key", fails(401, "authentication_error"), "ProviderFailed"],
    ["limits the rate", fails(429, "rate_limit_error"), "TooManyRequests"],
  ] as const)("that only %s still gets calls", async (_, answer, tag) => {
    const program = Effect.gen(function* () {
      const { fake, model } = yield* connect({}, answer)
      for (let call = 0; call < 5; call++) expect((yield* failure(model))._tag).toBe(tag)
      expect(fake.requests).toHaveLength(5)
    })
    await run(program)
  })
})

describe("concurrent calls of one provider", () => {
  it("are limited, and the next one begins when one ends or is cancelled", function* () {
    const { fake, model } = yield* connect({ concurrency: 2 }, { kind: "hang" }, { kind: "hang in body" }, says("Hi"))
    const first = yield* Effect.forkChild(say(model))
    const second = yield* Effect.forkChild(stream(model))
    yield* until(() => fake.requests.length === 2)
    const third = yield* Effect.forkChild(say(model))
    const fourth = yield* Effect.forkChild(say(model))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(third)
    yield* Fiber.interrupt(first)
    expect(yield* Fiber.join(fourth)).toBe("Hi")
    // The third one was cancelled before it was sent.
    expect(fake.requests).toHaveLength(3)
    yield* Fiber.interrupt(second)
    expect(yield* Effect.all([say(model), say(model), say(model)], { concurrency: 3 })).toEqual(["Hi", "Hi", "Hi"])
  })

  it("wait for others to end, but only for a limited time", function* () {
    const limits = { concurrency: 1, turnWait: Duration.millis(20) }
    const { fake, model } = yield* connect(limits, { kind: "hang" }, says("Hi"))
    const first = yield* Effect.forkChild(say(model))
    yield* until(() => fake.requests.length === 1)
    // Waiting for other calls does not count against the provider.
    for (let call = 0; call < 5; call++) {
      expect(yield* failure(model)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 1 })
    }
    yield* Fiber.interrupt(first)
    expect(yield* say(model)).toBe("Hi")
    expect(fake.requests).toHaveLength(2)
  })
})

describe("fallbacks", () => {
  const withModels = (
    answers: { readonly anthropic: Answer; readonly openai: Answer },
    fallbacks: ReadonlyArray<string>,
    way: (calls: ModelCalls) => Effect.Effect<ReadonlyArray<{ readonly type: string }>, unknown>,
  ) =>
    run(
      Effect.gen(function* () {
        const anthropic = yield* fakeProvider(answers.anthropic)
        const openai = yield* fakeProvider(answers.openai)
        const limits = { attemptsMax: 1 }
        const layer = modelsLayer(
          modelsSettings({
            anthropic: { apiKey: Redacted.make(fakeKey), baseUrl: anthropic.url, limits },
            openai: { apiKey: Redacted.make(fakeOpenAiKey), baseUrl: openai.url, limits },
          }),
        ).pipe(Layer.provide(FetchHttpClient.layer))
        const result = yield* Models.use((models) =>
          Effect.flatMap(models.get("claude-x", fallbacks), ({ calls }) => Effect.result(way(calls))),
        ).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "None"))
        return { result, asked: [anthropic.requests.length, openai.requests.length] }
      }),
    )

  for (const [name, way] of [
    ["whole", whole],
    ["streamed", stream],
  ] as const) {
    test(`answer in turn when the provider fails, with a warning that says so: ${name}`, async () => {
      const { asked, result } = await withModels(
        { anthropic: overloaded, openai: says("Hi") },
        ["claude-gone", "openai/m"],
        way,
      )
      expect(asked).toEqual([2, 1])
      if (result._tag === "Failure") throw result.failure
      expect(result.success.find(({ type }) => type === "response-metadata")).toMatchObject({
        type: "response-metadata",
        metadata: { parley: { fallback: { model: "openai/m", provider: "openai" } } },
      })
    })

    test(`are not called when the message is refused, or when the chatbot names none: ${name}`, async () => {
      const refused = await withModels({ anthropic: fails(413, "x"), openai: says("Hi") }, ["openai/m"], way)
      expect([refused.result._tag, refused.asked]).toEqual(["Failure", [1, 0]])
      const unnamed = await withModels({ anthropic: overloaded, openai: says("Hi") }, [], way)
      expect([unnamed.result._tag, unnamed.asked]).toEqual(["Failure", [1, 0]])
    })
  }

  test("are not called when a stream breaks after it has begun", async () => {
    const { asked, result } = await withModels(
      { anthropic: { kind: "reset in body" }, openai: says("Hi") },
      ["openai/m"],
      stream,
    )
    expect([result._tag, asked]).toEqual(["Failure", [1, 0]])
  })

  test("whose provider is not configured do not keep the first model from answering", async () => {
    const { asked, result } = await withModels({ anthropic: says("Hi"), openai: says("Ho") }, ["gone/x"], whole)
    expect([result._tag, asked]).toEqual(["Success", [1, 0]])
  })
})
