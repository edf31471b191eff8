import { Schema } from "effect"
import type { Response } from "effect/ai"
import type { Citation, ToolCall } from "../domain/chat/Chat.ts"
import type { ModelCost, TokenCounts } from "../domain/organizations/Usage.ts"
import type { Exchange } from "../models/Exchange.ts"
import type { TokenCount } from "../models/TokenCount.ts"

/** One answer of a model, whole or as far as it was received. */
export interface Generation {
  /** The parts of the answer. Tool calls have the input that the model wrote, which is not validated yet. */
  readonly parts: ReadonlyArray<Response.PartEncoded>
  readonly text: string
  /** Whether the model has said that it gives no answer. The texts are without the mark by which it does. */
  readonly saysNoAnswer: boolean
  readonly calls: ReadonlyArray<ToolCall>
  readonly sources: ReadonlyArray<Citation>
  /** Reason for which the answer ended; `unknown` also when it was cut off. */
  readonly finish: Response.FinishReason
  /** The model that made it, with the tokens of the request and the answer, estimated where they are not reported. */
  readonly cost: ModelCost
  readonly providerMetadata: Schema.Json
  readonly exchange: Exchange
  readonly response: {
    readonly id: string
    readonly modelId: string
    /** The time in ISO 8601. */
    readonly timestamp: string | undefined
  }
}

/** The names of a model and of its provider, as costs have them. */
export type Maker = Omit<ModelCost, "tokens">

export const costOf = ({ model, provider }: Maker, tokens: TokenCounts): ModelCost => ({ model, provider, tokens })

const noExchange: Exchange = { body: "", bodyLength: 0, headers: {}, warnings: [] }

/** Reads the parts of an answer, whose texts are clean and without the mark by which the model gives no answer. */
export const readGeneration = (
  given: ReadonlyArray<Response.PartEncoded>,
  count: TokenCount,
  saysNoAnswer: boolean,
  maker: Maker,
): Generation => {
  const parts = given.map(withCleanId)
  const metadata = parts.find((part) => part.type === "response-metadata")
  const finish = parts.find((part) => part.type === "finish")
  const exchange = metadata?.metadata?.parley ?? noExchange
  return {
    parts,
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    saysNoAnswer,
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [readCall(part)] : [])),
    sources: parts.flatMap((part) => (part.type === "source" ? readSource(part) : [])),
    finish: finish?.reason ?? "unknown",
    cost: costOf(exchange.fallback ?? maker, count.total(exchange.bodyLength)),
    providerMetadata: { ...finish?.metadata },
    exchange,
    response: {
      id: metadata?.id ?? "",
      modelId: metadata?.modelId ?? "",
      timestamp: metadata?.timestamp,
    },
  }
}

/** Cleans the id of a call here, because the request that carries its result and the database name the same id. */
const withCleanId = (part: Response.PartEncoded): Response.PartEncoded =>
  part.type === "tool-call" ? { ...part, id: clean(part.id) } : part

/** Reads a tool call. An input that is not JSON becomes null, which the decoder of the tool refuses. */
export const readCall = (part: Response.ToolCallPartEncoded): ToolCall => ({
  type: "tool-call",
  toolCallId: clean(part.id),
  toolName: clean(part.name),
  args: isJson(part.params) ? cleanJson(part.params) : null,
})

const readSource = (part: Extract<Response.PartEncoded, { readonly type: "source" }>): ReadonlyArray<Citation> =>
  part.sourceType === "document" && part.metadata?.parley !== undefined ? [part.metadata.parley] : []

const isJson = Schema.is(Schema.Json)

/** Removes NUL characters and replaces lone surrogates, which models may write and Postgres cannot store. */
export const clean = (text: string): string => text.replaceAll("\u0000", "").toWellFormed()

const cleanJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return clean(value)
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(cleanJson)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanJson(item)]))
}
