import type { ProviderError } from "../../src/models/ClientFailures.ts"
import { fails, usage } from "./FakeAnthropic.ts"
import type { Answer } from "./Wire.ts"

/** The failure that a fault of a provider leads to. */
export interface Outcome {
  readonly tag: ProviderError["_tag"]
  /** The number of calls that the provider gets. Each of them fails alike, and there are at most `attempts`. */
  readonly calls: number
}

/** A way in which a provider fails. */
export interface Fault {
  readonly name: string
  readonly answer: Answer
  /**
   * The timeout that ends the fault: that of the reply, or that of a stalled body. A slow machine may then see another
   * number of calls. Absent when the fault ends by itself.
   */
  readonly endsBy?: "reply" | "stall"
  /** The outcome for an answer in one piece. */
  readonly whole: Outcome
  /** The outcome for a streamed answer. */
  readonly streamed: Outcome & {
    /** Whether the stream contains "Hello" before it fails. */
    readonly begins: boolean
  }
}

/** The number of attempts that the server of the tests has to be configured with. */
export const attempts = 2

/** A fault before the first byte, which has the same outcome for both kinds of answers. */
const early = (name: string, answer: Answer, tag: Outcome["tag"], calls: number): Fault => ({
  name,
  answer,
  whole: { tag, calls },
  streamed: { tag, calls, begins: false },
})

/** A fault in the body. A stream that has begun is not retried. */
const late = (
  kind: Extract<Answer["kind"], `${string} body` | "drip" | "early end">,
  whole: Outcome,
  streamed: Outcome["tag"],
): Fault => ({ name: kind, answer: { kind }, whole, streamed: { tag: streamed, calls: 1, begins: true } })

/** Every way in which a provider may fail, for both protocols. */
export const faults: ReadonlyArray<Fault> = [
  { ...early("hang before headers", { kind: "hang" }, "ProviderTimeout", attempts), endsBy: "reply" },
  early("reset before headers", { kind: "reset" }, "Unavailable", attempts),
  early("400", fails(400, "invalid_request_error"), "ProviderFailed", 1),
  early("401", fails(401, "authentication_error"), "ProviderFailed", 1),
  early("404", fails(404, "not_found_error"), "ProviderFailed", 1),
  early("429", fails(429, "rate_limit_error"), "TooManyRequests", attempts),
  early("429 with Retry-After", fails(429, "rate_limit_error", { "retry-after": "33" }), "TooManyRequests", 1),
  early("500", fails(500, "api_error"), "ProviderFailed", attempts),
  early("503", fails(503, "overloaded"), "Unavailable", attempts),
  early("529", fails(529, "overloaded_error"), "Unavailable", attempts),
  early("wrong content type", { kind: "wrong type" }, "ProviderFailed", 1),
  { ...late("hang in body", { tag: "ProviderTimeout", calls: attempts }, "ProviderTimeout"), endsBy: "stall" },
  { ...late("drip", { tag: "ProviderTimeout", calls: attempts }, "ProviderTimeout"), endsBy: "reply" },
  late("reset in body", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("truncated body", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("early end", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("malformed body", { tag: "ProviderFailed", calls: 1 }, "ProviderFailed"),
  late("error in body", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("oversized body", { tag: "ProviderFailed", calls: 1 }, "ProviderFailed"),
]

const CHARACTERS_PER_TOKEN = 4
/** The estimated number of tokens of a text, which counts when the provider has not reported one. */
export const estimated = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

/**
 * The protocols, with the tokens that count for a stream which fails after it has begun. Anthropic has reported those
 * of the prompt by then, and the answer is estimated; OpenAI reports at the end only, so that both are estimated.
 */
export const protocols = {
  anthropic: {
    model: "claude-sonnet-5-5",
    begunTokens: (_: string, said: string) =>
      usage.input_tokens +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0) +
      1 +
      estimated(said),
  },
  openai: { model: "openai/test-1", begunTokens: (sent: string, said: string) => estimated(sent) + estimated(said) },
} as const
export type Protocol = keyof typeof protocols
