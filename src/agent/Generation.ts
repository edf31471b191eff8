import { Schema } from "effect"
import type { Response } from "effect/ai"
import type { Source, ToolCall } from "../domain/Chat.ts"
import type { Exchange } from "./Exchange.ts"

/** Tokens of all kinds. `input` leaves out those read from or written to the provider's cache. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
})

/** One answer of a model, read. */
export interface Generation {
  /** Calls are as the model made them, not checked yet. */
  readonly parts: ReadonlyArray<Response.PartEncoded>
  readonly text: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly sources: ReadonlyArray<Source>
  /** `unknown` as well when the answer was cut off. */
  readonly finish: Response.FinishReason
  readonly tokens: Tokens
  readonly providerMetadata: Schema.Json
  readonly exchange: Exchange
  readonly response: {
    readonly id: string
    readonly modelId: string /** ISO 8601 */
    readonly timestamp: string | undefined
  }
}

const noExchange: Exchange = { body: "", headers: {}, warnings: [] }

export const readGeneration = (given: ReadonlyArray<Response.PartEncoded>): Generation => {
  const parts = given.map((part) => (part.type === "text" ? { ...part, text: clean(part.text) } : part))
  const metadata = parts.find((part) => part.type === "response-metadata")
  const finish = parts.find((part) => part.type === "finish")
  const exchange = metadata?.metadata?.parley ?? noExchange
  return {
    parts,
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [readCall(part)] : [])),
    sources: parts.flatMap((part) => (part.type === "source" ? readSource(part) : [])),
    finish: finish?.reason ?? "unknown",
    tokens: finish === undefined ? (exchange.tokens ?? noTokens) : readTokens(finish.usage),
    providerMetadata: { ...finish?.metadata },
    exchange,
    response: {
      id: metadata?.id ?? "",
      modelId: metadata?.modelId ?? "",
      timestamp: metadata?.timestamp,
    },
  }
}

export const readCall = (part: Response.ToolCallPartEncoded): ToolCall => ({
  type: "tool-call",
  toolCallId: part.id,
  toolName: clean(part.name),
  args: isJson(part.params) ? cleanJson(part.params) : null,
})

const readSource = (part: Extract<Response.PartEncoded, { readonly type: "source" }>): ReadonlyArray<Source> =>
  part.sourceType === "document" && part.metadata?.parley !== undefined ? [part.metadata.parley] : []

const isJson = Schema.is(Schema.Json)

const readTokens = ({ inputTokens, outputTokens }: Response.FinishPartEncoded["usage"]): Tokens => ({
  input: inputTokens.uncached ?? inputTokens.total ?? 0,
  output: outputTokens.total ?? 0,
  cacheRead: inputTokens.cacheRead ?? 0,
  cacheWrite: inputTokens.cacheWrite ?? 0,
})

/** Models may write what no database column holds. */
export const clean = (text: string): string => text.replaceAll("\u0000", "").toWellFormed()

const cleanJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return clean(value)
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(cleanJson)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanJson(item)]))
}
