import type { Effect } from "effect"
import type { AiError, Prompt, Response } from "effect/ai"
import type { Exchange } from "./Exchange.ts"
import type { ToolDeclaration } from "./ToolDeclaration.ts"

/** What a model is asked. */
export interface ModelRequest {
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<ToolDeclaration>
  /** `none`: the model sees the tools, but may not call them. */
  readonly toolChoice: "auto" | "none"
}

/** Told of parts as they come, one after the other. What it returns is waited for before more is read. */
export type OnParts = (parts: ReadonlyArray<Response.StreamPartEncoded>) => Effect.Effect<void> | undefined

/**
 * Told of a request that was sent and given up before any of its answer came: whoever asked has left, or it took too
 * long. A provider may well have worked on it. One that failed by itself, or refused, is none of these.
 */
export type OnGivenUp = (request: Pick<Exchange, "bodyLength" | "fallback">) => Effect.Effect<void>

/**
 * Calls of one model, in the terms of effect/ai, as the loop asks for them. The service that its `LanguageModel.make`
 * returns does not stand in between. It would decode again, word for word, what our providers have checked; and it
 * keeps the decoder of one set of tools for a model, so chatbots with tools of their own would have it compiled anew for
 * each other.
 */
export interface ModelCalls {
  readonly generate: (
    request: ModelRequest,
    onGivenUp?: OnGivenUp,
  ) => Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>
  /** Succeeds when the answer has come to its end. Interruption hangs up. */
  readonly stream: (
    request: ModelRequest,
    onParts: OnParts,
    onGivenUp?: OnGivenUp,
  ) => Effect.Effect<void, AiError.AiError>
}
