import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { failureOfStatus } from "../../../src/models/calls/ProviderFailure.ts"
import { mended } from "../../../src/models/calls/Remedies.ts"
import { WrittenText } from "../../../src/models/openai/Written.ts"
import { ask, emits, input, passage } from "../../lib/OddReplies.ts"
import { chunks, type OddRequest, pieces, refusal } from "../../lib/OddServer.ts"

const rolesOf = ({ messages }: OddRequest) => messages.map(({ role }) => role)

describe("what a server refuses is left out of the request, and of the next ones:", () => {
  const has = (name: string) => (request: OddRequest) => name in request
  test.each<readonly [string, () => Response, (request: OddRequest) => boolean]>([
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
  ])("%s", async (_, refused, isRefused) => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask((request) => (isRefused(request) ? refused() : pieces("At six.")), {
        times: 2,
        ...way,
      })
      expect(replies.map(({ output }) => output)).toEqual(["At six.", "At six."])
      expect(requests.map(isRefused)).toEqual([true, false, false])
      const [first, second] = replies.map(({ steps }) => steps[0]?.warnings)
      expect(first).toEqual([{ type: "other", message: expect.stringContaining("is refused by the model's server.") }])
      expect(second).toEqual(first)
    }
  })

  test("the temperature", async () => {
    const { replies, requests } = await ask(
      (request) =>
        "temperature" in request
          ? refusal(400, { error: { message: "Unsupported value: 'temperature' does not support 0.5" } })()
          : pieces("At six."),
      { bounds: { temperature: 0.5 } },
    )
    expect(replies[0]?.output).toBe("At six.")
    expect(requests).toHaveLength(2)
  })

  test("a message with calls and without content", async () => {
    const called = { index: 0, id: "c1", function: { name: "searchKnowledgeBase", arguments: '{"query":"tide"}' } }
    const { replies, requests } = await ask(({ messages }, count) => {
      if (count === 1) return chunks([{ tool_calls: [called] }])
      return messages.some(({ content }) => content === null)
        ? refusal(400, { error: "Invalid 'content': 'content' field must be a string or an array of objects." })()
        : pieces("At six.")
    })
    expect(replies[0]?.output).toBe("At six.")
    expect(requests).toHaveLength(3)
  })

  test.each([
    [
      "cache_control: Extra inputs are not permitted",
      { cache_control: { type: "ephemeral" }, max_tokens: 1 },
      { max_tokens: 1 },
    ],
    [
      "Input tag 'search_result' found using 'type' does not match any of the expected tags",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "search_result", source: "s", title: "Tides", content: [{ type: "text", text: "At six." }] },
            ],
          },
        ],
      },
      { messages: [{ role: "user", content: [{ type: "text", text: "Tides\ns\nAt six." }] }] },
    ],
  ])("of Anthropic's form: %s", (said, body, expected) => {
    const failure = failureOfStatus({ status: 400, description: `400 ${said}`, headers: undefined, now: 0 })
    expect(JSON.parse(mended(failure, JSON.stringify(body))?.body ?? "")).toEqual(expected)
  })

  test("several of them in one reply", async () => {
    const { replies, requests } = await ask((request) => {
      if (request.stream_options !== undefined) return refusal(400, { detail: "stream_options: extra fields" })()
      if (rolesOf(request).includes("system")) return refusal(400, { message: "System role not supported" })()
      return pieces("At six.")
    })
    expect(replies[0]?.output).toBe("At six.")
    expect(requests).toHaveLength(3)
  })

  test("nothing is remembered of what did not help", async () => {
    const { requests } = await ask(
      (_, count) => (count < 3 ? refusal(500, "Internal Server Error")() : pieces("At six.")),
      {
        times: 2,
      },
    )
    expect(requests.map((request) => rolesOf(request)[0])).toEqual(["system", "user", "user", "system"])
  })
})

describe("where tools are refused, the knowledge base is searched before, and the passages stand in the prompt:", () => {
  test.each<readonly [string, () => Response]>([
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
  ])("%s", async (_, refused) => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask(({ tools }) => (tools === undefined ? pieces("At six.") : refused()), {
        times: 2,
        ...way,
      })
      expect(replies.map(({ output }) => output)).toEqual(["At six.", "At six."])
      expect(requests.map(({ tools }) => tools !== undefined)).toEqual([true, false, false])
      expect(JSON.stringify(requests[1]?.messages)).toContain(passage.content)
    }
  })

  const refused = refusal(400, { error: { message: "tools[1]: format is not supported" } })

  test("which is not remembered of a chatbot's own tool, since other chatbots have others", async () => {
    const tool = {
      name: "order",
      description: "",
      inputSchema: {},
      decode: (params: unknown) => Effect.succeed(params),
      run: () => Effect.never,
    }
    const { requests } = await ask(({ tools }) => (tools === undefined ? pieces("At six.") : refused()), {
      times: 2,
      tools: [tool],
    })
    expect(requests.map(({ tools }) => tools !== undefined)).toEqual([true, false, true, false])
  })

  test("which is not remembered of the first model where a fallback refuses them", async () => {
    const { replies, requests } = await ask(
      ({ model, tools }, count) => {
        if (model === "m") return count > 4 ? pieces("At six.") : refusal(402, { error: "Insufficient credits" })()
        return tools === undefined ? pieces("At seven.") : refused()
      },
      { times: 2, fallbackModels: ["openai/other"] },
    )
    expect(replies.map(({ output }) => output)).toEqual(["At seven.", "At six."])
    expect(requests.map(({ model, tools }) => [model, tools !== undefined])).toEqual([
      ["m", true],
      ["other", true],
      ["m", false],
      ["other", false],
      ["m", true],
    ])
  })

  test("which is not believed where a server repeats the visitor's words", async () => {
    const content = "Your tools are not supported."
    const made = ask(() => refusal(400, { error: { message: `Invalid input: ${content}` } })(), {
      history: [{ role: "user", content }],
    })
    await expect(made).rejects.toThrow()
  })
})

describe("only the answer is the answer:", () => {
  /** Cuts a text into pieces of this many characters. */
  const cut = (text: string, length: number) => text.match(new RegExp(`[\\s\\S]{1,${length}}`, "gu")) ?? []
  const ways = [{}, emits]

  test.each([
    ["<think>\nHm.\n</think>\n\nAt six."],
    ["<think></think>\n\nAt six."],
    ["\n<thinking>Hm. </thinking>At six."],
    ["[THINK]Hm.[/THINK]\nAt six."],
    ["<thought>\nHm.\n</thought>\n<think>Again.</think>\nAt six."],
    ["<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>At six."],
  ])("reasoning as %j is not shown", async (text) => {
    for (const length of [1, 3, 7, 500])
      for (const way of ways) {
        const { replies } = await ask(() => pieces(...cut(text, length)), way)
        expect(replies[0]?.output).toBe("At six.")
        expect(replies[0]?.steps[0]?.text).toBe("At six.")
      }
  })

  test.each([
    ["At six.\n```html\n<think>\nHm.\n</think>\n```\nThat is all."],
    ["The tag <think> begins it, and `</think>` ends it."],
    ["```\n<tool_call>\n{}\n```"],
    ["1 < 2, and [a list] of {things}"],
    ['{"name": "nobody", "parameters": {}}'],
    ['{"name": "searchKnowledgeBase", "parameters": {"other": 1}}'],
    ["```json\n[1, 2]\n```"],
    ["[1] says so.\n\n  Six <b>hours</b>\n`code`"],
  ])("a text that speaks of tags stays: %j", async (text) => {
    for (const length of [1, 3, 7, 500])
      for (const way of ways) {
        const { replies } = await ask(() => pieces(...cut(text, length)), way)
        expect(replies[0]?.output).toBe(text)
      }
  })

  test("reasoning whose beginning the server keeps is told by its end, in streams from the second answer on", async () => {
    const text = "Hm.\n</think>\n\nAt six."
    for (const length of [1, 7, 500]) {
      const { replies } = await ask(() => pieces(...cut(text, length)))
      expect(replies[0]?.output).toBe("At six.")
      const { replies: streamed } = await ask(
        (_, count) => pieces(...cut(count === 3 ? "Now at seven." : text, length)),
        { ...emits, times: 3 },
      )
      expect(streamed.slice(1).map(({ output }) => output)).toEqual(["At six.", "Now at seven."])
    }
  })

  test("an answer that does not begin with the reasoning that was expected is held back, and says so", () => {
    const text = new WrittenText([], false, "</think>")
    expect(text.add("At ")).toEqual([])
    expect(text.add("six.")).toEqual([])
    expect(text.end()).toEqual({ pieces: [{ kind: "text", text: "At six." }], calls: [] })
    expect(text.hasGuessedWrong).toBe(true)
  })

  const call = { name: "searchKnowledgeBase", arguments: { query: "tide" } }
  const llama = JSON.stringify({ name: call.name, parameters: call.arguments })
  test.each([
    [llama],
    [`\`\`\`json\n${llama}\n\`\`\``],
    [`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`],
    [`I look it up.\n<tool_call>${JSON.stringify(call)}</tool_call>`],
    [`[TOOL_CALLS][${JSON.stringify(call)}]`],
    [`<|python_tag|>${llama}`],
    [`<function=${call.name}>${JSON.stringify(call.arguments)}</function>`],
    [JSON.stringify({ type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } })],
    [`<think>I search.</think>\n${llama}`],
  ])("a call that is written as text is a call: %j", async (text) => {
    for (const length of [1, 7, 500])
      for (const way of ways) {
        const { replies, requests } = await ask(
          (_, count) => (count === 1 ? pieces(...cut(text, length)) : pieces("At six.")),
          way,
        )
        expect(replies[0]?.output).toBe("At six.")
        expect(replies[0]?.toolCalls).toMatchObject([{ toolName: call.name, args: call.arguments }])
        expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" })
        expect(JSON.stringify(requests[1])).not.toContain("tool_call>")
      }
  })
})

describe("an answer of nothing is asked for once more without tools, and then of the fallback:", () => {
  const empties: ReadonlyArray<readonly [string, () => Response]> = [
    ["nothing at all", () => pieces()],
    ["blanks", () => pieces("\n", "\n ")],
    ["reasoning alone", () => chunks([{ reasoning_content: "Hm." }])],
    ["reasoning alone, cut off", () => chunks([{ content: "<think>Hm." }], { end: "length" })],
    ["calls without calls", () => chunks([{ content: "" }], { end: "tool_calls" })],
    ["a filter", () => chunks([], { end: "content_filter" })],
  ]
  test.each(empties)("%s", async (_, empty) => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask(({ tools }) => (tools === undefined ? pieces("At six.") : empty()), way)
      expect(replies[0]?.output).toBe("At six.")
      expect(requests.map(({ tools }) => tools !== undefined)).toEqual([true, false])
      const { replies: others } = await ask(({ model }) => (model === "m" ? empty() : pieces("At six.")), {
        ...way,
        fallbackModels: ["openai/other"],
      })
      expect(others[0]?.output).toBe("At six.")
      expect(others[0]?.model).toBe("openai/other")
    }
  })

  test("what it took is counted", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 40 }
    const { replies } = await ask(({ tools }) =>
      tools === undefined ? pieces("At six.") : chunks([{ reasoning_content: "Hm." }, { choices: [], usage }]),
    )
    expect(replies[0]?.costs[0]?.tokens).toMatchObject({ input: 100, output: 40 })
    expect(replies[0]?.costs).toHaveLength(2)
  })
})

describe("an error with status 200 is a failure, before the answer and in it:", () => {
  const event = (data: string) =>
    new Response(`event: error\ndata: ${data}\n\n`, { headers: { "content-type": "text/event-stream" } })
  test.each<readonly [string, () => Response]>([
    ["error", () => chunks([{ error: { message: "overloaded", code: 503 } }], { end: null })],
    ["a flat one", () => chunks([{ object: "error", message: "CUDA out of memory", code: 500 }], { end: null })],
    ["a detail", () => chunks([{ detail: "Model is loading" }], { end: null })],
    ["no success", () => chunks([{ choices: null, success: false, message: "No" }], { end: null })],
    ["base_resp", () => chunks([{ choices: null, base_resp: { status_code: 1008, status_msg: "no balance" } }])],
    ["a finish reason", () => chunks([], { end: "error" })],
    ["an event", () => event('{"message":"boom","status":500}')],
    ["an event in words", () => event("boom")],
    ["no stream", () => Response.json({ error: { message: "overloaded" } })],
  ])("%s", async (_, broken) => {
    for (const way of [{}, emits]) {
      const { replies } = await ask(({ model }) => (model === "m" ? broken() : pieces("At six.")), {
        ...way,
        fallbackModels: ["openai/other"],
      })
      expect(replies[0]?.output).toBe("At six.")
      expect(replies[0]?.model).toBe("openai/other")
    }
  })
})

test.each(["text/plain", "Text/Event-Stream; charset=UTF-8", "application/json", ""])(
  "events are read as such with the type %j",
  async (type) => {
    for (const way of [{}, emits]) {
      const { replies } = await ask(() => chunks([{ content: "At " }, { content: "six." }], { type }), way)
      expect(replies[0]?.output).toBe("At six.")
    }
  },
)

test("an answer in one piece to a request for a stream is read, also with the end of a stream behind it", async () => {
  const completion = JSON.stringify({ choices: [{ message: { content: "At six." }, finish_reason: "stop" }] })
  for (const body of [completion, `${completion}\n\ndata: [DONE]\n\n`])
    for (const type of ["application/json", "text/plain", "text/event-stream", "Application/JSON"])
      for (const way of [{}, emits]) {
        const { replies } = await ask(() => new Response(body, { headers: { "content-type": type } }), way)
        expect(replies[0]?.output).toBe("At six.")
      }
})

test.each<readonly [number, object, boolean]>([
  [402, { error: { message: "Insufficient credits" } }, true],
  [404, { error: { message: "The model `m` does not exist", code: "model_not_found" } }, true],
  [
    400,
    { error: { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" } },
    true,
  ],
  [400, { error: { message: "The response was filtered", code: "content_filter" } }, false],
])("a refusal with %d of %j calls the fallback: %p", async (status, body, isFallback) => {
  const made = ask(({ model }) => (model === "m" ? refusal(status, body)() : pieces("At six.")), {
    fallbackModels: ["openai/other"],
  })
  if (!isFallback) return expect(made).rejects.toThrow()
  expect((await made).replies[0]?.model).toBe("openai/other")
})

describe("a message that is refused", () => {
  const filtered = refusal(400, {
    error: { message: "The prompt triggered the content policy", code: "content_filter" },
  })
  const answer = (request: OddRequest) =>
    JSON.stringify(request.messages).includes("forbidden") ? filtered() : pieces("At six.")
  const forbidden = { role: "user", content: "Something forbidden" } as const

  test("and was never answered, is left out of later prompts that are refused because of it", async () => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask(answer, { ...way, history: [forbidden, ...input.history] })
      expect(replies[0]?.output).toBe("At six.")
      expect(requests).toHaveLength(2)
    }
  })

  test("is not where it is the question, or was answered", async () => {
    const answered = [forbidden, { role: "assistant", content: "No." }, ...input.history] as const
    for (const history of [[forbidden], [...input.history, forbidden], answered])
      await expect(ask(answer, { history })).rejects.toThrow()
  })
})

describe("what a server wants back with a call's result is sent back within the reply", () => {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "searchKnowledgeBase", arguments: '{"query":"tide"}' },
  }
  test.each<readonly [string, object, (message: object) => unknown, unknown]>([
    [
      "a signature of what was thought",
      { tool_calls: [{ ...call, index: 0, extra_content: { google: { thought_signature: "abc" } } }] },
      (message) => Object(message).tool_calls[0].extra_content,
      { google: { thought_signature: "abc" } },
    ],
    [
      "reasoning_content",
      { reasoning_content: "I search.", tool_calls: [{ ...call, index: 0 }] },
      (message) => Object(message).reasoning_content,
      "I search.",
    ],
    [
      "reasoning_details",
      { reasoning_details: [{ type: "reasoning.encrypted", data: "abc" }], tool_calls: [{ ...call, index: 0 }] },
      (message) => Object(message).reasoning_details,
      [{ type: "reasoning.encrypted", data: "abc" }],
    ],
  ])("%s", async (_, delta, sentBack, expected) => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask(
        (_, count) => (count === 1 ? chunks([delta], { end: "tool_calls" }) : pieces("At six.")),
        way,
      )
      expect(replies[0]?.output).toBe("At six.")
      expect(requests[1]?.messages.filter(({ role }) => role === "assistant").map(sentBack)).toEqual([expected])
      expect(
        JSON.stringify(replies[0]?.steps.map(({ response, text, toolCalls }) => [response.messages, text, toolCalls])),
      ).not.toMatch(/abc|I search/)
    }
  })

  test("and reasoning_content is not where a server refuses it", async () => {
    const { replies } = await ask((request, count) => {
      if (count === 1) return chunks([{ reasoning_content: "I search.", tool_calls: [{ ...call, index: 0 }] }])
      return JSON.stringify(request).includes("reasoning_content")
        ? refusal(400, { error: { message: "Extra inputs are not permitted: reasoning_content" } })()
        : pieces("At six.")
    })
    expect(replies[0]?.output).toBe("At six.")
  })
})

describe("a prompt that is too long for the model's context", () => {
  const history = [
    ...Array.from({ length: 40 }, (_, turn) => ({
      role: turn % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: `${turn} ${"word ".repeat(100)}`,
    })),
    ...input.history,
  ]
  const length = (request: OddRequest) => JSON.stringify(request.messages).length

  test("is shortened until it fits, and shorter from the beginning in the next replies", async () => {
    for (const way of [{}, emits]) {
      const { replies, requests } = await ask(
        (request) =>
          length(request) > 12_000
            ? refusal(400, { error: { message: "context", code: "context_length_exceeded" } })()
            : pieces("At six."),
        { ...way, history, times: 2 },
      )
      expect(replies.map(({ output }) => output)).toEqual(["At six.", "At six."])
      expect(requests.map((request) => length(request) <= 12_000)).toEqual([false, true, true])
    }
  })

  test("leaves the answer less room where that is enough", async () => {
    const { replies, requests } = await ask(({ max_tokens = 0 }) =>
      max_tokens > 3_000
        ? refusal(400, {
            message:
              "This model's maximum context length is 4096 tokens. However, you requested 5192 tokens (1096 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
          })()
        : pieces("At six."),
    )
    expect(replies[0]?.output).toBe("At six.")
    expect(requests.map(({ max_tokens }) => max_tokens)).toEqual([4096, 2999])
  })

  test("fails where nothing more can be left out", async () => {
    const always = refusal(400, { error: { message: "maximum context length is 10 tokens" } })
    await expect(ask(() => always(), { history })).rejects.toThrow()
  })
})
