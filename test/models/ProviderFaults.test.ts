import { afterAll, describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { makeAnthropic } from "../../src/models/anthropic/Anthropic.ts"
import type { ModelCalls } from "../../src/models/ModelCalls.ts"
import { makeOpenAi } from "../../src/models/openai/OpenAi.ts"
import type { CallSettings } from "../../src/models/calls/ProviderCalls.ts"
import { toProviderError } from "../../src/models/ClientFailures.ts"
import { fakeKey, says } from "../lib/FakeAnthropic.ts"
import { hello, streamed, textOf, whole } from "../lib/Asking.ts"
import { fakeOpenAiKey } from "../lib/FakeOpenAi.ts"
import { type FakeProvider, fakeProvider } from "../lib/FakeProvider.ts"
import { attempts, type Fault, faults, type Outcome } from "../lib/Faults.ts"
import type { Answer } from "../lib/Wire.ts"
import { callSettings } from "../lib/Defaults.ts"

/** The number of runs of each case. */
const runs = Number(process.env["FAULT_RUNS"] ?? 1)

/** A time that is longer than a test may take. */
const long = Duration.seconds(90)
const short = Duration.millis(150)
const limitsOf = ({ endsBy }: Pick<Fault, "endsBy">): Partial<CallSettings> => ({
  attemptsMax: attempts,
  retryDelay: Duration.millis(1),
  answerBytesMax: 1024 * 1024,
  replyTimeout: endsBy === undefined ? long : short,
  firstByteTimeout: long,
  stallTimeout: endsBy === "stall" ? short : long,
})

const protocols = {
  anthropic: (url: string, limits: Partial<CallSettings>) =>
    Effect.sync(() =>
      makeAnthropic({ apiKey: Redacted.make(fakeKey), baseUrl: url, limits: callSettings(limits) })("claude-test-1"),
    ),
  openai: (url: string, limits: Partial<CallSettings>) =>
    Effect.map(HttpClient.HttpClient, (client) =>
      makeOpenAi(
        { apiKey: Redacted.make(fakeOpenAiKey), baseUrl: url, limits: callSettings(limits) },
        client,
      )("test-1"),
    ).pipe(Effect.provide(FetchHttpClient.layer)),
}
type Protocol = keyof typeof protocols

const patient = { replyTimeout: long, firstByteTimeout: long, stallTimeout: long }

/** The result that a client would see. */
const ways = {
  whole: (calls: ModelCalls, said: Array<string>) => Effect.map(whole(calls), (parts) => void said.push(textOf(parts))),
  streamed: (calls: ModelCalls, said: Array<string>) =>
    Effect.asVoid(streamed(calls, hello, (parts) => said.push(textOf(parts)))),
}
type Way = keyof typeof ways

const ask = (protocol: Protocol, way: Way, limits: Partial<CallSettings>, ...answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    const fake: FakeProvider = yield* fakeProvider(...answers)
    const said: Array<string> = []
    const model = yield* protocols[protocol](fake.url, limits)
    const result = yield* Effect.result(ways[way](model, said))
    return { result, said: said.join(""), requests: fake.requests, hungUp: fake.hungUp }
  }).pipe(Effect.scoped, Effect.runPromise)

const unhandled: Array<unknown> = []
const listen = (reason: unknown) => void unhandled.push(reason)
process.on("unhandledRejection", listen)
afterAll(() => {
  process.off("unhandledRejection", listen)
})

const cases = (["anthropic", "openai"] as const).flatMap((protocol) =>
  (["whole", "streamed"] as const).map((way) => [protocol, way] as const),
)

describe.each(cases)("a call of %s for an answer that is %s", (protocol, way) => {
  const expected = (fault: Fault): Outcome => fault[way]

  test.each(faults.map((fault) => [fault.name, fault] as const))(
    "ends with the error for the fault %s",
    async (_, fault) => {
      for (let run = 0; run < runs; run++) {
        const { requests, result, said } = await ask(protocol, way, limitsOf(fault), fault.answer)
        if (result._tag === "Success") throw new Error("It answered")
        const error = toProviderError(result.failure)
        const { calls, tag } = expected(fault)
        expect(error._tag).toBe(tag)
        if (fault.endsBy === undefined) expect(requests).toHaveLength(calls)
        expect(requests.length).toBeLessThanOrEqual(attempts)
        if (fault.endsBy === undefined) expect(said).toBe(way === "streamed" && fault.streamed.begins ? "Hello" : "")
        if (fault.name === "429 with Retry-After") expect(error).toMatchObject({ retry_after_seconds: 33 })
        expect(JSON.stringify(error)).not.toContain("internal words")
        expect(JSON.stringify(result.failure)).not.toContain("sk-")
      }
    },
  )

  test.each(
    faults
      .filter((fault) => fault.endsBy === undefined && expected(fault).calls > 1)
      .map((fault) => [fault.name, fault] as const),
  )("succeeds at the next attempt after the fault %s", async (_, fault) => {
    const { requests, result, said } = await ask(protocol, way, limitsOf(fault), fault.answer, says("Hello again"))
    expect(result._tag).toBe("Success")
    expect(said).toBe("Hello again")
    expect(requests).toHaveLength(2)
  })

  test.each([
    ["before the headers", { kind: "hang" }],
    ["in the body", { kind: "hang in body" }],
  ] as const)("closes its connection to the provider when it is interrupted %s", async (_, answer) => {
    await Effect.gen(function* () {
      const fake = yield* fakeProvider(answer)
      const fiber = yield* Effect.forkChild(ways[way](yield* protocols[protocol](fake.url, patient), []))
      yield* until(() => fake.requests.length === 1)
      expect(fake.hungUp()).toBe(0)
      yield* Fiber.interrupt(fiber)
      yield* until(() => fake.hungUp() === 1)
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  test("follows no redirect, so that neither the key nor the conversation reaches another server", async () => {
    const elsewhere: Array<string> = []
    const server = Bun.serve({
      port: 0,
      routes: {
        "/v1/*": () => Response.redirect("/elsewhere", 307),
        "/elsewhere": ({ url }) => (elsewhere.push(url), new Response()),
      },
    })
    const calls = await Effect.runPromise(protocols[protocol](server.url.origin, patient))
    const result = await Effect.runPromise(Effect.result(ways[way](calls, [])))
    await server.stop(true)
    expect(result._tag).toBe("Failure")
    expect(elsewhere).toEqual([])
  })
})

const until = (condition: () => boolean) =>
  Effect.repeat(Effect.map(Effect.sleep("2 millis"), condition), { until: (isTrue) => isTrue })

test("no fault leaves an unhandled rejection", async () => {
  // The engine reports a rejection after the turn of the event loop in which it happened.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})
