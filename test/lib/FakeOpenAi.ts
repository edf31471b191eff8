import { fails } from "./FakeAnthropic.ts"
import type { MessageAnswer, Recorded, Wire } from "./Wire.ts"

/*
 * The answers of a fake provider in the form of OpenAI's chat completions, as strict as OpenAI's own server. Tests send
 * what other servers do differently as raw answers.
 */

export const fakeOpenAiKey = "sk-fake-openai-key"

const finishReasons: { readonly [stop: string]: string } = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
}

const textOf = ({ content }: MessageAnswer): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

const callsOf = ({ content }: MessageAnswer) =>
  content.flatMap((block) =>
    block.type === "tool_use"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  )

const usageOf = ({ usage }: MessageAnswer) => {
  const cached = usage.cache_read_input_tokens ?? 0
  return {
    prompt_tokens: usage.input_tokens + cached,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.input_tokens + cached + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

const head = (request: Recorded, count: number, object: string) => ({
  id: `chatcmpl-${count}`,
  object,
  created: 1_700_000_000,
  model: String(JSON.parse(request.body).model),
})

const whole: Wire["whole"] = (answer, request, count) => {
  const calls = callsOf(answer)
  const text = textOf(answer)
  return {
    ...head(request, count, "chat.completion"),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text || null, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
        finish_reason: finishReasons[answer.stop] ?? answer.stop,
        logprobs: null,
      },
    ],
    usage: usageOf(answer),
  }
}

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

/**
 * The frames of a streamed answer: text in two pieces, and arguments in two pieces after the name of their function.
 */
const frames: Wire["frames"] = (answer, request, count) => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    frame({ ...head(request, count, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] })
  const text = textOf(answer)
  const half = Math.floor(text.length / 2)
  return [
    chunk({ role: "assistant", content: "" }),
    ...(text === "" ? [] : [chunk({ content: text.slice(0, half) }), chunk({ content: text.slice(half) })]),
    ...callsOf(answer).flatMap((call, index) => {
      const { arguments: json, name } = call.function
      const pieces = [json.slice(0, json.length / 2), json.slice(json.length / 2)]
      return [
        chunk({ tool_calls: [{ ...call, index, function: { name, arguments: "" } }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]
    }),
    chunk({}, finishReasons[answer.stop] ?? answer.stop),
    frame({ ...head(request, count, "chat.completion.chunk"), choices: [], usage: usageOf(answer) }),
    "data: [DONE]\n\n",
  ]
}

const word: Wire["word"] = (content, request, count) =>
  frame({
    ...head(request, count, "chat.completion.chunk"),
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })

const error = (type: string, message: string) => ({ error: { message, type, param: null, code: null } })

interface Sent {
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content: unknown
    readonly tool_call_id?: string
    readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { readonly arguments: string } }>
  }>
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage: boolean }
}

/**
 * The refusal of what OpenAI refuses: tool calls whose results do not follow at once, and arguments that are not JSON.
 */
const problem: Wire["problem"] = ({ body, headers }) => {
  const { messages, stream, stream_options }: Sent = JSON.parse(body)
  if (headers["authorization"] !== undefined && headers["authorization"] !== `Bearer ${fakeOpenAiKey}`) {
    return fails(401, "invalid_api_key")
  }
  const isSound = messages.every(({ content, role, tool_calls = [] }, index) => {
    const answers = new Set(messages.slice(index + 1, index + 1 + tool_calls.length).map((next) => next.tool_call_id))
    for (const call of tool_calls) JSON.parse(call.function.arguments)
    return (
      (typeof content === "string" ||
        (role === "user" && Array.isArray(content)) ||
        (role === "assistant" && tool_calls.length > 0)) &&
      tool_calls.every(({ id }) => answers.has(id))
    )
  })
  return isSound && (stream !== true || stream_options?.include_usage === true)
    ? undefined
    : fails(400, "invalid_request_error")
}

export const openAiWire: Wire = {
  problem,
  whole,
  frames,
  frame,
  word,
  begun: 2,
  error,
  overloaded: (message) => ({ error: { message, type: "server_error", param: null, code: 503 } }),
  headers: (count) => ({
    "x-request-id": `req_${count}`,
    "x-ratelimit-remaining-requests": "99",
    "openai-organization": "org_secret",
    "set-cookie": "session=secret",
  }),
}
