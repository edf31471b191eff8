import type { ContentBlockParam, MessageCreateParams, MessageParam } from "@anthropic-ai/sdk/resources/messages"
import type { Answer, Block, MessageAnswer, Recorded, Usage, Wire } from "./Wire.ts"

/*
 * Answers for a fake provider, and their form in Anthropic's Messages API. Requests that the real API refuses are
 * refused here too.
 */

export const fakeKey = "sk-ant-fake-key"

export const usage: Usage = {
  input_tokens: 50,
  output_tokens: 40,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 11,
}

export const message = (content: ReadonlyArray<Block>, stop: string): MessageAnswer => ({
  kind: "message",
  content,
  stop,
  usage,
})

export const says = (text: string, stop = "end_turn"): MessageAnswer => message([{ type: "text", text }], stop)

export const calls = (...queries: ReadonlyArray<string>): MessageAnswer =>
  message(
    queries.map((query, index) => ({
      type: "tool_use",
      id: `toolu_${query}_${index}`,
      name: "searchKnowledgeBase",
      input: { query },
    })),
    "tool_use",
  )

export const fails = (
  status: number,
  type: string,
  headers: Record<string, string> = {},
  message?: string,
): Answer => ({
  kind: "status",
  status,
  type,
  headers,
  message,
})

const wholeMessage = (answer: MessageAnswer, request: Recorded, count: number) => ({
  id: `msg_${count}`,
  type: "message",
  role: "assistant",
  model: String(JSON.parse(request.body).model),
  content: answer.content,
  stop_reason: answer.stop,
  stop_sequence: null,
  usage: answer.usage,
})

/** The events of a streamed message, with a ping. Text comes in two pieces, and so does the JSON of a tool's input. */
export const eventsOf = (whole: ReturnType<typeof wholeMessage>): ReadonlyArray<object> => [
  {
    type: "message_start",
    message: { ...whole, content: [], stop_reason: null, usage: { ...whole.usage, output_tokens: 1 } },
  },
  { type: "ping" },
  ...whole.content.flatMap((block, index) => blockEvents(block, index)),
  {
    type: "message_delta",
    delta: { stop_reason: whole.stop_reason, stop_sequence: null },
    usage: { output_tokens: whole.usage.output_tokens },
  },
  { type: "message_stop" },
]

const blockEvents = (block: Block, index: number): ReadonlyArray<object> => {
  const around = (start: object, deltas: ReadonlyArray<object>) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
  const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)]
  switch (block.type) {
    case "text":
      return around({ type: "text", text: "" }, [
        ...halves(block.text).map((text) => ({ type: "text_delta", text })),
        ...(block.citations ?? []).map((citation) => ({ type: "citations_delta", citation })),
      ])
    case "tool_use":
      return around(
        { ...block, input: {} },
        halves(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      )
    case "thinking":
      return around({ type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: block.thinking },
        { type: "signature_delta", signature: block.signature },
      ])
  }
}

/** The refusal of a request that the real API would refuse; undefined for any other. */
const problem = ({ body, headers }: Recorded): Answer | undefined => {
  if (headers["authorization"] !== `Bearer ${fakeKey}`) return fails(401, "authentication_error")
  if (headers["anthropic-version"] === undefined) return fails(400, "invalid_request_error")
  const params: MessageCreateParams & Record<string, unknown> = JSON.parse(body)
  const isSound =
    params.max_tokens > 0 &&
    ["temperature", "top_p", "top_k"].every((name) => !(name in params)) &&
    params.messages[0]?.role === "user" &&
    params.messages.flatMap(blocksOf).every(isSoundBlock) &&
    params.messages.every((message, index) => areAnswered(message, params.messages[index + 1])) &&
    (params.tools !== undefined || !params.messages.flatMap(blocksOf).some((block) => block.type === "tool_use"))
  return isSound ? undefined : fails(400, "invalid_request_error")
}

const blocksOf = (message: MessageParam): ReadonlyArray<ContentBlockParam> =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content

const isSoundBlock = (block: ContentBlockParam): boolean => {
  if (block.type === "text") return block.text.trim() !== ""
  if (block.type === "search_result") return block.content.length > 0 && block.content.every(isSoundBlock)
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return true
  return block.content.every((part) => part.type !== "search_result" || isSoundBlock(part))
}

const areAnswered = (message: MessageParam, next: MessageParam | undefined): boolean => {
  const asked = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
  const answered =
    next === undefined ? [] : blocksOf(next).flatMap((b) => (b.type === "tool_result" ? [b.tool_use_id] : []))
  return asked.length === 0 || (new Set(answered).size === asked.length && asked.every((id) => answered.includes(id)))
}

const frame = (event: object): string =>
  `event: ${"type" in event ? String(event.type) : ""}\ndata: ${JSON.stringify(event)}\n\n`

const error = (type: string, message: string) => ({ type: "error", error: { type, message } })

export const anthropicWire: Wire = {
  problem,
  whole: wholeMessage,
  frames: (answer, request, count) => eventsOf(wholeMessage(answer, request, count)).map(frame),
  frame,
  word: (text) => frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  begun: 4,
  error,
  overloaded: (message) => error("overloaded_error", message),
  headers: (count) => ({
    "request-id": `req_${count}`,
    "anthropic-ratelimit-requests-remaining": "99",
    "anthropic-organization-id": "org_secret",
    "set-cookie": "session=secret",
  }),
}
