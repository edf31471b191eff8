import { describe, expect, test } from "bun:test"
import { Redacted } from "effect"
import { explained, type FailureKind, ProviderFailure } from "../../src/models/calls/ProviderFailure.ts"
import { explanationOf } from "../../src/models/Explanations.ts"

const explanationFor = (description: string, kind: FailureKind = "refused", status?: number) =>
  explanationOf(new ProviderFailure({ kind, description, retryable: false, ...(status !== undefined && { status }) }))
const reasonOf = (description: string) => explanationFor(description).reason

describe("what a provider says", () => {
  test.each([
    ['400 {"error": {"message": "Too\\n  old", "type": "x"}}', "400 Too old"],
    ['404 {"error": "There is no such model"}', "404 There is no such model"],
    ['422 {"detail": "Not now"}', "422 Not now"],
    ['{"message": "No credit", "code": 402}', "No credit"],
    ['400 {"error": {"mess', '400 {"error": {"mess'],
    ["It said\u0000 \ud800 nothing", "It said \ufffd nothing"],
  ])("is one line (%#)", (description, reason) => {
    expect(reasonOf(description)).toBe(reason)
  })

  test("is cut where it is long", () => {
    expect(reasonOf("word ".repeat(1_000))).toHaveLength(300)
    expect(reasonOf("word ".repeat(1_000))).toEndWith("…")
  })

  test.each([
    "Incorrect API key provided: sk-proj-4711abcd********wxyz.",
    "Authorization: Bearer 4711abcd-whatever",
    "No such key: AIza4711abcdefghijklmnopqrst",
    "Access denied for 4711abcd4711abcd4711abcd4711abcd",
    "Cannot connect to http://user:4711abcd@models.example/v1",
  ])("has no key: %s", (description) => {
    expect(reasonOf(description)).not.toContain("4711")
    expect(reasonOf(description)).toContain("[key]")
  })

  test("names no address of the server's own network, but those that a provider names itself", () => {
    const failure = "Transport error (POST http://10.0.0.7:8000/v1/chat/completions)"
    expect(explanationFor(failure, "connection").reason).toBe("Transport error (POST its address)")
    expect(reasonOf("See https://provider.example/billing")).toBe("See https://provider.example/billing")
  })

  test("has no key of ours, in whatever form a server repeats it in JSON", () => {
    const failure = new ProviderFailure({
      kind: "credentials",
      description: '401 {"error": {"message": "Not a\\/key nor a/key"}}',
      retryable: false,
      status: 401,
    })
    const { reason } = explanationOf(explained(failure, "openai", Redacted.make("a/key"), "OPENAI_API_KEY"))
    expect(reason).toBe("The provider refuses the key in OPENAI_API_KEY (401): Not [key] nor [key]")
  })

  test("keeps the names of models and the ids of requests", () => {
    const said = "openai/DeepSeek-R1-Distill-Qwen-32B-abliterated, request 01a1f95a-b2f3-7519-8698-768c25c5f555"
    expect(reasonOf(said)).toBe(said)
  })
})

describe("the advice", () => {
  const account = "The account has no credit left: top it up at the provider."
  const filter = "The provider's content filter refuses the question or the chatbot's prompt: word it otherwise."
  const another = "Choose another model in the chatbot's settings."
  test.each([
    ["You exceeded your current quota (insufficient_quota)", "rate-limited", 429, account],
    ["Your credit balance is too low", "refused", 400, account],
    ["The prompt triggers the content management policy", "refused", 400, filter],
    ["The answer has neither text nor calls (content-filter)", "empty", undefined, filter],
    ["model_not_found", "refused", 400, another],
    ["Slow down", "rate-limited", 429, "Wait a moment, or ask the provider for a higher limit."],
    ["billing is slow", "timeout", undefined, "Ask again, or choose a faster model in the chatbot's settings."],
    ["ECONNREFUSED", "connection", undefined, "Check the address of the model's connection, and that its server runs."],
  ] as const)("follows from the words and the kind: %s", (description, kind, status, advice) => {
    expect(explanationFor(description, kind, status).advice).toBe(advice)
  })
})
