import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Prompt, type Response } from "effect/ai"
import { extractiveModel } from "../../../src/domain/chatbot/Chatbot.ts"
import { Agent } from "../../../src/agent/Agent.ts"
import { makeExtractiveCalls } from "../../../src/models/local/Extractive.ts"
import { Models } from "../../../src/models/Models.ts"
import type { Passage } from "../../../src/domain/knowledge/Passage.ts"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { agentLayer } from "../../lib/Answering.ts"
import { asking, streamed, textOf, whole } from "../../lib/Asking.ts"
import { defaults, modelsSettings } from "../../lib/Defaults.ts"

const calls = makeExtractiveCalls({ threshold: undefined })

const policy: Passage = {
  documentId: "d1",
  title: "Refund policy",
  chunk: 1,
  page: 7,
  content: `# Refund policy

Our shop wants you to be happy. **Refunds** are paid within 14 days of the request,
to the [card](https://example.com) that was used.

## How do I ask for a refund?

Write to support with your order number. We answer within two days.`,
}
const shipping: Passage = {
  documentId: "d2",
  title: "Shipping",
  chunk: 3,
  page: null,
  content: "Parcels leave on Mondays.",
}

const reply = (
  question: string,
  passages: ReadonlyArray<Passage> | Unavailable = [policy, shipping],
  toolsEnabled = true,
) =>
  Effect.gen(function* () {
    const agent = yield* Agent
    return yield* agent.reply({
      model: extractiveModel,
      instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" } },
      toolsEnabled,
      history: [{ role: "user", content: question }],
      search: () => (passages instanceof Unavailable ? Effect.fail(passages) : Effect.succeed(passages)),
    })
  }).pipe(
    Effect.provide(
      agentLayer(defaults.agent).pipe(
        Layer.provide(Models.layer(modelsSettings()).pipe(Layer.provide(FetchHttpClient.layer))),
      ),
    ),
    Effect.runPromise,
  )

describe("a question", () => {
  test("is answered after a search with the best paragraph and its document's title, and the best sentence is marked", async () => {
    const result = await reply("How long does it take until refunds are paid?")
    expect(result.steps.map((step) => [step.stepType, step.finishReason])).toEqual([
      ["initial", "tool-calls"],
      ["tool-result", "stop"],
    ])
    expect(result.toolCalls[0]?.args).toEqual({ query: "How long does it take until refunds are paid?" })
    expect(result.output).toBe(
      "Our shop wants you to be happy. **Refunds are paid within 14 days of the request, to the card that was used.** (Refund policy)",
    )
    expect(result.provider).toBe("local")
  })

  test("that is a heading is answered with the text below it", async () => {
    const { output } = await reply("How can I ask for a refund?")
    expect(output).toStartWith("Write to support with your order number. We answer within two days.")
  })

  test("is answered with the same words without tools, in one step", async () => {
    const question = "How long does it take until refunds are paid?"
    const [withTools, without] = [await reply(question), await reply(question, [policy, shipping], false)]
    expect(without.output).toBe(withTools.output)
    expect(without.steps).toHaveLength(1)
    expect(without.toolCalls).toEqual([])
  })

  test("that has no word in common with the passages is not answered", async () => {
    const { output, sources } = await reply("Wann?", [shipping])
    expect(output).toContain("nichts gefunden")
    expect(sources).toEqual([])
  })

  test("is answered with the row of a table that it asks for, with the names of its columns", async () => {
    const prices: Passage = {
      ...shipping,
      title: "Prices",
      content: `# Prices

We change them rarely.

| Plan | Monthly price | Notes |
| :--- | ---: | --- |
| Basic | 10 EUR | **cheap** |
| Team | 50 EUR | \`50\` users, or \\| more |
| Enterprise | 900 EUR | |`,
    }
    const { output } = await reply("What is the monthly price of the Team plan?", [policy, prices])
    expect(output).toBe("Prices:\n- Plan: Team; Monthly price: 50 EUR; Notes: 50 users, or | more\n(Prices)")
    const { output: all } = await reply("Plans?", [policy, prices])
    expect(all).toBe(
      "Prices:\n- Plan: Basic; Monthly price: 10 EUR; Notes: cheap\n- Plan: Team; Monthly price: 50 EUR; Notes: 50 users, or | more\n- Plan: Enterprise; Monthly price: 900 EUR\n(Prices)",
    )
  })

  test("is answered with an apology when the search failed", async () => {
    const { output } = await reply("Refunds?", new Unavailable({ detail: "down", retry_after_seconds: 1 }))
    expect(output).toContain("could not search")
  })

  test("in any script is answered with sentences in that script", async () => {
    const chinese = {
      ...policy,
      title: "退款政策",
      content: "本店很高兴为您服务。退款将在十四天内支付。请写信给客服。",
    }
    expect((await reply("退款多久支付？", [chinese])).output).toContain("**退款将在十四天内支付。**")
    const arabic = { ...policy, content: "متجرنا سعيد بخدمتكم. يتم دفع المبالغ المستردة خلال 14 يوما." }
    expect((await reply("متى يتم دفع المبالغ المستردة؟", [arabic])).output).toContain("**يتم دفع المبالغ")
  })
})

test("what comes closest, in two places, is announced in the language of the question", async () => {
  const plan = (title: string, content: string): Passage => ({ ...shipping, documentId: title, title, content })
  const { output, sources } = await reply("How much storage has a plan?", [
    plan("A", "The Basic plan has 5 GB of storage."),
    plan("B", "The Team plan has 200 GB of storage."),
  ])
  expect(output).toBe(
    "These passages come closest:\n\nThe Basic plan has 5 GB of storage. (A)\n\nThe Team plan has 200 GB of storage. (B)",
  )
  expect(sources).toHaveLength(2)
  const { output: german } = await reply("Wie viel Speicher hat ein Tarif?", [
    plan("A", "Der Tarif Basis hat 5 GB Speicher."),
    plan("B", "Der Tarif Team hat 200 GB Speicher."),
  ])
  expect(german).toStartWith("Diese Stellen kommen Ihrer Frage am nächsten:\n\nDer Tarif Basis hat 5 GB Speicher. (A)")
})

test.each(["hi", "Hello!", "Good morning 👋", "Guten Tag", "你好", "¡Hola!"])(
  "the greeting %p is returned without a search",
  async (greeting) => {
    const result = await reply(greeting)
    expect(result.output).toMatch(/^(Hello!|Hallo!|您好！|¡Hola!)/)
    expect(result.steps).toHaveLength(1)
    expect(result.toolCalls).toEqual([])
  },
)

test("a number is not a greeting, and is searched", async () => {
  const { output, toolCalls } = await reply("4711?", [{ ...shipping, content: "Order 4711 leaves on Monday." }])
  expect(toolCalls).toHaveLength(1)
  expect(output).toStartWith("Order 4711 leaves on Monday.")
})

test("every step warns that no language model is configured, and shows the model's request", async () => {
  const { steps, tokens } = await reply("How long do refunds take?")
  for (const step of steps) {
    expect(step.warnings).toEqual([
      { type: "other", message: expect.stringContaining("No language model is configured") },
    ])
    expect(step.usage.promptTokens).toBe(Math.ceil(step.request.body.length / 4))
    const body = JSON.parse(step.request.body)
    expect(body.messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "How long do refunds take?" }] })
    expect(body).toMatchObject({
      model: extractiveModel,
      tools: [{ name: "searchKnowledgeBase" }],
      tool_choice: { type: "auto" },
    })
  }
  expect(tokens.output).toBeGreaterThan(0)
})

test("a streamed answer is the same as a whole one", async () => {
  const prompt = Prompt.fromMessages([
    Prompt.userMessage({ content: [Prompt.textPart({ text: "Refunds paid?" })] }),
    Prompt.assistantMessage({
      content: [
        Prompt.toolCallPart({ id: "c", name: "searchKnowledgeBase", params: { query: "x" }, providerExecuted: false }),
      ],
    }),
    Prompt.toolMessage({
      content: [
        Prompt.toolResultPart({
          id: "c",
          name: "searchKnowledgeBase",
          providerExecuted: false,
          isFailure: false,
          result: [{ title: "T", chunk: 1, content: policy.content, document_id: "d" }],
        }),
      ],
    }),
  ])
  const [parts, pieces] = await Effect.runPromise(
    Effect.all([whole(calls, asking(prompt)), streamed(calls, asking(prompt))]),
  )
  const delta = textOf(pieces)
  expect(delta).toBe(textOf(parts))
  expect(delta).toContain("14 days")
  expect(pieces.map((part) => part.type)).toEqual([
    "response-metadata",
    "text-start",
    "text-delta",
    "text-end",
    "source",
    "finish",
  ])
  const sourcesIn = (list: ReadonlyArray<Response.PartEncoded | Response.StreamPartEncoded>) =>
    list.flatMap((part) => (part.type === "source" ? [part.metadata?.parley] : []))
  const sources = sourcesIn(pieces)
  expect(sources).toEqual([expect.objectContaining({ quote: expect.stringContaining("14 days") })])
  expect(sources).toEqual(sourcesIn(parts))
})
