import { Schema } from "effect"
import type { Response } from "effect/ai"
import {
  type CallPiece,
  type Chunk,
  type Delta,
  finishPart,
  finishReason,
  metadataPart,
  newCallId,
  paramsOf,
  readChunk,
  readCompletion,
  textOf,
  reasoningOf,
  tokensOf,
  type Usage,
  type WantedBack,
} from "./OpenAiReply.ts"
import { type JsonObject, parseJson } from "../../text/Json.ts"
import type { Attempt } from "../calls/ProviderCalls.ts"
import { failureOfStatus, malformed, ProviderFailure } from "../calls/ProviderFailure.ts"
import type { ModelRequest } from "../ModelCalls.ts"
import type { BodyEvent } from "../calls/ResponseBody.ts"
import type { AnswerEvents } from "../calls/StreamedAnswer.ts"
import { WrittenText } from "./Written.ts"

const brokenByError = failureOfStatus({
  status: undefined,
  description: "The finish reason is `error`",
  headers: undefined,
  now: 0,
})

/** A tool call that is being received. */
interface OpenCall {
  readonly id: string
  /** The id that the server gave the call, if any. It may not be unique. */
  readonly serverId: string | undefined
  readonly index: number | undefined
  name: string
  /** The JSON of the arguments, as far as it was received. */
  json: string
  /** The arguments, when the server sent them as an object and not as JSON. */
  object: unknown
  /** Further fields, such as a signature of what the model has thought. */
  fields: JsonObject
}

/** Translates the chunks of one completion, or the only one of a whole completion, into its parts. */
export class OpenAiEvents implements AnswerEvents {
  stage: AnswerEvents["stage"] = "answering"
  private readonly attempt: Attempt
  private hasBegun = false
  private open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  private blocks = 0
  private readonly calls: Array<OpenCall> = []
  private reason: string | null = null
  private isRefused = false
  private usage: Usage | undefined
  /** The model's reasoning in a form of its server, which wants it back. */
  private readonly details: Array<Schema.Json> = []
  private wantsReasoning = false
  private readonly written: WrittenText

  constructor(attempt: Attempt, { isWhole = false, tools }: Pick<ModelRequest, "isWhole" | "tools">) {
    this.attempt = attempt
    this.written = new WrittenText(tools, isWhole, attempt.thoughts.end)
  }

  readWhole(json: unknown): Array<Response.StreamPartEncoded> | ProviderFailure {
    const chunk = readCompletion(json)
    if (chunk instanceof ProviderFailure) return chunk
    const parts = this.take(chunk)
    this.stage = "finished"
    return parts
  }

  read({ data, name }: BodyEvent): Array<Response.StreamPartEncoded> | ProviderFailure {
    const content = data.trim()
    // Some proxies send empty events as heartbeats.
    if (content === "") return []
    if (content === "[DONE]") {
      // An answer without a finish reason is complete when the server says that it is done.
      this.reason ??= "stop"
      this.stage = "finished"
      return []
    }
    const json = parseJson(data)
    if (json === undefined && name !== "error") return malformed("A chunk of the stream is not JSON")
    const chunk = readChunk(json ?? data, name === "error")
    return chunk instanceof ProviderFailure ? chunk : this.take(chunk)
  }

  private take(chunk: Chunk): Array<Response.StreamPartEncoded> | ProviderFailure {
    const parts: Array<Response.StreamPartEncoded> = []
    if (!this.hasBegun) parts.push(metadataPart(chunk, this.attempt))
    this.hasBegun = true
    const choice = chunk.choices?.[0]
    if (choice?.delta != null) this.extend(choice.delta, parts)
    if (choice?.finish_reason === "error") return brokenByError
    if (choice?.finish_reason) {
      this.reason = choice.finish_reason
      this.stage = "answered"
    }
    if (chunk.usage != null) {
      this.usage = chunk.usage
      // Some servers report tokens with every chunk, so that even an answer that is cut off has a count.
      const { exchange, timestamp } = this.attempt
      parts.push(metadataPart(chunk, { exchange: { ...exchange, tokens: tokensOf(chunk.usage) }, timestamp }))
    }
    return parts
  }

  end(): Array<Response.StreamPartEncoded> {
    const parts: Array<Response.StreamPartEncoded> = []
    const { calls, pieces } = this.written.end()
    for (const { kind, text } of pieces) this.addText(kind, text, parts)
    const { hasGuessedWrong, loneEnd } = this.written
    // Somebody may have had the model write such an end: the next answer without one corrects that.
    if (loneEnd !== undefined || hasGuessedWrong) this.attempt.thoughts.note(loneEnd)
    this.close(parts)
    for (const { name, params } of calls) {
      const call = this.beginCall({ function: { name } }, parts)
      call.object = params
      parts.push({ type: "tool-params-delta", id: call.id, delta: JSON.stringify(params) })
    }
    if (this.details.length > 0) {
      const id = String(this.blocks++)
      parts.push({ type: "reasoning-start", id })
      parts.push({ type: "reasoning-end", id, metadata: { openai: { details: this.details } } })
    }
    for (const { fields, id, json, name, object } of this.calls) {
      parts.push({ type: "tool-params-end", id })
      const params = object === undefined ? paramsOf(json) : object
      const metadata = Object.keys(fields).length === 0 ? {} : { metadata: { openai: { fields } } }
      parts.push({ type: "tool-call", id, name, params, ...metadata })
    }
    parts.push(finishPart(finishReason(this.reason, this.calls.length > 0, this.isRefused), this.usage))
    return parts
  }

  private extend(delta: Delta, parts: Array<Response.StreamPartEncoded>): void {
    if (delta.reasoning_content != null) this.wantsReasoning = true
    for (const detail of delta.reasoning_details ?? []) this.details.push(detail)
    this.addText("reasoning", reasoningOf(delta), parts)
    const content = textOf(delta.content)
    if (content !== "") for (const { kind, text } of this.written.add(content)) this.addText(kind, text, parts)
    if (delta.refusal) this.isRefused = true
    this.addText("text", delta.refusal ?? "", parts)
    for (const piece of delta.tool_calls ?? []) this.addCallPiece(piece, parts)
  }

  private addText(kind: "text" | "reasoning", delta: string, parts: Array<Response.StreamPartEncoded>): void {
    if (delta === "") return
    if (this.open?.kind !== kind) {
      this.close(parts)
      this.open = { kind, id: String(this.blocks++) }
      parts.push({ type: `${kind}-start`, id: this.open.id })
    }
    parts.push({ type: `${kind}-delta`, id: this.open.id, delta })
  }

  private close(parts: Array<Response.StreamPartEncoded>): void {
    if (this.open?.kind === "reasoning")
      parts.push({
        type: "reasoning-end",
        id: this.open.id,
        ...(this.wantsReasoning ? { metadata: { openai: { isWanted: true } } } : {}),
      })
    else if (this.open !== undefined) parts.push({ type: "text-end", id: this.open.id })
    this.open = undefined
  }

  private addCallPiece(piece: CallPiece, parts: Array<Response.StreamPartEncoded>): void {
    const call = this.findCall(piece) ?? this.beginCall(piece, parts)
    const { function: _, id: __, index: ___, type: ____, ...fields } = piece
    for (const [name, value] of Object.entries(fields))
      if (isJson(value)) call.fields = { ...call.fields, [name]: value }
    // A name is not split into pieces; some servers repeat it with every piece.
    if (call.name === "") call.name = piece.function?.name ?? ""
    const args = piece.function?.arguments
    if (typeof args === "string") {
      call.json += args
      if (args !== "") parts.push({ type: "tool-params-delta", id: call.id, delta: args })
    } else if (args != null) {
      call.object = args
      parts.push({ type: "tool-params-delta", id: call.id, delta: JSON.stringify(args) })
    }
  }

  /**
   * Finds the call that a piece continues. Some servers give all calls the same index, others the same id, so a piece
   * with a name belongs to a new call when either is new, or when it has neither. A piece without a name continues the
   * call of its index, or else of its id, because some servers give each piece an id of its own.
   */
  private findCall({ function: fn, id, index }: CallPiece): OpenCall | undefined {
    const sameId = id ? this.calls.findLast(({ serverId }) => serverId === id) : undefined
    const sameIndex = index == null ? undefined : this.calls.findLast((call) => call.index === index)
    if (!fn?.name) return sameIndex ?? sameId ?? (id || index != null ? undefined : this.calls.at(-1))
    if (id) return index == null || sameId?.index === index ? sameId : undefined
    const isNext = sameIndex !== undefined && isComplete(sameIndex) && Boolean(fn.arguments)
    return isNext ? undefined : sameIndex
  }

  private beginCall(piece: CallPiece, parts: Array<Response.StreamPartEncoded>): OpenCall {
    this.close(parts)
    const serverId = piece.id || undefined
    const isTaken = this.calls.some(({ id }) => id === serverId)
    const call: OpenCall = {
      id: serverId === undefined || isTaken ? newCallId() : serverId,
      serverId,
      index: piece.index ?? undefined,
      name: piece.function?.name ?? "",
      json: "",
      object: undefined,
      fields: {},
    }
    this.calls.push(call)
    parts.push({ type: "tool-params-start", id: call.id, name: call.name })
    return call
  }
}

const isJson = Schema.is(Schema.Json)

declare module "effect/ai/Response" {
  interface ToolCallPartMetadata {
    readonly openai?: { readonly fields: JsonObject }
  }
  interface ReasoningPartMetadata {
    readonly openai?: WantedBack
  }
  interface ReasoningEndPartMetadata {
    readonly openai?: WantedBack
  }
}

/** Whether the arguments of a call are complete. */
const isComplete = ({ json, object }: OpenCall): boolean => object !== undefined || parseJson(json) !== undefined
