import type { Response } from "effect/ai"
import {
  type CallPiece,
  type Delta,
  finishPart,
  finishReason,
  metadataPart,
  newCallId,
  paramsOf,
  readChunk,
  textOf,
  thoughtsOf,
  tokensOf,
  type Usage,
} from "./OpenAiReply.ts"
import { type Attempt, parse } from "../calls/ProviderCalls.ts"
import { malformed, ProviderFailure } from "../calls/ProviderFailure.ts"
import type { BodyEvent } from "../calls/ResponseBody.ts"
import type { AnswerEvents } from "../calls/StreamedAnswer.ts"

interface OpenCall {
  readonly id: string
  /** What the server calls it, if anything. */
  readonly serverId: string | undefined
  readonly index: number | undefined
  name: string
  /** The pieces of its arguments so far; or the arguments, when they came as an object. */
  params: string
  given: unknown
}

/** Turns the chunks of one streamed completion into the parts they mean. */
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

  constructor(attempt: Attempt) {
    this.attempt = attempt
  }

  read({ data }: BodyEvent): Array<Response.StreamPartEncoded> | ProviderFailure {
    const said = data.trim()
    // Some proxies keep a connection alive so.
    if (said === "") return []
    if (said === "[DONE]") {
      // An answer without a reason to end is a whole one when the server says that it is done.
      this.reason ??= "stop"
      this.stage = "finished"
      return []
    }
    const json = parse(data)
    if (json === undefined) return malformed("A chunk of the stream is not JSON")
    const chunk = readChunk(json)
    if (chunk instanceof ProviderFailure) return chunk
    const parts: Array<Response.StreamPartEncoded> = []
    if (!this.hasBegun) parts.push(metadataPart(chunk, this.attempt))
    this.hasBegun = true
    const choice = chunk.choices?.[0]
    if (choice?.delta != null) this.extend(choice.delta, parts)
    if (choice?.finish_reason) {
      this.reason = choice.finish_reason
      this.stage = "answered"
    }
    if (chunk.usage != null) {
      this.usage = chunk.usage
      // Some servers count with every chunk, and then an answer that is cut off has been counted.
      const { exchange, timestamp } = this.attempt
      parts.push(metadataPart(chunk, { exchange: { ...exchange, tokens: tokensOf(chunk.usage) }, timestamp }))
    }
    return parts
  }

  end(): Array<Response.StreamPartEncoded> {
    const parts: Array<Response.StreamPartEncoded> = []
    this.close(parts)
    for (const { given, id, name, params } of this.calls) {
      parts.push({ type: "tool-params-end", id })
      parts.push({ type: "tool-call", id, name, params: given === undefined ? paramsOf(params) : given })
    }
    parts.push(finishPart(finishReason(this.reason, this.calls.length > 0, this.isRefused), this.usage))
    return parts
  }

  private extend(delta: Delta, parts: Array<Response.StreamPartEncoded>): void {
    this.say("reasoning", thoughtsOf(delta), parts)
    this.say("text", textOf(delta.content), parts)
    if (delta.refusal) this.isRefused = true
    this.say("text", delta.refusal ?? "", parts)
    for (const piece of delta.tool_calls ?? []) this.call(piece, parts)
  }

  private say(kind: "text" | "reasoning", delta: string, parts: Array<Response.StreamPartEncoded>): void {
    if (delta === "") return
    if (this.open?.kind !== kind) {
      this.close(parts)
      this.open = { kind, id: String(this.blocks++) }
      parts.push({ type: `${kind}-start`, id: this.open.id })
    }
    parts.push({ type: `${kind}-delta`, id: this.open.id, delta })
  }

  private close(parts: Array<Response.StreamPartEncoded>): void {
    if (this.open !== undefined) parts.push({ type: `${this.open.kind}-end`, id: this.open.id })
    this.open = undefined
  }

  private call(piece: CallPiece, parts: Array<Response.StreamPartEncoded>): void {
    const call = this.called(piece) ?? this.begin(piece, parts)
    // A name comes whole, once; some servers repeat it with every piece.
    if (call.name === "") call.name = piece.function?.name ?? ""
    const given = piece.function?.arguments
    if (typeof given === "string") {
      call.params += given
      if (given !== "") parts.push({ type: "tool-params-delta", id: call.id, delta: given })
    } else if (given != null) {
      call.given = given
      parts.push({ type: "tool-params-delta", id: call.id, delta: JSON.stringify(given) })
    }
  }

  /**
   * The call that a piece belongs to. Some servers give all calls the same index, others the same id, so another one of
   * either means another call, as does a name where there is neither; but what has no name goes on with a call, since
   * some give each piece an id of its own.
   */
  private called({ function: named, id, index }: CallPiece): OpenCall | undefined {
    const sameId = id ? this.calls.findLast(({ serverId }) => serverId === id) : undefined
    const sameIndex = index == null ? undefined : this.calls.findLast((call) => call.index === index)
    if (!named?.name) return sameIndex ?? sameId ?? (id || index != null ? undefined : this.calls.at(-1))
    if (id) return index == null || sameId?.index === index ? sameId : undefined
    const isNext = sameIndex !== undefined && isWhole(sameIndex) && Boolean(named.arguments)
    return isNext ? undefined : sameIndex
  }

  private begin(piece: CallPiece, parts: Array<Response.StreamPartEncoded>): OpenCall {
    this.close(parts)
    const serverId = piece.id || undefined
    const isTaken = this.calls.some(({ id }) => id === serverId)
    const call: OpenCall = {
      id: serverId === undefined || isTaken ? newCallId() : serverId,
      serverId,
      index: piece.index ?? undefined,
      name: piece.function?.name ?? "",
      params: "",
      given: undefined,
    }
    this.calls.push(call)
    parts.push({ type: "tool-params-start", id: call.id, name: call.name })
    return call
  }
}

/** Whether nothing can be added to its arguments. */
const isWhole = ({ given, params }: OpenCall): boolean => given !== undefined || parse(params) !== undefined
