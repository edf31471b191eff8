import { chunks, type OddRequest, pieces, refusal } from "./OddServer.ts"

/*
 * The ways in which model servers are odd, each of which was reported of one that people run.
 */

export const rolesOf = ({ messages }: OddRequest): ReadonlyArray<string> => messages.map(({ role }) => role)
const has = (name: string) => (request: OddRequest) => name in request
const event = (data: string) =>
  new Response(`event: error\ndata: ${data}\n\n`, { headers: { "content-type": "text/event-stream" } })

const call = { name: "searchKnowledgeBase", arguments: { query: "tide" } }
const llama = JSON.stringify({ name: call.name, parameters: call.arguments })
/** A call as the piece of a stream. */
export const calledTool = {
  id: "call_1",
  type: "function",
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
}

/** Cuts a text into pieces of this many characters. */
export const cut = (text: string, length: number): ReadonlyArray<string> =>
  text.match(new RegExp(`[\\s\\S]{1,${length}}`, "gu")) ?? []

/** What servers refuse, how, and whether a request has it. */
export const refusedParts: ReadonlyArray<readonly [string, () => Response, (request: OddRequest) => boolean]> = [
  [
    "max_tokens",
    refusal(400, {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: "max_tokens",
        code: "unsupported_parameter",
      },
    }),
    has("max_tokens"),
  ],
  [
    "a longer answer than the model makes",
    refusal(400, {
      error: { message: "max_tokens is too large: 4096. This model supports at most 2048 completion tokens" },
    }),
    ({ max_tokens = 0 }) => max_tokens > 2048,
  ],
  [
    "stream_options, with 422",
    refusal(422, { object: "error", message: { detail: [{ loc: ["body", "stream_options", "include_usage"] }] } }),
    has("stream_options"),
  ],
  [
    "stream_options, in other words",
    refusal(400, { error_code: "BAD_REQUEST", message: "Stream option 'include_usage' is not supported" }),
    has("stream_options"),
  ],
  [
    "the role system",
    refusal(400, { object: "error", message: "System role not supported", type: "BadRequestError", code: 400 }),
    (request) => rolesOf(request).includes("system"),
  ],
  [
    "the role system, with an error of the template",
    refusal(500, "Internal Server Error"),
    (request) => rolesOf(request).includes("system"),
  ],
  [
    "roles that do not alternate, where a system is none of them",
    refusal(400, {
      object: "error",
      message: "Conversation roles must alternate user/assistant/user/assistant/...",
      code: 400,
    }),
    (request) => rolesOf(request).some((role, index) => role !== (index % 2 === 0 ? "user" : "assistant")),
  ],
  [
    "additionalProperties",
    refusal(400, [
      {
        error: { code: 400, message: 'Unknown name "additionalProperties" at tools[0]', status: "INVALID_ARGUMENT" },
      },
    ]),
    (request) => JSON.stringify(request).includes('"additionalProperties"'),
  ],
]

/** How servers refuse tools. */
export const toolRefusals: ReadonlyArray<readonly [string, () => Response]> = [
  [
    "vLLM",
    refusal(400, {
      object: "error",
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: "BadRequestError",
      code: 400,
    }),
  ],
  ["Ollama", refusal(400, { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools" } })],
  ["OpenRouter", refusal(404, { error: { message: "No endpoints found that support tool use.", code: 404 } })],
  ["Groq", refusal(400, { error: { message: "`tool calling` is not supported with this model" } })],
  [
    "llama.cpp",
    refusal(500, { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } }),
  ],
]

/** Answers with reasoning in their text. */
export const reasonings: ReadonlyArray<readonly [string]> = [
  ["<think>\nHm.\n</think>\n\nAt six."],
  ["<think></think>\n\nAt six."],
  ["\n<thinking>Hm. </thinking>At six."],
  ["[THINK]Hm.[/THINK]\nAt six."],
  ["<thought>\nHm.\n</thought>\n<think>Again.</think>\nAt six."],
  ["<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>At six."],
]

/** Answers that look like reasoning or calls, and are neither. */
export const plainTexts: ReadonlyArray<readonly [string]> = [
  ["At six.\n```html\n<think>\nHm.\n</think>\n```\nThat is all."],
  ["The tag <think> begins it, and `</think>` ends it."],
  ["```\n<tool_call>\n{}\n```"],
  ["1 < 2, and [a list] of {things}"],
  ['{"name": "nobody", "parameters": {}}'],
  ['{"name": "searchKnowledgeBase", "parameters": {"other": 1}}'],
  ["```json\n[1, 2]\n```"],
  ["[1] says so.\n\n  Six <b>hours</b>\n`code`"],
]

/** Calls that are written as text. */
export const writtenCalls: ReadonlyArray<readonly [string]> = [
  [llama],
  [`\`\`\`json\n${llama}\n\`\`\``],
  [`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`],
  [`I look it up.\n<tool_call>${JSON.stringify(call)}</tool_call>`],
  [`[TOOL_CALLS][${JSON.stringify(call)}]`],
  [`<|python_tag|>${llama}`],
  [`<function=${call.name}>${JSON.stringify(call.arguments)}</function>`],
  [JSON.stringify({ type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } })],
  [`<think>I search.</think>\n${llama}`],
]

/** Answers of nothing. */
export const emptyAnswers: ReadonlyArray<readonly [string, () => Response]> = [
  ["nothing at all", () => pieces()],
  ["blanks", () => pieces("\n", "\n ")],
  ["reasoning alone", () => chunks([{ reasoning_content: "Hm." }])],
  ["reasoning alone, cut off", () => chunks([{ content: "<think>Hm." }], { end: "length" })],
  ["calls without calls", () => chunks([{ content: "" }], { end: "tool_calls" })],
  ["a filter", () => chunks([], { end: "content_filter" })],
]

/** Errors with status 200. */
export const errorsAsAnswers: ReadonlyArray<readonly [string, () => Response]> = [
  ["error", () => chunks([{ error: { message: "overloaded", code: 503 } }], { end: null })],
  ["a flat one", () => chunks([{ object: "error", message: "CUDA out of memory", code: 500 }], { end: null })],
  ["a detail", () => chunks([{ detail: "Model is loading" }], { end: null })],
  ["no success", () => chunks([{ choices: null, success: false, message: "No" }], { end: null })],
  ["base_resp", () => chunks([{ choices: null, base_resp: { status_code: 1008, status_msg: "no balance" } }])],
  ["a finish reason", () => chunks([], { end: "error" })],
  ["an event", () => event('{"message":"boom","status":500}')],
  ["an event in words", () => event("boom")],
  ["no stream", () => Response.json({ error: { message: "overloaded" } })],
]

/** What servers want back with the result of a call: the delta, where it stands in the message, and its value. */
export const wantedBack: ReadonlyArray<readonly [string, object, (message: object) => unknown, unknown]> = [
  [
    "a signature of what was thought",
    { tool_calls: [{ ...calledTool, index: 0, extra_content: { google: { thought_signature: "abc" } } }] },
    (message) => Object(message).tool_calls[0].extra_content,
    { google: { thought_signature: "abc" } },
  ],
  [
    "reasoning_content",
    { reasoning_content: "I search.", tool_calls: [{ ...calledTool, index: 0 }] },
    (message) => Object(message).reasoning_content,
    "I search.",
  ],
  [
    "reasoning_details",
    { reasoning_details: [{ type: "reasoning.encrypted", data: "abc" }], tool_calls: [{ ...calledTool, index: 0 }] },
    (message) => Object(message).reasoning_details,
    [{ type: "reasoning.encrypted", data: "abc" }],
  ],
]

/** Reasoning whose beginning the server keeps. */
export const headlessReasoning = "Hm.\n</think>\n\nAt six."

/** The types by which servers call a stream of events. */
export const streamTypes: ReadonlyArray<string> = [
  "text/plain",
  "Text/Event-Stream; charset=UTF-8",
  "application/json",
  "",
]
