import { Option, Predicate, Schema } from "effect"
import type { Response } from "effect/ai"
import type { TokenCounts } from "../../domain/organizations/Usage.ts"
import { parseJson } from "../../text/Json.ts"
import type { Attempt } from "../calls/ProviderCalls.ts"
import { malformed, failureOfStatus, type ProviderFailure } from "../calls/ProviderFailure.ts"

/*
 * The answers of chat completions: schemas of the fields that Parley reads, and their translation into the terms of
 * effect/ai. Compatible servers differ in many details, so the schemas accept every form that can be understood, and
 * ignore unknown fields.
 */

const Maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Count = Maybe(Schema.Finite)

const Usage = Schema.Struct({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: Maybe(Schema.Struct({ cached_tokens: Count })),
  completion_tokens_details: Maybe(Schema.Struct({ reasoning_tokens: Count })),
})
export type Usage = typeof Usage.Type

/** A tool call, or a piece of one in a stream, with fields that its server wants back with the call's result. */
const CallPiece = Schema.StructWithRest(
  Schema.Struct({
    index: Count,
    id: Maybe(Schema.String),
    function: Maybe(
      Schema.Struct({
        name: Maybe(Schema.String),
        /** The arguments as JSON. Some servers send the object itself. */
        arguments: Schema.optionalKey(Schema.Unknown),
      }),
    ),
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)
export type CallPiece = typeof CallPiece.Type

/** A message, or the part of one in a chunk. Servers use different names for the field with the model's reasoning. */
const Delta = Schema.Struct({
  content: Maybe(Schema.Unknown),
  refusal: Maybe(Schema.String),
  reasoning_content: Maybe(Schema.Unknown),
  reasoning: Maybe(Schema.Unknown),
  reasoning_details: Maybe(Schema.Array(Schema.Json)),
  tool_calls: Maybe(Schema.Array(CallPiece)),
})
export type Delta = typeof Delta.Type

const Head = {
  id: Maybe(Schema.String),
  model: Maybe(Schema.String),
  usage: Maybe(Usage),
}

const Completion = Schema.Struct({
  ...Head,
  choices: Schema.NonEmptyArray(Schema.Struct({ message: Delta, finish_reason: Maybe(Schema.String) })),
})

const Chunk = Schema.Struct({
  ...Head,
  choices: Maybe(Schema.Array(Schema.Struct({ delta: Maybe(Delta), finish_reason: Maybe(Schema.String) }))),
})
export type Chunk = typeof Chunk.Type

const decodeCompletion = Schema.decodeUnknownOption(Completion)
const decodeChunk = Schema.decodeUnknownOption(Chunk)

/** The failure of a call for an error in place of an answer, which some servers send with status 200. */
const errorOf = (json: unknown, isError = false): ProviderFailure | undefined => {
  const error = isError ? json : errorIn(json)
  if (error == null) return undefined
  const { code: named, status_code = named }: { readonly code?: unknown; readonly status_code?: unknown } =
    Object(error)
  const code = Number(status_code)
  return failureOfStatus({
    status: code >= 400 && code < 600 ? code : undefined,
    description: JSON.stringify(error),
    headers: undefined,
    now: 0,
  })
}

/** The error in a value, in all forms in which servers send one; undefined or null where there is none. */
const errorIn = (json: unknown): unknown => {
  const { base_resp, choices, detail, error, object, success }: Readonly<Record<string, unknown>> = Object(json)
  if (error != null) return error
  const isFailed = object === "error" || success === false || (detail != null && choices == null)
  if (isFailed) return json
  const { status_code }: { readonly status_code?: unknown } = Object(base_resp)
  return status_code == null || status_code === 0 ? undefined : base_resp
}

/** Reads a chunk, or what follows the name of an error. */
export const readChunk = (json: unknown, isError = false): Chunk | ProviderFailure =>
  errorOf(json, isError) ?? Option.getOrElse(decodeChunk(json), () => malformed("A chunk of the stream is broken"))

/** Reads a whole completion as the only chunk of a stream. Its calls are apart, even with the same id. */
export const readCompletion = (json: unknown): Chunk | ProviderFailure =>
  errorOf(json) ??
  Option.match(decodeCompletion(json), {
    onNone: () => malformed("The response is not a chat completion"),
    onSome: ({ choices: [{ finish_reason = null, message }], ...head }): Chunk => {
      const tool_calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }))
      return { ...head, choices: [{ delta: { ...message, tool_calls }, finish_reason }] }
    },
  })

/** What a server wants back of reasoning, while the reply is made: its text, or a form of its own. */
export type WantedBack = {
  readonly isWanted?: boolean
  readonly details?: ReadonlyArray<Schema.Json>
}

/** Makes an id for a call, which its result has to name, because some servers give none. */
export const newCallId = (): string => `call_${crypto.randomUUID().replaceAll("-", "")}`

/** The input of a tool call. JSON that was cut off stays text, which the tool refuses; `null` means no arguments. */
export const paramsOf = (args: unknown): unknown => {
  if (args == null || args === "") return {}
  if (typeof args !== "string") return args
  const params = parseJson(args)
  return params === undefined ? args : (params ?? {})
}

/** The text of a message's content, which may be a text or a list of parts. */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part: unknown) => (Predicate.hasProperty(part, "text") && typeof part.text === "string" ? part.text : ""))
    .join("")
}

/** The model's reasoning in a message, or an empty text. */
export const reasoningOf = ({ reasoning, reasoning_content }: Delta): string =>
  textOf(reasoning_content) || textOf(reasoning)

export const metadataPart = (
  head: Chunk,
  { exchange, timestamp }: Pick<Attempt, "exchange" | "timestamp">,
): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id: head.id ?? "",
  modelId: head.model ?? "",
  timestamp,
  metadata: { parley: exchange },
})

/** The finish reason of an answer. Some servers say `stop`, or nothing, of an answer that calls tools. */
export const finishReason = (
  reason: string | null | undefined,
  hasCalls: boolean,
  isRefused: boolean,
): Response.FinishReason => {
  switch (reason) {
    case "length":
      return "length"
    case "content_filter":
      return "content-filter"
    case "tool_calls":
    case "function_call":
    case "stop":
    case "":
    case null:
    case undefined:
      if (isRefused) return "content-filter"
      if (hasCalls) return "tool-calls"
      return reason === "stop" || reason === "tool_calls" || reason === "function_call" ? "stop" : "unknown"
    default:
      return "unknown"
  }
}

/** The token counts of an answer. Counts that are missing are zero. */
export const tokensOf = (usage: Usage | undefined): TokenCounts => {
  const cacheRead = count(usage?.prompt_tokens_details?.cached_tokens)
  return {
    input: count((usage?.prompt_tokens ?? 0) - cacheRead),
    output: count(usage?.completion_tokens),
    cacheRead,
    cacheWrite: 0,
  }
}

export const finishPart = (reason: Response.FinishReason, usage: Usage | undefined): Response.FinishPartEncoded => {
  const { input, output, cacheRead, cacheWrite } = tokensOf(usage)
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? null
  return {
    type: "finish",
    reason,
    usage: {
      inputTokens: { uncached: input, total: count(usage?.prompt_tokens), cacheRead, cacheWrite },
      outputTokens: { total: output, text: undefined, reasoning: count(reasoning) },
    },
    metadata: {
      openai: { cachedPromptTokens: usage?.prompt_tokens_details?.cached_tokens ?? null, reasoningTokens: reasoning },
    },
  }
}

const count = (tokens: number | null | undefined): number => Math.max(0, Math.trunc(tokens ?? 0))
