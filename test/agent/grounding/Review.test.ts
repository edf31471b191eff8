import { describe, expect, test } from "bun:test"
import { Effect, Layer, References } from "effect"
import { Agent, type AgentInput } from "../../../src/agent/Agent.ts"
import { type AgentEvent, emitTo } from "../../../src/agent/AgentEvent.ts"
import { ProviderFailure } from "../../../src/models/calls/ProviderFailure.ts"
import { withFallbacks } from "../../../src/models/Fallbacks.ts"
import { Models } from "../../../src/models/Models.ts"
import { agentLayer, keeping, type KeptStep } from "../../lib/Answering.ts"
import { defaults } from "../../lib/Defaults.ts"
import { answers, asks, ScriptedModel } from "../../lib/ScriptedModel.ts"

const passage = {
  documentId: "d1",
  title: "Refunds",
  chunk: 1,
  page: null,
  content: "Refunds take five working days. They are paid to the card.",
}
const right = "Refunds take 5 working days."
const wrong = "Refunds take 9 working days."

const reply = async (model: ScriptedModel, overrides: Partial<AgentInput>, models = model.models) => {
  const events: Array<AgentEvent> = []
  const costs: Array<number> = []
  const result = await Effect.runPromise(
    Agent.use((agent) =>
      agent.reply({
        model: "scripted",
        instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [{ role: "user", content: "How long do refunds take?" }],
        search: () => Effect.succeed([passage]),
        isStreamed: true,
        ...overrides,
        emit: emitTo(undefined, (event) => {
          void overrides.emit?.(event)
          if (event.type === "judged") costs.push(event.cost.tokens.output)
          events.push(event)
        }),
      }),
    ).pipe(
      Effect.provide(agentLayer(defaults.agent).pipe(Layer.provide(models))),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )
  const text = events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("")
  return { events, result, text, costs }
}

const tokensOf = (calls: number) => ({
  input: 10 * calls,
  output: 5 * calls,
  cacheRead: 20 * calls,
  cacheWrite: 3 * calls,
})

describe("with mark", () => {
  test("unsupported sentences come with the reply, which is shown at once", async () => {
    const { events, result, text } = await reply(
      new ScriptedModel(asks("refunds"), answers(`${wrong} They are paid to the card.`)),
      { grounding: "mark" },
    )
    const marked = [{ sentence: wrong, start: 0, end: wrong.length, reason: "number", detail: "9" }]
    expect(result.unsupported).toMatchObject(marked)
    expect(text).toBe(result.output)
    expect(events.map(({ type }) => type).slice(-2)).toEqual(["unsupported", "step-end"])
  })

  test("a model that judges has the last word on sentences that words do not support, in one call that counts", async () => {
    const model = new ScriptedModel(asks("refunds"), answers(`${wrong} ${right}`), answers("[]"))
    const { costs, result } = await reply(model, { grounding: "mark", judgeModel: "judge" })
    expect(result.unsupported).toEqual([])
    expect(result.tokens).toEqual(tokensOf(3))
    expect(costs).toEqual([5])
    const asked = JSON.stringify(model.requests[2]?.prompt)
    expect(asked).toContain("five working days")
    expect(asked).toContain(`1. ${wrong}`)
    expect(asked).not.toContain(`2. `)
  })

  test("a model that judges decides where the language of the documents is another one", async () => {
    const german = { ...passage, content: "Erstattungen dauern fünf Werktage und kommen auf die Karte zurück." }
    const search = () => Effect.succeed([german])
    const model = new ScriptedModel(asks("refunds"), answers("A courier brings the money in cash."), answers("[1]"))
    const { result } = await reply(model, { grounding: "mark", judgeModel: "judge", search })
    expect(result.unsupported).toMatchObject([{ reason: "judge" }])
  })

  test.each([
    ["fails", () => Effect.fail(new ProviderFailure({ kind: "failed", description: "", retryable: false }))],
    ["answers something else", answers("I cannot say.")],
  ] as const)("words decide where the judge %s", async (_, verdict) => {
    const model = new ScriptedModel(asks("refunds"), answers(wrong), verdict)
    const { result } = await reply(model, { grounding: "mark", judgeModel: "judge" })
    expect(result.unsupported).toMatchObject([{ sentence: wrong, reason: "number" }])
  })

  test("the judge is not asked where words support everything", async () => {
    const model = new ScriptedModel(asks("refunds"), answers(right))
    await reply(model, { grounding: "mark", judgeModel: "judge" })
    expect(model.requests).toHaveLength(2)
  })
})

describe("with strict", () => {
  test("an answer is made again without its unsupported sentences, of which nothing is shown", async () => {
    const model = new ScriptedModel(asks("refunds"), answers(wrong), answers(right))
    const steps: Array<KeptStep> = []
    const { result, text } = await reply(model, { grounding: "strict", emit: keeping(steps) })
    expect(result.output).toBe(right)
    expect(result.saysNoAnswer).toBe(false)
    expect(text).toBe(right)
    expect(steps.map(({ text }) => text)).toEqual(["", "", ""])
    expect(JSON.stringify(result.steps)).not.toContain(wrong)
    expect(result.tokens).toEqual(tokensOf(3))
    // The passages are still there, and the question is still the last message of the user.
    const again = model.requests[2]?.prompt.content ?? []
    expect(again.filter(({ role }) => role === "user")).toHaveLength(1)
    expect(JSON.stringify(again)).toContain("five working days")
    expect(JSON.stringify(again)).toContain(wrong)
  })

  test("an answer of a fallback is withheld, too, where the chatbot's own model quotes and needs no review", async () => {
    const exchange = {
      type: "response-metadata",
      metadata: { parley: { body: "", bodyLength: 0, headers: {}, warnings: [] } },
    } as const
    const script = [asks("refunds"), answers(wrong), answers(right)].map((parts) => [exchange, ...parts])
    const model = new ScriptedModel(...script)
    const away = Effect.fail(new ProviderFailure({ kind: "failed", description: "", retryable: false }))
    const local = { calls: { answer: () => away }, model: "local/extractive", provider: "local" }
    const models = Layer.effect(
      Models,
      Effect.map(Models, (scripted) => {
        const get: typeof scripted.get = (name) =>
          Effect.map(scripted.get(name), (other) => ({ ...local, calls: withFallbacks(local, [other]) }))
        return Models.of({ ...scripted, get })
      }),
    ).pipe(Layer.provide(model.models))
    const { result, text } = await reply(model, { grounding: "strict", fallbackModels: ["scripted"] }, models)
    expect(result.output).toBe(right)
    expect(text).toBe(right)
  })

  test("an answer that is unsupported again is refused in the user's language, and is no answer", async () => {
    const model = new ScriptedModel(asks("refunds"), answers(wrong))
    const history = [{ role: "user" as const, content: "Wie lange dauert eine Erstattung?" }]
    const { result, text } = await reply(model, { grounding: "strict", history })
    expect(result.output).toBe("Dazu habe ich in den Dokumenten nichts gefunden.")
    expect(text).toBe(result.output)
    expect(result).toMatchObject({ saysNoAnswer: true, finishReason: "stop", sources: [], unsupported: [] })
    expect(JSON.stringify(result.steps)).not.toContain(wrong)
    expect(model.requests).toHaveLength(3)
    expect(result.tokens).toEqual(tokensOf(3))
  })

  test.each(["fails", "is interrupted"])("what was received of an answer that %s is not passed on", async (how) => {
    const model = new ScriptedModel(asks("refunds"), answers(wrong))
    const failure = new ProviderFailure({ kind: "failed", description: "", retryable: false })
    const end = how === "fails" ? Effect.fail(failure) : Effect.interrupt
    model.thenPieces(
      [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "They take 99" },
      ],
      end,
    )
    const steps: Array<KeptStep> = []
    const events: Array<AgentEvent> = []
    const emit = emitTo(undefined, keeping(steps), (event) => events.push(event))
    const made = reply(model, { grounding: "strict", emit })
    await expect(made).rejects.toThrow()
    // The costs of all three calls are known.
    expect(steps).toHaveLength(3)
    expect(JSON.stringify([steps, events])).not.toMatch(/take \d/)
    const looks = events.flatMap((event) => (event.type === "step-start" ? [event.look().step.text] : []))
    expect(looks).toEqual(["", "", ""])
  })

  test("an answer in several parts is made again from the beginning", async () => {
    const model = new ScriptedModel(
      asks("refunds"),
      answers("They take", "pause"),
      answers(" 99 days."),
      answers(right),
    )
    const { result } = await reply(model, { grounding: "strict" })
    expect(result.output).toBe(right)
    expect(model.requests[3]?.prompt.content.at(-1)?.role).toBe("tool")
  })

  test("what a model says before it calls a tool is not shown either", async () => {
    const [call, end] = asks("refunds")
    if (call === undefined || end === undefined) throw new Error("no call")
    const { events, text } = await reply(
      new ScriptedModel([{ type: "text", text: "They take 99 days, let me check." }, call, end], answers(right)),
      { grounding: "strict" },
    )
    expect(text).toBe(right)
    expect(JSON.stringify(events)).not.toContain("99 days")
    // A client sees that something is going on.
    expect(events.map(({ type }) => type)).toContain("tool-outcome")
  })
})

test("without the setting, nothing is checked", async () => {
  const { result } = await reply(new ScriptedModel(asks("refunds"), answers(wrong)), {})
  expect(result.unsupported).toEqual([])
})
