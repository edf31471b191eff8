import { describe, expect, test } from "bun:test"
import { uiMessageChunkSchema } from "ai"
import { ProviderFailed } from "../../../src/domain/Errors.ts"
import { MessageId, SessionId } from "../../../src/domain/Ids.ts"
import { CompletionChunks } from "../../../src/http/streams/Completions.ts"
import type { Protocol } from "../../../src/http/streams/Streaming.ts"
import { UiMessages } from "../../../src/http/streams/UiMessages.ts"
import type { ChatAnswer, ChatEvent } from "../../../src/services/conversations/ChatAnswer.ts"
import { stepCost, stepOf } from "../../lib/Chatting.ts"

const id = "01a1f95a-af18-7790-86b8-edc5c6780a50"
const session_id = SessionId.make(id)
const message_id = MessageId.make(id)
const calls = ["1", "2"].map((toolCallId) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName: "searchKnowledgeBase",
  args: { query: "tides" },
}))
const source = { document_id: id, title: "Tides", chunk: 3, page: 7, quote: "It turns at noon." }

const stepStart: ChatEvent = {
  type: "step-start",
  look: () => ({ type: "step-made", step: stepOf(""), cost: stepCost }),
}

/** The events of a reply with two steps: a text with two tool calls, one of which fails, and a text with a source. */
const events: ReadonlyArray<ChatEvent> = [
  { type: "start", session_id, message_id, notices: [] },
  stepStart,
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: "Let me look." },
  { type: "text-end", id: "text-1" },
  ...calls.flatMap((call): ReadonlyArray<ChatEvent> => [
    { type: "tool-start", toolCallId: call.toolCallId, toolName: call.toolName },
    { type: "tool-call", call },
  ]),
  ...calls.map((call, index): ChatEvent => {
    const outcome = index === 0 ? { result: [], isFailure: false } : { result: { error: "no" }, isFailure: true }
    return { type: "tool-outcome", call, outcome }
  }),
  { type: "step-end", step: stepOf("Let me look.") },
  stepStart,
  { type: "text-start", id: "text-2" },
  { type: "text-delta", id: "text-2", delta: "At " },
  { type: "text-delta", id: "text-2", delta: "noon." },
  { type: "text-end", id: "text-2" },
  { type: "source", source },
  { type: "step-end", step: stepOf("At noon.") },
]

const answer: ChatAnswer = {
  session_id,
  message_id,
  notices: [],
  written_by: "model",
  finish_reason: "stop",
  output: "At noon.",
  sources: [source],
  unsupported: [],
  steps: [],
  tool_calls: [],
  tool_results: [],
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
}

const failure = new ProviderFailed({ detail: "The model provider failed to answer." })

/** Every early end of a reply: after each number of events, by a failure or by an abort. */
const endings = events.flatMap((_, count) => [
  ["fails", count + 1, (protocol: Protocol) => protocol.failed(failure)] as const,
  ["is given up", count + 1, (protocol: Protocol) => protocol.aborted("The server shut down.")] as const,
])

const framesOf = (protocol: Protocol, count: number, end: (protocol: Protocol) => string) => {
  const text =
    events
      .slice(0, count)
      .map((event) => protocol.event(event))
      .join("") + end(protocol)
  const frames = text.split("\n\n")
  expect([frames.at(-2), frames.at(-1)]).toEqual(["data: [DONE]", ""])
  return frames.slice(0, -2).map((frame) => JSON.parse(frame.slice("data: ".length)))
}

describe("the AI SDK's UI messages", () => {
  test("of a complete reply have its sources", async () => {
    const frames = framesOf(new UiMessages(), events.length, (protocol) => protocol.finished(answer))
    const schema = uiMessageChunkSchema()
    for (const frame of frames) expect(await schema.validate?.(frame)).toMatchObject({ success: true })
    expect(frames.find(({ type }) => type === "source-document")).toEqual({
      type: "source-document",
      sourceId: `${id}#3`,
      mediaType: "text/plain",
      title: "Tides",
      providerMetadata: { parley: { document_id: id, chunk: 3, page: 7, quote: "It turns at noon." } },
    })
    expect(frames.at(-1)).toEqual({ type: "finish", finishReason: "stop", messageMetadata: { written_by: "model" } })
  })

  test("name the page of a source that has an address", async () => {
    const url = "https://docs.example.com/tides#:~:text=noon"
    const [chunk] = new UiMessages().event({ type: "source", source: { ...source, url } }).split("\n\n")
    const frame = JSON.parse((chunk ?? "").slice("data: ".length))
    expect(await uiMessageChunkSchema().validate?.(frame)).toMatchObject({ success: true })
    expect(frame).toMatchObject({ type: "source-url", sourceId: `${id}#3`, url, title: "Tides" })
  })

  test("close every open part, wherever the reply is cut off", () => {
    for (const [kind, count, end] of endings) {
      const frames = framesOf(new UiMessages(), count, end)
      const counted = (type: string) => frames.filter((frame) => frame.type === type).length
      expect([kind, count, counted("start")]).toEqual([kind, count, 1])
      expect(counted("start-step")).toBe(counted("finish-step"))
      expect(counted("text-start")).toBe(counted("text-end"))
      expect(counted("tool-input-start")).toBe(counted("tool-output-available") + counted("tool-output-error"))
      expect(frames[0]?.type).toBe("start")
      expect(frames.at(-1)?.type).toBe(kind === "fails" ? "error" : "abort")
      const depth = frames.map(({ type }) => (type === "start-step" ? 1 : type === "finish-step" ? -1 : 0))
      expect(depth.reduce((sum: number, one) => sum + one, 0)).toBe(0)
    }
  })
})

describe("OpenAI's chunks", () => {
  const chunks = () => new CompletionChunks({ model: "support", created: 1, includeUsage: true })

  test("of a complete reply have its text and its tokens, with cached ones among the prompt's", () => {
    const frames = framesOf(chunks(), events.length, (protocol) => protocol.finished(answer))
    const text = frames.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
    expect(text).toBe("Let me look.\n\nAt noon.")
    expect(frames.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10, prompt_tokens_details: { cached_tokens: 3 } },
    })
  })

  test("end with an error, wherever the reply is cut off", () => {
    for (const [kind, count, end] of endings) {
      const frames = framesOf(chunks(), count, end)
      const code = kind === "fails" ? "provider_failed" : "unavailable"
      expect(frames.at(-1)?.error).toMatchObject({ type: "server_error", param: null, code })
      expect(frames.slice(0, -1).every(({ object }) => object === "chat.completion.chunk")).toBe(true)
    }
  })
})
