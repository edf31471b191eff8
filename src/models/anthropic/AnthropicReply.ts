import { Effect, Option, Predicate, Schema } from "effect"
import type { Response } from "effect/ai"
import type { Exchange } from "../Exchange.ts"
import { sourcePart } from "../SourceParts.ts"

/*
 * The answers of Anthropic's Messages API: schemas of the fields that Parley reads, and their translation into the
 * terms of effect/ai. Blocks and events of unknown types are skipped, because the API may gain new ones at any time.
 * Gateways speak this form, too, and leave out what their models do not have, such as signatures and counts.
 */

declare module "effect/ai/Response" {
  interface ReasoningPartMetadata {
    readonly anthropic?: { readonly signature: string } | { readonly redacted: string }
  }
  interface ReasoningStartPartMetadata {
    readonly anthropic?: { readonly redacted: string }
  }
  interface ReasoningEndPartMetadata {
    readonly anthropic?: { readonly signature: string }
  }
}

/** A field without which an answer can be read. In another form than Anthropic's, it counts as left out. */
const Maybe = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).pipe(Schema.catchDecoding(() => Effect.succeedSome(null))))
const MaybeText = Maybe(Schema.String)

/** A citation of a text. Requests contain search results only, so there are no other kinds of citations. */
const Citation = Schema.Struct({
  type: Schema.String,
  source: Schema.optionalKey(Schema.Unknown),
  cited_text: Schema.optionalKey(Schema.Unknown),
})

const TextBlock = Schema.Struct({
  type: Schema.Literal("text"),
  text: MaybeText,
  citations: Maybe(Schema.Array(Citation)),
})
const ThinkingBlock = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: MaybeText,
  signature: MaybeText,
})
const RedactedThinkingBlock = Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String })
const ToolUseBlock = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Schema.Unknown,
})
export type Block =
  | typeof TextBlock.Type
  | typeof ThinkingBlock.Type
  | typeof RedactedThinkingBlock.Type
  | typeof ToolUseBlock.Type

const knownBlocks: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"])
const OtherBlock = Schema.Struct({
  type: Schema.String.check(Schema.makeFilter((type: string) => !knownBlocks.has(type))),
})
const AnyBlock = Schema.Union([TextBlock, ToolUseBlock, ThinkingBlock, RedactedThinkingBlock, OtherBlock])

export const isKnownBlock = (block: typeof AnyBlock.Type): block is Block => knownBlocks.has(block.type)

const Count = Maybe(Schema.Natural)
const Counts = Schema.Struct({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
})
export type Counts = typeof Counts.Type

const Head = { id: MaybeText, model: MaybeText, usage: Maybe(Counts) }
const MessageHead = Schema.Struct(Head)
export type MessageHead = typeof MessageHead.Type

const Message = Schema.Struct({ ...Head, content: Schema.Array(AnyBlock), stop_reason: MaybeText })

export const decodeMessage = Schema.decodeUnknownOption(Message)

const Delta = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text_delta"), text: MaybeText }),
  Schema.Struct({ type: Schema.Literal("citations_delta"), citation: Maybe(Citation) }),
  Schema.Struct({ type: Schema.Literal("input_json_delta"), partial_json: MaybeText }),
  Schema.Struct({ type: Schema.Literal("thinking_delta"), thinking: MaybeText }),
  Schema.Struct({ type: Schema.Literal("signature_delta"), signature: MaybeText }),
])
export type Delta = typeof Delta.Type

const Index = { index: Schema.Natural }
const Event = Schema.Union([
  Schema.Struct({ type: Schema.Literal("message_start"), message: Maybe(MessageHead) }),
  Schema.Struct({ type: Schema.Literal("content_block_start"), ...Index, content_block: AnyBlock }),
  Schema.Struct({ type: Schema.Literal("content_block_delta"), ...Index, delta: Delta }),
  Schema.Struct({ type: Schema.Literal("content_block_stop"), ...Index }),
  Schema.Struct({
    type: Schema.Literal("message_delta"),
    delta: Maybe(Schema.Struct({ stop_reason: MaybeText })),
    usage: Maybe(Counts),
  }),
  Schema.Struct({ type: Schema.Literal("message_stop") }),
])
export type Event = typeof Event.Type

const decodeEvent = Schema.decodeUnknownOption(Event)
const knownEvents: ReadonlySet<string> = new Set(Event.members.map((member) => member.fields.type.literal))
const knownDeltas: ReadonlySet<unknown> = new Set(Delta.members.map((member) => member.fields.type.literal))

/** Recognizes text deltas without the schema: nearly all events are of this kind, ten thousand in a second. */
const isTextDelta = (event: {
  readonly type: unknown
}): event is Extract<Event, { readonly type: "content_block_delta" }> =>
  event.type === "content_block_delta" &&
  Predicate.hasProperty(event, "index") &&
  Number.isSafeInteger(event.index) &&
  Predicate.hasProperty(event, "delta") &&
  Predicate.hasProperty(event.delta, "type") &&
  event.delta.type === "text_delta" &&
  Predicate.hasProperty(event.delta, "text") &&
  typeof event.delta.text === "string"

/** Decodes an event. The result is `undefined` for an event of an unknown type, and none for a malformed one. */
export const readEvent = (event: unknown): Option.Option<Event | undefined> => {
  if (!Predicate.hasProperty(event, "type") || typeof event.type !== "string") return Option.none()
  if (isTextDelta(event)) return Option.some(event)
  if (!knownEvents.has(event.type)) return Option.some(undefined)
  return Option.orElse(decodeEvent(event), () => (isUnknownDelta(event) ? Option.some(undefined) : Option.none()))
}

const isUnknownDelta = (event: object): boolean =>
  Predicate.hasProperty(event, "delta") &&
  Predicate.hasProperty(event.delta, "type") &&
  !knownDeltas.has(event.delta.type)

const finishReason = (stopReason: string | null): Response.FinishReason => {
  switch (stopReason) {
    case "end_turn":
    case "stop_sequence":
      return "stop"
    case "tool_use":
      return "tool-calls"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "refusal":
      return "content-filter"
    case "pause_turn":
      return "pause"
    default:
      return "unknown"
  }
}

export const metadataPart = (
  message: MessageHead,
  exchange: Exchange,
  timestamp: string,
): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id: message.id ?? "",
  modelId: message.model ?? "",
  timestamp,
  metadata: { parley: exchange },
})

/** The token counts of an answer. Counts that are missing are zero. */
export const tokensOf = (usage: Counts) => ({
  input: usage.input_tokens ?? 0,
  output: usage.output_tokens ?? 0,
  cacheRead: usage.cache_read_input_tokens ?? 0,
  cacheWrite: usage.cache_creation_input_tokens ?? 0,
})

export const finishPart = (stopReason: string | null, usage: Counts): Response.FinishPartEncoded => {
  const { input, output, cacheRead, cacheWrite } = tokensOf(usage)
  return {
    type: "finish",
    reason: finishReason(stopReason),
    usage: {
      inputTokens: { uncached: input, total: input + cacheRead + cacheWrite, cacheRead, cacheWrite },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
    },
    metadata: {
      anthropic: {
        cacheCreationInputTokens: usage.cache_creation_input_tokens ?? null,
        cacheReadInputTokens: usage.cache_read_input_tokens ?? null,
      },
    },
  }
}

/** The source that a citation of a search result names, by the `sourceName` in the request. */
export const sourceParts = ({
  cited_text,
  source,
  type,
}: typeof Citation.Type): Array<Response.DocumentSourcePartEncoded> =>
  type === "search_result_location" && typeof source === "string" && typeof cited_text === "string"
    ? sourcePart(source, cited_text)
    : []
