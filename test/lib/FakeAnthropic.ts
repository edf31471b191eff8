import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { ContentBlockParam, MessageCreateParams, MessageParam } from "@anthropic-ai/sdk/resources/messages"
import { Effect, type Scope } from "effect"

/*
 * A server that speaks the Messages API over HTTP, so that the real SDK is under test. Requests that the real API
 * refuses are refused here too. `node:http` and not `Bun.serve`, since faults need the bare socket.
 */

export const fakeKey = "sk-ant-fake-key"

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }

interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number | null
  readonly cache_read_input_tokens: number | null
}

/** How the server answers one request. */
export type Answer =
  | { readonly kind: "message"; readonly content: ReadonlyArray<Block>; readonly stop: string; readonly usage: Usage }
  | {
      readonly kind: "status"
      readonly status: number
      readonly type: string
      readonly headers: Record<string, string>
    }
  /** A body as it is, with status 200. */
  | { readonly kind: "raw"; readonly body: string; readonly contentType: string }
  /** Events as they are, then the end of the body, a dropped socket, or silence. */
  | { readonly kind: "events"; readonly events: ReadonlyArray<object>; readonly ending: "end" | "reset" | "hang" }
  | { readonly kind: "hang" }
  /** Headers and half a body, then silence or a dropped socket. */
  | { readonly kind: "half"; readonly ending: "reset" | "hang" }
  | { readonly kind: "reset" }

export const usage: Usage = {
  input_tokens: 50,
  output_tokens: 40,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 11,
}

export const message = (content: ReadonlyArray<Block>, stop: string): Answer => ({
  kind: "message",
  content,
  stop,
  usage,
})

export const says = (text: string, stop = "end_turn"): Answer => message([{ type: "text", text }], stop)

export const calls = (...queries: ReadonlyArray<string>): Answer =>
  message(
    queries.map((query, index) => ({
      type: "tool_use",
      id: `toolu_${query}_${index}`,
      name: "searchKnowledgeBase",
      input: { query },
    })),
    "tool_use",
  )

export const fails = (status: number, type: string, headers: Record<string, string> = {}): Answer => ({
  kind: "status",
  status,
  type,
  headers,
})

export interface Recorded {
  readonly headers: IncomingHttpHeaders
  /** The body as it came over the wire. */
  readonly body: string
}

export interface FakeAnthropic {
  readonly url: string
  readonly requests: ReadonlyArray<Recorded>
  /** How many clients hung up on an answer that never came to its end. */
  readonly hungUp: () => number
}

/** Answers the requests in turn; the last answer is given again and again. */
export const fakeAnthropic = (...answers: ReadonlyArray<Answer>): Effect.Effect<FakeAnthropic, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(answers)),
    ({ close }) => Effect.promise(close),
  )

const start = async (answers: ReadonlyArray<Answer>) => {
  const requests: Array<Recorded> = []
  let hungUp = 0
  const server = createServer(async (request, response) => {
    const recorded = { headers: request.headers, body: await readBody(request) }
    requests.push(recorded)
    const problem = problemOf(recorded)
    const answer = problem ?? answers[Math.min(requests.length, answers.length) - 1] ?? says("ok")
    if (leavesWaiting(answer)) response.on("close", () => hungUp++)
    send(response, answer, recorded, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hungUp: () => hungUp,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const leavesWaiting = (answer: Answer): boolean =>
  answer.kind === "hang" || ("ending" in answer && answer.ending === "hang")

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body
}

const send = (response: ServerResponse, answer: Answer, request: Recorded, count: number): void => {
  const headers = {
    "request-id": `req_${count}`,
    "anthropic-ratelimit-requests-remaining": "99",
    "anthropic-organization-id": "org_secret",
    "set-cookie": "session=secret",
  }
  const wantsStream = JSON.parse(request.body).stream === true
  switch (answer.kind) {
    case "message": {
      const whole = wholeMessage(answer, request, count)
      if (wantsStream) return sendEvents(response, headers, eventsOf(whole), "end")
      response.writeHead(200, { ...headers, "content-type": "application/json" })
      return void response.end(JSON.stringify(whole))
    }
    case "status": {
      response.writeHead(answer.status, { ...headers, "content-type": "application/json", ...answer.headers })
      const error = { type: answer.type, message: "internal words of the provider" }
      return void response.end(JSON.stringify({ type: "error", error, request_id: headers["request-id"] }))
    }
    case "raw":
      response.writeHead(200, { ...headers, "content-type": answer.contentType })
      return void response.end(answer.body)
    case "events":
      return sendEvents(response, headers, answer.events, answer.ending)
    case "half":
      response.writeHead(200, {
        ...headers,
        "content-type": wantsStream ? "text/event-stream" : "application/json",
        "content-length": "1000",
      })
      response.write(`${wantsStream ? "data: " : ""}{"id":"msg_1","type":"message","content":[{"type":"text","te`)
      return end(response, answer.ending)
    case "reset":
      return end(response, "reset")
    case "hang":
      return
  }
}

const end = (response: ServerResponse, what: "end" | "reset" | "hang"): void => {
  if (what === "end") response.end()
  if (what === "reset") setTimeout(() => response.socket?.destroy(), 20)
}

const sendEvents = (
  response: ServerResponse,
  headers: Record<string, string>,
  events: ReadonlyArray<object>,
  what: "end" | "reset" | "hang",
): void => {
  response.writeHead(200, { ...headers, "content-type": "text/event-stream" })
  for (const event of events) {
    response.write(`event: ${"type" in event ? String(event.type) : ""}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  end(response, what)
}

const wholeMessage = (answer: Extract<Answer, { kind: "message" }>, request: Recorded, count: number) => ({
  id: `msg_${count}`,
  type: "message",
  role: "assistant",
  model: String(JSON.parse(request.body).model),
  content: answer.content,
  stop_reason: answer.stop,
  stop_sequence: null,
  usage: answer.usage,
})

/** A message as the API streams it: text in two pieces, input as JSON in two pieces, a ping between. */
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
      return around(
        { type: "text", text: "" },
        halves(block.text).map((text) => ({ type: "text_delta", text })),
      )
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

/** What the real API refuses. */
const problemOf = ({ body, headers }: Recorded): Answer | undefined => {
  if (headers.authorization !== `Bearer ${fakeKey}`) return fails(401, "authentication_error")
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

const isSoundBlock = (block: ContentBlockParam): boolean => block.type !== "text" || block.text.trim() !== ""

const areAnswered = (message: MessageParam, next: MessageParam | undefined): boolean => {
  const asked = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
  const answered =
    next === undefined ? [] : blocksOf(next).flatMap((b) => (b.type === "tool_result" ? [b.tool_use_id] : []))
  return asked.length === 0 || (new Set(answered).size === asked.length && asked.every((id) => answered.includes(id)))
}
