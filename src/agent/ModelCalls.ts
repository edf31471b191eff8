import type { Effect } from "effect"
import type { AiError, LanguageModel, Response } from "effect/ai"

/** What a model is asked, in the terms of effect/ai. */
export type ModelRequest = Pick<LanguageModel.ProviderOptions, "prompt" | "tools" | "toolChoice">

/** Told of parts as they come, one after the other. What it returns is waited for before more is read. */
export type OnParts = (parts: ReadonlyArray<Response.StreamPartEncoded>) => Effect.Effect<void> | undefined

/**
 * Calls of one model: what a provider gives to effect/ai's `LanguageModel.make`, and what the loop asks. The service that
 * `make` returns does not stand in between. It would decode again, word for word, what our providers have checked; and it
 * keeps the decoder of one set of tools for a model, so chatbots with tools of their own would have it compiled anew for
 * each other.
 */
export interface ModelCalls {
  readonly generate: (request: ModelRequest) => Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>
  /** Succeeds when the answer has come to its end. Interruption hangs up. */
  readonly stream: (request: ModelRequest, onParts: OnParts) => Effect.Effect<void, AiError.AiError>
}
