import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer, References } from "effect"
import type { Response } from "effect/ai"
import * as fc from "fast-check"
import { Agent, type AgentInput } from "../../src/agent/Agent.ts"
import { emitTo, type ShownEvent } from "../../src/agent/AgentEvent.ts"
import { ProviderFailure } from "../../src/models/calls/ProviderFailure.ts"
import type { Step } from "../../src/domain/chat/Chat.ts"
import { agentLayer, keeping, type KeptStep } from "../lib/Answering.ts"
import { answers, asks, finish, ScriptedModel, toolCall } from "../lib/ScriptedModel.ts"
import { defaults } from "../lib/Defaults.ts"

type Script = ReadonlyArray<Array<Response.PartEncoded>>

const ask = (model: ScriptedModel, overrides: Partial<AgentInput>) =>
  Agent.use((agent) =>
    agent.reply({
      model: "scripted",
      instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" } },
      toolsEnabled: true,
      history: [{ role: "user", content: "How long do refunds take?" }],
      search: (query) =>
        Effect.succeed([{ documentId: "d1", title: "Refunds", chunk: 1, page: null, content: query, similarity: 0.8 }]),
      ...overrides,
    }),
  ).pipe(
    Effect.provide(agentLayer(defaults.agent).pipe(Layer.provide(model.models))),
    Effect.provideService(References.MinimumLogLevel, "None"),
  )

/** A streamed reply, and its events. */
const stream = (model: ScriptedModel) =>
  Effect.gen(function* () {
    const events: Array<ShownEvent> = []
    const steps: Array<KeptStep> = []
    const exit = yield* Effect.exit(
      ask(model, {
        emit: emitTo((event) => Effect.sync(() => void events.push(event)), keeping(steps)),
        isStreamed: true,
      }),
    )
    return { events, steps, exit }
  })

/** Any text, with whole characters, lone surrogates and NUL. */
const text = fc.string({
  unit: fc.constantFrom("a", "é", "\u0000", "\ud83d\ude00", "\ud83d", "\ude00", " "),
  maxLength: 8,
})
const query = fc.constantFrom("tides", "refunds", "harbours")
const part = (index: number): fc.Arbitrary<Response.PartEncoded> =>
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text }),
    fc.record({ type: fc.constant("reasoning" as const), text }),
    query.map((query) => toolCall(`call-${index}`, { query })),
    query.map((query) => toolCall(`call-${index}`, { query, all: true })),
  )
const answer = fc
  .tuple(fc.tuple(part(0), part(1), part(2)), fc.constantFrom("stop" as const, "length" as const, "pause" as const))
  .map(([parts, reason]) => [...parts, finish(parts.some(({ type }) => type === "tool-call") ? "tool-calls" : reason)])
const script: fc.Arbitrary<Script> = fc.array(answer, { minLength: 1, maxLength: 8 })

/** The state of a client that reads events. A wrong order leaves something open, or ends what was not open. */
const grammar = (events: ReadonlyArray<ShownEvent>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const expect = (isSo: boolean, problem: string) => void (isSo || problems.push(problem))
  let inStep = false
  const texts = new Set<string>()
  const everText = new Set<string>()
  const calls = new Map<string, "started" | "called">()
  for (const event of events) {
    expect(inStep !== (event.type === "step-start"), `${event.type} ${inStep ? "within" : "outside"} a step`)
    switch (event.type) {
      case "step-start":
        inStep = true
        break
      case "text-start":
        expect(!everText.has(event.id), "the same text twice")
        texts.add(event.id)
        everText.add(event.id)
        break
      case "text-delta":
        expect(texts.has(event.id) && event.delta !== "", "a delta of no text")
        break
      case "text-end":
        expect(texts.delete(event.id), "an end of no text")
        break
      case "tool-start":
        expect(!calls.has(event.toolCallId), "a call started twice")
        calls.set(event.toolCallId, "started")
        break
      case "tool-call":
        expect(calls.get(event.call.toolCallId) === "started", "a call that did not start")
        calls.set(event.call.toolCallId, "called")
        break
      case "tool-outcome":
        expect(calls.get(event.call.toolCallId) === "called", "an outcome of no call")
        calls.delete(event.call.toolCallId)
        break
      case "step-end":
        expect(texts.size === 0 && calls.size === 0, "a step that ends too early")
        inStep = false
        break
      case "source":
        break
    }
  }
  expect(!inStep, "a step that does not end")
  return problems
}

const textsOf = (events: ReadonlyArray<ShownEvent>) =>
  events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("")

/** Steps without their timestamps, and without the parts of a prompt that only providers see. */
const timeless = (steps: ReadonlyArray<Step>) =>
  steps.map((step) => ({ ...step, response: { ...step.response, timestamp: "" } }))

describe("a stream", () => {
  test("results in the same reply as an answer in one piece, whatever the model does", () =>
    fc.assert(
      fc.asyncProperty(script, async (script) => {
        const whole = await Effect.runPromise(ask(new ScriptedModel(...script), {}))
        const { exit, steps } = await Effect.runPromise(stream(new ScriptedModel(...script)))
        const streamed = Exit.getSuccess(exit)
        expect(streamed._tag).toBe("Some")
        if (streamed._tag === "None") return
        const { steps: one, ...rest } = whole
        const { steps: other, ...more } = streamed.value
        expect(more).toEqual(rest)
        expect(timeless(other)).toEqual(timeless(one))
        expect(one).toMatchObject(steps.map(({ tokens: _, ...step }) => step))
      }),
    ))

  test("sends the model the same conversation in every step", () =>
    fc.assert(
      fc.asyncProperty(script, async (script) => {
        const [one, other] = [new ScriptedModel(...script), new ScriptedModel(...script)]
        await Effect.runPromise(ask(one, {}))
        await Effect.runPromise(stream(other))
        const shown = (model: ScriptedModel) => model.requests.map(({ prompt, toolChoice }) => ({ prompt, toolChoice }))
        expect(JSON.stringify(shown(other))).toBe(JSON.stringify(shown(one)))
      }),
    ))

  test("has all events in order, and every text as it will be stored", () =>
    fc.assert(
      fc.asyncProperty(script, async (script) => {
        const { events, steps } = await Effect.runPromise(stream(new ScriptedModel(...script)))
        expect(grammar(events)).toEqual([])
        expect(events.filter(({ type }) => type === "step-end")).toHaveLength(steps.length)
        expect(textsOf(events)).toBe(steps.map(({ text }) => text).join(""))
        expect(textsOf(events).isWellFormed()).toBe(true)
      }),
    ))

  test("has one event for deltas that were received together", async () => {
    const model = new ScriptedModel()
    const deltas = ["At ", "noon", "."].map((delta) => ({ type: "text-delta" as const, id: "a", delta }))
    model.thenPieces(
      [{ type: "text-start", id: "a" }, ...deltas, { type: "text-end", id: "a" }],
      Effect.void,
      undefined,
      5,
    )
    const { events } = await Effect.runPromise(stream(model))
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))).toEqual(["At noon."])
  })

  test("has events for the outcomes of calls, and marks failures", async () => {
    const model = new ScriptedModel(asks("refunds"), [toolCall("bad", {}), finish("tool-calls")], answers("ok"))
    const { events } = await Effect.runPromise(stream(model))
    const outcomes = events.flatMap((event) => (event.type === "tool-outcome" ? [event.outcome.isFailure] : []))
    expect(outcomes).toEqual([false, true])
  })
})

describe("a stream that is cut off", () => {
  const broken = new ProviderFailure({ kind: "failed", description: "secret", retryable: false })

  test("by a failure keeps the step so far, with the reported tokens and an estimate of the others", () =>
    fc.assert(
      fc.asyncProperty(text, text, fc.boolean(), async (first, second, told) => {
        const tokens = { input: 7, output: 1, cacheRead: 2, cacheWrite: 3 }
        const model = new ScriptedModel(asks("refunds"))
        model.thenPieces(
          [
            {
              type: "response-metadata",
              id: "r",
              modelId: "m",
              timestamp: new Date(0).toISOString(),
              ...(told && { metadata: { parley: { body: "", bodyLength: 2, headers: {}, warnings: [], tokens } } }),
            },
            { type: "text-start", id: "a" },
            { type: "text-delta", id: "a", delta: first },
            { type: "text-end", id: "a" },
            { type: "text-start", id: "b" },
            { type: "text-delta", id: "b", delta: second },
          ],
          Effect.fail(broken),
        )
        const { events, exit, steps } = await Effect.runPromise(stream(model))
        expect(Exit.isFailure(exit)).toBe(true)
        expect(steps).toHaveLength(2)
        expect(steps[1]?.text).toBe(textsOf(events))
        const came = Math.ceil((first.length + second.length) / 4)
        expect(steps[1]?.tokens).toMatchObject(told ? { input: 7, output: 1 + came } : { input: 0, output: came })
      }),
    ))

  test("before its first part leaves no step", async () => {
    const model = new ScriptedModel()
    model.thenPieces([], Effect.fail(broken))
    const { events, steps } = await Effect.runPromise(stream(model))
    expect([events, steps]).toEqual([[], []])
  })

  test("by an interruption stops the model, and keeps the step so far", async () => {
    let stopped = false
    const model = new ScriptedModel()
    model.thenPieces(
      [
        { type: "text-start", id: "a" },
        { type: "text-delta", id: "a", delta: "As far as this" },
      ],
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true))),
    )
    const steps: Array<KeptStep> = []
    const keep = keeping(steps)
    await Effect.runPromise(
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          ask(model, {
            isStreamed: true,
            emit: (event) => (event.type === "text-delta" ? Deferred.succeed(reached, undefined) : keep(event)),
          }),
        )
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
      }),
    )
    expect(stopped).toBe(true)
    expect(steps.map((step) => step.text)).toEqual(["As far as this"])
  })

  test("is not read further while its consumer is behind", async () => {
    let read = 0
    const model = new ScriptedModel()
    model.thenPieces(
      [
        { type: "text-start", id: "a" },
        ..."abcdef".split("").map((delta) => ({ type: "text-delta" as const, id: "a", delta })),
      ],
      Effect.void,
      () => read++,
    )
    await Effect.runPromise(
      Effect.gen(function* () {
        const full = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          ask(model, {
            isStreamed: true,
            emit: (event) =>
              event.type === "text-delta" && event.delta === "c"
                ? Effect.andThen(Deferred.succeed(full, undefined), Effect.never)
                : Effect.void,
          }),
        )
        yield* Deferred.await(full)
        // Turns in which the model could be read further.
        for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
        expect(read).toBeLessThanOrEqual(5)
        yield* Fiber.interrupt(fiber)
      }),
    )
  })
})
