import { expect, test } from "bun:test"
import { Effect, Layer, References } from "effect"
import { Prompt } from "effect/ai"
import * as fc from "fast-check"
import { Agent } from "../../src/agent/Agent.ts"
import { trimHistory } from "../../src/agent/TrimHistory.ts"
import { agentLayer } from "../lib/Answering.ts"
import { answers, asks, ScriptedModel } from "../lib/ScriptedModel.ts"
import { defaults } from "../lib/Defaults.ts"

const system = Prompt.systemMessage({ content: "s".repeat(30) })
const user = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })
const assistant = (text: string) => Prompt.assistantMessage({ content: [Prompt.textPart({ text })] })
const call = Prompt.assistantMessage({
  content: [Prompt.toolCallPart({ id: "c", name: "look", params: { query: "tides" }, providerExecuted: false })],
})
const result = Prompt.toolMessage({
  content: [
    Prompt.toolResultPart({
      id: "c",
      name: "look",
      providerExecuted: false,
      isFailure: false,
      result: "r".repeat(300),
    }),
  ],
})

const text = fc.string({ maxLength: 60 })
/** A turn: the user's message, and the replies to it, with or without calls, or none. */
const turn = fc
  .tuple(text, fc.boolean(), fc.array(text, { maxLength: 2 }))
  .map(([said, hasCall, answered]) => [user(said), ...(hasCall ? [call, result] : []), ...answered.map(assistant)])
const greeting = fc.array(text.map(assistant), { maxLength: 1 })
const turns = fc.array(turn, { maxLength: 6 })

test("the shortened messages are the system instruction, and whole turns up to the question", () =>
  fc.assert(
    fc.property(greeting, turns, turn, fc.integer({ min: 0, max: 1_000 }), (greeting, turns, last, tokensMax) => {
      const groups = [...(greeting.length === 0 ? [] : [greeting]), ...turns, last]
      const shown = trimHistory([system, ...groups.flat()], tokensMax)
      const wholes = groups.map((_, from) => [system, ...groups.slice(from).flat()])
      expect(wholes).toContainEqual([...shown])
      // One more turn would not have fitted.
      const before = wholes[wholes.findIndex((whole) => whole.length === shown.length) - 1]
      if (before !== undefined) expect(trimHistory(before, tokensMax)).toEqual(shown)
    }),
  ))

test("messages that fit are kept, and the question is kept at any length", () => {
  const messages = [system, user("a".repeat(300)), assistant("b".repeat(300)), user("c".repeat(300))]
  // 30 + 3 × 300 bytes, at three bytes for a token.
  expect(trimHistory(messages, 310)).toBe(messages)
  expect(trimHistory(messages, 309)).toEqual([system, user("c".repeat(300))])
  expect(trimHistory(messages, 1)).toEqual([system, user("c".repeat(300))])
})

test("the inputs of tool calls count as well", () => {
  const called = Prompt.assistantMessage({
    content: [
      Prompt.toolCallPart({ id: "c", name: "look", params: { query: "q".repeat(288) }, providerExecuted: false }),
    ],
  })
  const messages = [system, user("a".repeat(300)), called, user("c".repeat(300))]
  // 30 + 3 × 300 bytes: `{"query":""}` has the other 12.
  expect(trimHistory(messages, 310)).toBe(messages)
  expect(trimHistory(messages, 309)).toEqual([system, user("c".repeat(300))])
})

test("every call of the model is within the limit, including the calls and results of its answer", async () => {
  const model = new ScriptedModel(asks("tides"), answers("At noon."))
  const long = "y".repeat(3_000)
  await Effect.runPromise(
    Agent.use((agent) =>
      agent.reply({
        model: "scripted",
        instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [
          { role: "user", content: `first ${long}` },
          { role: "assistant", content: long },
          { role: "user", content: `second ${long}` },
          { role: "assistant", content: long },
          { role: "user", content: "When is high water?" },
        ],
        search: () =>
          Effect.succeed([{ documentId: "d", title: "Tides", chunk: 1, page: null, content: "z".repeat(3_000) }]),
      }),
    ).pipe(
      Effect.provide(agentLayer({ ...defaults.agent, promptTokensMax: 3_000 }).pipe(Layer.provide(model.models))),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )
  const shown = model.requests.map(({ prompt }) => prompt.content.map(({ role }) => role).join(" "))
  expect(shown).toEqual(["system user assistant user", "system user assistant tool"])
})
