import { Option } from "effect"
import type { Response } from "effect/ai"
import {
  type Block,
  type Counts,
  decodeMessage,
  type Delta,
  type Event,
  finishPart,
  isKnownBlock,
  type MessageHead,
  metadataPart,
  readEvent,
  sourceParts,
  tokensOf,
} from "./AnthropicReply.ts"
import { failureOfEvent, isErrorEvent } from "./AnthropicFailure.ts"
import type { Exchange } from "../Exchange.ts"
import { parseJson } from "../../text/Json.ts"
import type { Attempt } from "../calls/ProviderCalls.ts"
import { malformed, type ProviderFailure } from "../calls/ProviderFailure.ts"
import type { BodyEvent } from "../calls/ResponseBody.ts"
import type { AnswerEvents } from "../calls/StreamedAnswer.ts"

/** A content block that has started and not ended yet. */
interface OpenBlock {
  readonly id: string
  readonly block: Block
  /** The JSON of a tool's input, or the signature of a thinking block, as far as it was received; some have none. */
  collected: string
}

/** Translates the events of one answer, or those that a whole message stands for, into its parts. */
export class AnthropicEvents implements AnswerEvents {
  stage: AnswerEvents["stage"] = "answering"
  private readonly open = new Map<number, OpenBlock>()
  private message: MessageHead | undefined
  private usage: Counts = {}
  private stopReason: string | null = null
  private readonly exchange: Exchange
  private readonly timestamp: string

  constructor({ exchange, timestamp }: Attempt) {
    this.exchange = exchange
    this.timestamp = timestamp
  }

  readWhole(json: unknown): Array<Response.StreamPartEncoded> | ProviderFailure {
    if (isErrorEvent(json)) return failureOfEvent(json)
    const message = Option.getOrUndefined(decodeMessage(json))
    if (message === undefined) return malformed("The response is not a message")
    const blocks = message.content.flatMap((content_block, index): ReadonlyArray<Event> => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ])
    const delta = { stop_reason: message.stop_reason ?? null }
    const events: ReadonlyArray<Event> = [
      { type: "message_start", message },
      ...blocks,
      { type: "message_delta", delta, usage: message.usage ?? {} },
      { type: "message_stop" },
    ]
    return events.flatMap((event) => this.take(event))
  }

  read({ data, name }: BodyEvent): Array<Response.StreamPartEncoded> | ProviderFailure {
    // Some proxies send empty events as heartbeats.
    if (data === "") return []
    // Some gateways end a stream as OpenAI does.
    if (data === "[DONE]") return this.take({ type: "message_stop" })
    const json = parseJson(data)
    if (name === "error") return failureOfEvent(json)
    const event = readEvent(json)
    if (Option.isNone(event)) return malformed("An event of the stream is broken")
    if (event.value !== undefined) return this.take(event.value)
    // Some send events without their names.
    return isErrorEvent(json) ? failureOfEvent(json) : []
  }

  end(): Array<Response.StreamPartEncoded> {
    return [...[...this.open.keys()].flatMap((index) => this.stop(index)), finishPart(this.stopReason, this.usage)]
  }

  private take(event: Event): Array<Response.StreamPartEncoded> {
    switch (event.type) {
      case "message_start":
        this.message = event.message ?? {}
        this.usage = this.message.usage ?? {}
        return this.metadata()
      case "content_block_start":
        return isKnownBlock(event.content_block) ? this.start(event.index, event.content_block) : []
      case "content_block_delta":
        return this.extend(event.index, event.delta)
      case "content_block_stop":
        return this.stop(event.index)
      case "message_delta":
        this.usage = latest(this.usage, event.usage ?? {})
        this.stopReason = event.delta?.stop_reason ?? null
        // Some gateways send nothing more.
        if (this.stopReason !== null) this.stage = "answered"
        return this.metadata()
      case "message_stop":
        // An answer without a reason is complete when its end is sent.
        this.stopReason ??= "end_turn"
        this.stage = "finished"
        return []
    }
  }

  private metadata(): Array<Response.StreamPartEncoded> {
    const exchange = { ...this.exchange, tokens: tokensOf(this.usage) }
    return this.message === undefined ? [] : [metadataPart(this.message, exchange, this.timestamp)]
  }

  private start(index: number, block: Block): Array<Response.StreamPartEncoded> {
    const id = block.type === "tool_use" ? block.id : String(index)
    this.open.set(index, { id, block, collected: block.type === "thinking" ? (block.signature ?? "") : "" })
    switch (block.type) {
      case "text":
        return [
          { type: "text-start", id },
          ...(block.text ? [textDelta(id, block.text)] : []),
          ...(block.citations ?? []).flatMap(sourceParts),
        ]
      case "thinking":
        return [
          { type: "reasoning-start", id },
          ...(block.thinking ? [{ type: "reasoning-delta" as const, id, delta: block.thinking }] : []),
        ]
      case "redacted_thinking":
        return [{ type: "reasoning-start", id, metadata: { anthropic: { redacted: block.data } } }]
      case "tool_use":
        return [{ type: "tool-params-start", id, name: block.name }]
    }
  }

  private extend(index: number, delta: Delta): Array<Response.StreamPartEncoded> {
    const open = this.open.get(index)
    if (open === undefined) return []
    switch (delta.type) {
      case "text_delta":
        return delta.text ? [textDelta(open.id, delta.text)] : []
      case "citations_delta":
        return delta.citation == null ? [] : sourceParts(delta.citation)
      case "thinking_delta":
        return [{ type: "reasoning-delta", id: open.id, delta: delta.thinking ?? "" }]
      case "signature_delta":
        open.collected += delta.signature ?? ""
        return []
      case "input_json_delta":
        open.collected += delta.partial_json ?? ""
        return [{ type: "tool-params-delta", id: open.id, delta: delta.partial_json ?? "" }]
    }
  }

  private stop(index: number): Array<Response.StreamPartEncoded> {
    const open = this.open.get(index)
    if (open === undefined) return []
    this.open.delete(index)
    const { block, collected, id } = open
    switch (block.type) {
      case "text":
        return [{ type: "text-end", id }]
      case "thinking":
        return [
          { type: "reasoning-end", id, ...(collected !== "" && { metadata: { anthropic: { signature: collected } } }) },
        ]
      case "redacted_thinking":
        return [{ type: "reasoning-end", id }]
      case "tool_use":
        return [
          { type: "tool-params-end", id },
          { type: "tool-call", id, name: block.name, params: inputOf(block, collected) },
        ]
    }
  }
}

/** The latest token counts. Each report replaces the one before, except for counts that it leaves out. */
const latest = (before: Counts, after: Counts): Counts => ({
  input_tokens: after.input_tokens ?? before.input_tokens ?? null,
  output_tokens: after.output_tokens ?? before.output_tokens ?? null,
  cache_creation_input_tokens: after.cache_creation_input_tokens ?? before.cache_creation_input_tokens ?? null,
  cache_read_input_tokens: after.cache_read_input_tokens ?? before.cache_read_input_tokens ?? null,
})

const textDelta = (id: string, delta: string): Response.TextDeltaPartEncoded => ({ type: "text-delta", id, delta })

/** The input of a tool call. JSON that was cut off stays text, which the decoder of the tool refuses. */
const inputOf = ({ input }: Extract<Block, { readonly type: "tool_use" }>, json: string): unknown =>
  json === "" ? (input ?? {}) : (parseJson(json) ?? json)
