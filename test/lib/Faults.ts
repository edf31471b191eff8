import type { ProviderError } from "../../src/models/ProviderErrors.ts"
import { fails, usage } from "./FakeAnthropic.ts"
import type { Answer } from "./Wire.ts"

/** What a fault of a provider comes to. */
export interface Outcome {
  readonly tag: ProviderError["_tag"]
  /** Calls that the provider sees; the fault returns with every one, and `attempts` are made at most. */
  readonly calls: number
}

export interface Fault {
  readonly name: string
  readonly answer: Answer
  /** Whether it says that the provider has too much to do. */
  readonly isOverload?: boolean
  /** Whether it says that the provider does not take the key. */
  readonly isRefusedKey?: boolean
  /**
   * Where the time-out that ends it begins to count; a slow machine may see less calls, or more. Absent: it ends
   * itself.
   */
  readonly endsBy?: "reply" | "stall"
  /** Asked for an answer in one piece. */
  readonly whole: Outcome
  readonly streamed: Outcome & {
    /** Whether the stream says "Hello" before. */
    readonly begins: boolean
  }
}

/** Attempts that the table counts on. */
export const attempts = 2

/** The status and code that a client is answered with. */
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
  if (isRefusedKey) return "The model provider does not accept this server's key. Its operator has to mend that."
  return tag === "Unavailable" && isOverload ? "The model provider is overloaded." : words[tag]
}

/** The same for both ways of asking: it fails before the first byte. */
const early = (name: string, answer: Answer, tag: Outcome["tag"], calls: number): Fault => ({
  name,
  answer,
  whole: { tag, calls },
  streamed: { tag, calls, begins: false },
})

/** In the body; a stream that has begun is not tried again. */
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
/** What is counted where nobody told. */
export const estimated = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

/**
 * The protocols, and the tokens of a stream that has begun: what Anthropic has told by then, and one for four
 * characters of what was said; OpenAI counts at the end only, so there what was sent is estimated, too.
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

/** What a client of the chat sees of a fault, and what is kept. */
export interface Ending {
  /** A status with its code, or what the stream said before its `error`. */
  readonly told: string
  readonly words: string
  /** What was said by whom; the user always says the same. */
  readonly stored: string
  readonly tokens: number
  readonly calls: number
}

/** What is counted beside a reply: the requests that took too long, before any of their answer came. */
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
