import { eventsOf } from "./FakeAnthropic.ts"
import { type OddRequest, refusal } from "./OddServer.ts"
import type { Block } from "./Wire.ts"

/*
 * Gateways that speak Anthropic's form for models that are not Anthropic's, and as those do which people run.
 */

/** A way in which gateways differ from Anthropic. */
export interface GatewayMode {
  readonly name: string
  /** Changes the fields of a message and of its events, as the replacer of `JSON.stringify`. */
  readonly field?: (name: string, value: unknown) => unknown
  /** Changes the events of a stream, as they are sent. */
  readonly stream?: (frames: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The requests that are refused, and how. */
  readonly refuses?: readonly [(request: OddRequest) => boolean, () => Response]
}

const without =
  (...left: ReadonlyArray<string>) =>
  (name: string, value: unknown) =>
    left.includes(name) ? undefined : value
const drops = (text: string) => (frames: ReadonlyArray<string>) => frames.filter((frame) => !frame.includes(text))
const has = (text: string) => (request: OddRequest) => JSON.stringify(request).includes(text)

const gatewayModes: ReadonlyArray<GatewayMode> = [
  { name: "thinking without a signature", field: without("signature"), stream: drops("signature_delta") },
  { name: "a signature that is null", field: (name, value) => (name === "signature" ? null : value) },
  { name: "no counts of tokens", field: without("usage") },
  { name: "counts of another form", field: (name, value) => (name === "usage" ? { input_tokens: "many" } : value) },
  {
    name: "neither an id nor the model",
    field: (name, value) => (value === "msg_1" ? undefined : without("model")(name, value)),
  },
  { name: "a citation of another form", field: (name, value) => (name === "citations" ? [{ url: "a" }] : value) },
  {
    name: "events of unknown types",
    stream: (frames) => frames.flatMap((frame) => [frame, 'event: usage\ndata: {"type":"usage","total":1}\n\n']),
  },
  { name: "events without names", stream: (frames) => frames.map((frame) => frame.replace(/^event: .*\n/u, "")) },
  { name: "empty events as heartbeats", stream: (frames) => frames.flatMap((frame) => ["data:\n\n", frame]) },
  { name: "blocks that do not end", stream: drops("content_block_stop") },
  { name: "no reason of the end", field: without("stop_reason") },
  { name: "no end of the message", stream: drops("message_stop") },
  { name: "the end of OpenAI's streams", stream: (frames) => [...drops("message_")(frames), "data: [DONE]\n\n"] },
  {
    name: "cache_control refused",
    refuses: [
      has('"cache_control"'),
      refusal(400, {
        type: "error",
        error: { type: "invalid_request_error", message: "cache_control: Extra inputs are not permitted" },
      }),
    ],
  },
  {
    name: "search_result refused",
    refuses: [
      has('"search_result"'),
      refusal(400, {
        type: "error",
        error: {
          type: "invalid_request_error",
          message:
            "messages.2.content.0.tool_result.content.0: Input tag 'search_result' found using 'type' does not match any of the expected tags: 'text', 'image'",
        },
      }),
    ],
  },
]

/** The modes with the forms of answers, streamed or in one piece, in which they differ from Anthropic. */
export const gatewayForms = gatewayModes.flatMap((mode) =>
  [true, false]
    .filter((isStreamed) => isStreamed || mode.stream === undefined || mode.field !== undefined)
    .map((isStreamed) => ({ mode, isStreamed })),
)

/** Makes the answers of a gateway: first a search that was thought about, and then this text. */
export const gatewayAnswering =
  ({ field, refuses, stream = (frames) => frames }: GatewayMode, text: string, isStreamed: boolean) =>
  (request: OddRequest): Response => {
    if (refuses?.[0](request) === true) return refuses[1]()
    const isAsked = !JSON.stringify(request).includes('"tool_result"')
    const content: ReadonlyArray<Block> = isAsked
      ? [
          { type: "thinking", thinking: "I search.", signature: "abc" },
          { type: "tool_use", id: "toolu_1", name: "searchKnowledgeBase", input: { query: "tide" } },
        ]
      : [{ type: "text", text, citations: [] }]
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-m",
      content,
      stop_reason: isAsked ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 50, output_tokens: 40, cache_creation_input_tokens: null, cache_read_input_tokens: null },
    }
    const json = (value: object) => JSON.stringify(value, field && ((name, one: unknown) => field(name, one)))
    if (!isStreamed) return new Response(json(message), { headers: { "content-type": "application/json" } })
    const frames = eventsOf(message).map((event) => `event: ${Object(event).type}\ndata: ${json(event)}\n\n`)
    return new Response(stream(frames).join(""), { headers: { "content-type": "text/event-stream" } })
  }
