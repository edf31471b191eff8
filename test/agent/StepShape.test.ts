import { expect, test } from "bun:test"
import { Effect, Layer, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent } from "../../src/agent/Agent.ts"
import { Models } from "../../src/models/Models.ts"
import { Step } from "../../src/domain/chat/Chat.ts"
import { passages, scenarios } from "../golden/Scenarios.ts"
import golden from "../golden/steps.json"
import { agentLayer } from "../lib/Answering.ts"
import { fakeKey } from "../lib/FakeAnthropic.ts"
import { fakeProvider } from "../lib/FakeProvider.ts"
import { defaults, modelsSettings } from "../lib/Defaults.ts"

/*
 * Compares steps with those of the AI SDK 4.0.38, field by field. These may differ:
 * - `request.body` is Parley's, with cache breakpoints, and with the chatbot's tools and system instruction;
 * - `response.headers` has only the headers that are safe to show, each of them the same, of an answer that is a stream;
 * - `response.timestamp` has an offset instead of a Z, as everywhere in Parley.
 */

const stepsOf = (name: keyof typeof golden) =>
  Effect.gen(function* () {
    const fake = yield* fakeProvider(...(scenarios[name] ?? []))
    const models = Models.layer(modelsSettings({ anthropic: { apiKey: Redacted.make(fakeKey), baseUrl: fake.url } }))
    const reply = yield* Agent.use((agent) =>
      agent.reply({
        model: "claude-sonnet-5-5",
        instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [{ role: "user", content: "How long do refunds take?" }],
        search: () =>
          Effect.succeed(
            passages.map(({ document_id, ...passage }) => ({ ...passage, documentId: document_id, page: null })),
          ),
      }),
    ).pipe(Effect.provide(agentLayer(defaults.agent).pipe(Layer.provide(models), Layer.provide(FetchHttpClient.layer))))
    // In the form of the wire.
    return JSON.parse(JSON.stringify(yield* Schema.encodeEffect(Schema.Array(Step))(reply.steps)))
  }).pipe(Effect.scoped, Effect.runPromise)

const names = Object.keys(scenarios).filter((name): name is keyof typeof golden => name in golden)

test("there is a recording of every conversation", () => {
  expect(Object.keys(golden)).toEqual(Object.keys(scenarios))
})

test.each(names)("the steps of the conversation %s are those of the AI SDK", async (name) => {
  const ours: ReadonlyArray<(typeof golden)["search"][number]> = await stepsOf(name)
  expect(ours).toHaveLength(golden[name].length)
  for (const [index, theirs] of golden[name].entries()) {
    const { request, response, ...step } = ours[index] ?? expect.unreachable()
    const { request: theirRequest, response: theirResponse, ...theirStep } = theirs
    expect(step).toEqual(theirStep)
    expect(Object.keys(request)).toEqual(Object.keys(theirRequest))
    const { headers, timestamp, ...rest } = response
    const { headers: theirHeaders, timestamp: theirTimestamp, ...theirRest } = theirResponse
    expect<unknown>(rest).toEqual(theirRest)
    expect(Number.isNaN(Date.parse(timestamp))).toBe(Number.isNaN(Date.parse(theirTimestamp)))
    // A copy, because Bun writes the matcher into what it compares.
    expect({ ...theirHeaders }).toMatchObject({
      ...headers,
      "content-type": "application/json",
      date: expect.any(String),
    })
    expect(headers).toMatchObject({ "content-type": "text/event-stream" })
  }
})
