import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import type { AgentEvent } from "../../../src/agent/AgentEvent.ts"
import { failureOfStatus } from "../../../src/models/calls/ProviderFailure.ts"
import { mended } from "../../../src/models/calls/Remedies.ts"
import { WrittenText } from "../../../src/models/openai/Written.ts"
import {
  calledTool,
  cut,
  emptyAnswers,
  errorsAsAnswers,
  headlessReasoning,
  plainTexts,
  reasonings,
  refusedParts,
  rolesOf,
  streamTypes,
  toolRefusals,
  wantedBack,
  writtenCalls,
} from "../../lib/OddModes.ts"
import { ask, streams, input, passage } from "../../lib/OddReplies.ts"
import { chunks, type OddRequest, pieces, refusal } from "../../lib/OddServer.ts"

describe("what a server refuses is left out of the request, and of the next ones:", () => {
  test.each(refusedParts)("%s", async (_, refused, isRefused) => {
    for (const way of [{}, streams]) {
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
  test.each(toolRefusals)("%s", async (_, refused) => {
    for (const way of [{}, streams]) {
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
  const ways = [{}, streams]

  test.each(reasonings)("reasoning as %j is not shown", async (text) => {
    for (const length of [1, 3, 7, 500])
      for (const way of ways) {
        const { replies } = await ask(() => pieces(...cut(text, length)), way)
        expect(replies[0]?.output).toBe("At six.")
        expect(replies[0]?.steps[0]?.text).toBe("At six.")
      }
  })

  test.each(plainTexts)("a text that speaks of tags stays: %j", async (text) => {
    for (const length of [1, 3, 7, 500])
      for (const way of ways) {
        const { replies } = await ask(() => pieces(...cut(text, length)), way)
        expect(replies[0]?.output).toBe(text)
      }
  })

  test("reasoning whose beginning the server keeps is told by its end, in streams from the second answer on", async () => {
    const text = headlessReasoning
    for (const length of [1, 7, 500]) {
      const { replies } = await ask(() => pieces(...cut(text, length)))
      expect(replies[0]?.output).toBe("At six.")
      const { replies: streamed } = await ask(
        (_, count) => pieces(...cut(count === 3 ? "Now at seven." : text, length)),
        { ...streams, times: 3 },
      )
      expect(streamed.slice(1).map(({ output }) => output)).toEqual(["At six.", "Now at seven."])
    }
  })

  test("the first answer of a model whose name says that it reasons is held until that has ended", async () => {
    const model = "openai/deepseek-r1:8b"
    const call = '<tool_call>{"name":"searchKnowledgeBase","arguments":{"query":"tide"}}</tool_call>'
    const texts = [headlessReasoning, call, headlessReasoning, "<think>Hm.</think>At six."]
    const { replies } = await ask((_, count) => pieces(...cut(texts[count - 1] ?? "", 3)), {
      ...streams,
      model,
      times: 3,
    })
    expect(replies.map(({ output, toolCalls }) => [output, toolCalls.length])).toEqual([
      ["At six.", 0],
      ["At six.", 1],
      ["At six.", 0],
    ])
    const deltas: Array<string> = []
    const emit = (event: AgentEvent) => void (event.type === "text-delta" && deltas.push(event.delta))
    const plain = await ask(() => pieces("At six. ", "Or seven."), { ...streams, emit, model })
    expect([plain.replies[0]?.output, deltas]).toEqual(["At six. Or seven.", ["At six. Or seven."]])
  })

  test("an answer that does not begin with the reasoning that was expected is held back, and says so", () => {
    const text = new WrittenText([], false, "</think>")
    expect(text.add("At ")).toEqual([])
    expect(text.add("six.")).toEqual([])
    expect(text.end()).toEqual({ pieces: [{ kind: "text", text: "At six." }], calls: [] })
    expect(text.hasGuessedWrong).toBe(true)
  })

  test.each(writtenCalls)("a call that is written as text is a call: %j", async (text) => {
    for (const length of [1, 7, 500])
      for (const way of ways) {
        const { replies, requests } = await ask(
          (_, count) => (count === 1 ? pieces(...cut(text, length)) : pieces("At six.")),
          way,
        )
        expect(replies[0]?.output).toBe("At six.")
        expect(replies[0]?.toolCalls).toMatchObject([{ toolName: "searchKnowledgeBase", args: { query: "tide" } }])
        expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" })
        expect(JSON.stringify(requests[1])).not.toContain("tool_call>")
      }
  })
})

describe("an answer of nothing is asked for once more without tools, and then of the fallback:", () => {
  test.each(emptyAnswers)("%s", async (_, empty) => {
    for (const way of [{}, streams]) {
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
  test.each(errorsAsAnswers)("%s", async (_, broken) => {
    for (const way of [{}, streams]) {
      const { replies } = await ask(({ model }) => (model === "m" ? broken() : pieces("At six.")), {
        ...way,
        fallbackModels: ["openai/other"],
      })
      expect(replies[0]?.output).toBe("At six.")
      expect(replies[0]?.model).toBe("openai/other")
    }
  })
})

test.each(streamTypes)("events are read as such with the type %j", async (type) => {
  for (const way of [{}, streams]) {
    const { replies } = await ask(() => chunks([{ content: "At " }, { content: "six." }], { type }), way)
    expect(replies[0]?.output).toBe("At six.")
  }
})

test("an answer in one piece to a request for a stream is read, also with the end of a stream behind it", async () => {
  const completion = JSON.stringify({ choices: [{ message: { content: "At six." }, finish_reason: "stop" }] })
  for (const body of [completion, `${completion}\n\ndata: [DONE]\n\n`])
    for (const type of ["application/json", "text/plain", "text/event-stream", "Application/JSON"])
      for (const way of [{}, streams]) {
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
    for (const way of [{}, streams]) {
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
  test.each(wantedBack)("%s", async (_, delta, sentBack, expected) => {
    for (const way of [{}, streams]) {
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
      if (count === 1) return chunks([{ reasoning_content: "I search.", tool_calls: [{ ...calledTool, index: 0 }] }])
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
    for (const way of [{}, streams]) {
      const { replies, requests } = await ask(
        (request) =>
          length(request) > 12_000
            ? refusal(400, { error: { message: "context", code: "context_length_exceeded" } })()
            : pieces("At six."),
        { ...way, history, times: 2 },
      )
      expect(replies.map(({ output }) => output)).toEqual(["At six.", "At six."])
      expect(requests.map((request) => length(request) <= 12_000)).toEqual([false, true, true])
      for (const { steps } of replies)
        expect(steps[0]?.warnings).toEqual([
          { type: "other", message: expect.stringContaining("beginning of the conversation was left out") },
        ])
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
