import { describe, expect, test } from "bun:test"
import { promptParts } from "../../../src/web/console/screens/playground/Inspector.tsx"
import { briefly, passagesIn } from "../../../src/web/console/screens/playground/Passages.tsx"
import {
  advance,
  ended,
  modelCallsOf,
  newTrace,
  tokensOf,
  type Trace,
} from "../../../src/web/console/screens/playground/Trace.ts"
import { EventReader } from "../../../src/web/shared/EventStream.ts"

const passage = { title: "Tides", chunk: 2, content: "It turns at noon.", similarity: 0.71, document_id: "d1" }
const step = {
  stepType: "initial",
  finishReason: "tool-calls",
  usage: { promptTokens: 100, completionTokens: 20, totalTokens: 120 },
  experimental_providerMetadata: { anthropic: { cacheReadInputTokens: 50, cacheCreationInputTokens: null } },
  request: { body: '{"model":"claude","messages":[]}' },
  response: { modelId: "claude" },
  warnings: [{ type: "unsupported-setting", setting: "temperature" }],
}

/** A stream with a search and an answer. */
const wire = [
  { type: "start", messageId: "m1", messageMetadata: { session_id: "s1" } },
  { type: "start-step" },
  { type: "tool-input-start", toolCallId: "c1", toolName: "searchKnowledgeBase", dynamic: true },
  { type: "tool-input-available", toolCallId: "c1", toolName: "searchKnowledgeBase", input: { query: "tide" } },
  { type: "tool-output-available", toolCallId: "c1", output: [passage] },
  { type: "data-step", data: step, transient: true },
  { type: "finish-step" },
  { type: "start-step" },
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "At " },
  { type: "text-delta", id: "text-1", delta: "noon. ☀️" },
  { type: "text-end", id: "text-1" },
  { type: "source-document", sourceId: "d1#2", title: "Tides", providerMetadata: { parley: { chunk: 2, quote: "q" } } },
  { type: "finish-step" },
  { type: "finish", finishReason: "stop" },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join(": heartbeat\n\n")
  .concat("data: [DONE]\n\n")

/** The events of a stream, without its end, which is no JSON. */
const whole = new EventReader()
  .read(wire)
  .slice(0, -1)
  .map(({ data }): unknown => JSON.parse(data))

/** The trace of the events that show something, of which each comes 10 ms after the one before. */
const traced = (events: ReadonlyArray<unknown>): Trace =>
  events.reduce<Trace>((trace, event, index) => advance(trace, event, (index + 1) * 10), newTrace)

describe("a trace", () => {
  const trace = traced(whole)

  test("of a spoken turn tells what was understood, and the times of the server", () => {
    const spoken = traced([
      { type: "data-transcript", data: { text: "When is the tide?" }, transient: true },
      ...whole,
      { type: "data-timings", data: { transcription_ms: 120, first_audio_ms: null }, transient: true },
    ])
    expect([spoken.transcript, spoken.timings]).toEqual([
      "When is the tide?",
      { transcription_ms: 120, first_audio_ms: null },
    ])
    expect([trace.transcript, trace.timings]).toEqual([undefined, {}])
  })

  test("has the calls of the model with their tools, tokens and what was sent", () => {
    expect(trace).toMatchObject({
      state: "finished",
      sessionId: "s1",
      latest: 150,
    })
    expect(trace.rows).toMatchObject([
      { key: "model-1", start: 0, begun: 20, end: 40 },
      { key: "c1", start: 40, end: 50, output: [passage], error: undefined },
      { key: "model-2", start: 70, begun: 80, end: 140, text: "At noon. ☀️" },
    ])
    const [call] = modelCallsOf(trace)
    expect(call?.facts).toEqual({
      model: "claude",
      finishReason: "tool-calls",
      promptTokens: 100,
      completionTokens: 20,
      cacheReadTokens: 50,
      cacheWriteTokens: 0,
      request: '{"model":"claude","messages":[]}',
      warnings: ["Not supported: temperature"],
    })
    expect(tokensOf(trace)).toEqual({ input: 150, cached: 50, output: 20 })
    expect(trace).toMatchObject({ text: "At noon. ☀️", firstText: 100 })
    expect(trace.quotes).toMatchObject([{ title: "Tides", chunk: 2, content: "q" }])
  })

  test("leaves open what goes on", () => {
    expect(traced(whole.slice(0, 4)).rows).toMatchObject([
      { key: "model-1", end: 40 },
      { key: "c1", end: undefined },
    ])
  })

  test("begins a paragraph after tools were called, and goes on in its own where none was", () => {
    const step = (delta: string) => [{ type: "start-step" }, { type: "text-delta", delta }, { type: "finish-step" }]
    const tool = { type: "tool-input-available", toolCallId: "c1", toolName: "look", input: {} }
    expect(traced([...step("One"), ...step(" two."), tool, ...step("Three.")]).text).toBe("One two.\n\nThree.")
  })

  test("ends whatever goes on when it is stopped or fails, at every moment", () => {
    for (const count of whole.keys()) {
      const stopped = ended(traced(whole.slice(0, count)), "stopped", 500)
      expect(stopped.rows.every(({ end = Infinity }) => end <= 500)).toBeTrue()
    }
    const failed = advance(traced(whole.slice(0, 4)), { type: "error", errorText: "Gone" }, 60)
    expect(failed).toMatchObject({ state: "failed", error: "Gone", latest: 60 })
    expect(failed.rows[1]).toMatchObject({ error: "Not finished." })
  })

  test("says why the model did not answer, and why another one did", () => {
    const explanation = { reason: "404 It is retired", advice: "Choose another model." }
    const events = [
      { type: "data-explanation", data: explanation },
      { type: "error", errorText: "It failed." },
    ]
    expect(traced(events)).toMatchObject({ state: "failed", error: "It failed.", explanation })
    const warnings = [{ type: "other", message: "A could not answer; B answered instead.", details: "404 Retired" }]
    const answered = traced([{ type: "start-step" }, { type: "data-step", data: { ...step, warnings } }])
    expect(modelCallsOf(answered)[0]?.facts?.warnings).toEqual(["A could not answer; B answered instead. 404 Retired"])
  })

  test("passes over events that are no JSON, or of a kind that is not known", () => {
    expect(traced([undefined, 3, { type: "reasoning-start" }, ...whole]).text).toBe("At noon. ☀️")
  })

  test("has no call of a model for what the server said without one", () => {
    const said = traced([{ type: "text-delta", delta: "Your address?" }, { type: "finish" }])
    expect(said).toMatchObject({ text: "Your address?", rows: [] })
  })
})

describe("what a tool was asked and answered", () => {
  test("is shown as passages for a search of the knowledge base alone", () => {
    expect(passagesIn("searchKnowledgeBase", [passage])).toEqual([
      {
        title: "Tides",
        chunk: 2,
        section: undefined,
        url: undefined,
        content: "It turns at noon.",
        similarity: 0.71,
        documentId: "d1",
      },
    ])
    expect(passagesIn("searchKnowledgeBase", { error: "No" })).toBeUndefined()
    expect(passagesIn("orderStatus", [passage])).toBeUndefined()
  })

  test("is told in few words", () => {
    expect(briefly({ query: "tide" })).toBe("tide")
    expect(briefly({ a: 1, b: "x" })).toBe('{"a":1,"b":"x"}')
    expect(briefly(undefined)).toBe("null")
  })
})

describe("a prompt", () => {
  test("of Anthropic's form is shown by its parts", () => {
    const body = JSON.stringify({
      model: "claude",
      max_tokens: 10,
      system: [{ type: "text", text: "Be kind." }],
      tools: [{ name: "search" }],
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", name: "search" }] },
      ],
    })
    const parts = promptParts(body)
    expect(parts.map(({ role }) => role)).toEqual(["settings", "system", "tools", "user", "assistant"])
    expect(parts[1]?.text).toBe("Be kind.")
    expect(parts[0]?.text).toContain('"max_tokens": 10')
    expect(parts[4]?.text).toContain('"tool_use"')
  })

  test("of OpenAI's form is shown by its parts", () => {
    const body = JSON.stringify({
      model: "gpt",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "assistant", content: null, tool_calls: [{ id: "c" }] },
      ],
    })
    expect(promptParts(body).map(({ role, text }) => [role, text.includes('"id": "c"')])).toEqual([
      ["settings", false],
      ["system", false],
      ["assistant", true],
    ])
  })

  test("of another form is shown whole", () => {
    for (const text of ["", "x", "[]", "{}"]) expect(promptParts(text)).toEqual([{ role: "request", text }])
  })
})
