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
  /** Whether the provider reports that it is overloaded. */
  readonly isOverload?: boolean
  /** Whether the provider refuses the key. */
  readonly isRefusedKey?: boolean
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

/** The status and code that the server answers with. */
export const answerTo: { readonly [Tag in ProviderError["_tag"]]: readonly [status: number, code: string] } = {
  TooManyRequests: [429, "too_many_requests"],
  ProviderFailed: [502, "provider_failed"],
  Unavailable: [503, "unavailable"],
  ProviderTimeout: [504, "provider_timeout"],
}

const words: { readonly [Tag in ProviderError["_tag"]]: string } = {
  TooManyRequests: "The model provider's rate limit is reached.",
  ProviderFailed: "The model provider failed to answer.",
  Unavailable: "The model provider cannot be reached.",
  ProviderTimeout: "The model did not answer in time.",
}

const wordsFor = ({ isOverload, isRefusedKey }: Fault, tag: ProviderError["_tag"]): string => {
  if (isRefusedKey) return "The model provider does not accept the key that it was sent, or wants one."
  return tag === "Unavailable" && isOverload ? "The model provider is overloaded." : words[tag]
}

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
  { ...early("401", fails(401, "authentication_error"), "ProviderFailed", 1), isRefusedKey: true },
  early("404", fails(404, "not_found_error"), "ProviderFailed", 1),
  early("429", fails(429, "rate_limit_error"), "TooManyRequests", attempts),
  early("429 with Retry-After", fails(429, "rate_limit_error", { "retry-after": "33" }), "TooManyRequests", 1),
  early("500", fails(500, "api_error"), "ProviderFailed", attempts),
  { ...early("503", fails(503, "overloaded"), "Unavailable", attempts), isOverload: true },
  { ...early("529", fails(529, "overloaded_error"), "Unavailable", attempts), isOverload: true },
  early("wrong content type", { kind: "wrong type" }, "ProviderFailed", 1),
  { ...late("hang in body", { tag: "ProviderTimeout", calls: attempts }, "ProviderTimeout"), endsBy: "stall" },
  { ...late("drip", { tag: "ProviderTimeout", calls: attempts }, "ProviderTimeout"), endsBy: "reply" },
  late("reset in body", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("truncated body", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("early end", { tag: "Unavailable", calls: attempts }, "Unavailable"),
  late("malformed body", { tag: "ProviderFailed", calls: 1 }, "ProviderFailed"),
  { ...late("error in body", { tag: "Unavailable", calls: attempts }, "Unavailable"), isOverload: true },
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

/** What a client of the chat sees of a fault, and what is stored. */
export interface Ending {
  /** The status with its code, or the events of the stream up to its `error`. */
  readonly told: string
  readonly words: string
  /** The stored messages. The user's is always the same. */
  readonly stored: string
  readonly tokens: number
  readonly calls: number
}

/** The tokens that count beside a reply: those of the requests that timed out before any of their answer came. */
export const givenUpTokens = (fault: Fault, way: "whole" | "streamed", calls: number, sent: string): number =>
  fault.endsBy === undefined || (way === "streamed" && fault.streamed.begins) ? 0 : calls * estimated(sent)

export const endingOf = (fault: Fault, protocol: Protocol, way: "whole" | "streamed", sent: string): Ending => {
  const { calls, tag } = fault[way]
  const begins = way === "streamed" && fault.streamed.begins
  return {
    told: begins ? 'text "Hello", error' : answerTo[tag].join(" "),
    words: wordsFor(fault, tag),
    stored: begins ? 'question, "Hello"' : "question",
    tokens: begins ? protocols[protocol].begunTokens(sent, "Hello") : 0,
    calls,
  }
}
