import type { Effect } from "effect"
import type { Prompt, Response } from "effect/ai"
import type { TokenCounts } from "../domain/organizations/Usage.ts"
import type { ProviderFailure } from "./calls/ProviderFailure.ts"
import type { Exchange } from "./Exchange.ts"
import type { ToolDeclaration } from "./ToolDeclaration.ts"

/** Bounds of an answer; what is absent is the model's own, and that of the server. */
export interface ModelBounds {
  readonly temperature?: number | undefined
  readonly max_output_tokens?: number | undefined
}

/** The most tokens of an answer within the bounds of a request, and those of the server. */
export const outputTokensWithin = (bounds: ModelBounds | undefined, most: number): number =>
  Math.min(bounds?.max_output_tokens ?? most, most)

export interface ModelRequest {
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<ToolDeclaration>
  /** Whether the model may call the tools. With `none` it only sees their declarations. */
  readonly toolChoice: "auto" | "none"
  /** Whether the parts of the answer are passed together, once it is whole, so that a broken one is made anew. */
  readonly isWhole?: boolean
  readonly bounds?: ModelBounds | undefined
  /** Whether the body of the request is kept in memory, to show it. */
  readonly isBodyKept?: boolean
}

/** Receives the parts of an answer in order. An effect that it returns is run before more of the answer is read. */
export type OnParts = (parts: ReadonlyArray<Response.StreamPartEncoded>) => Effect.Effect<void> | undefined

/**
 * Called with a request that was sent and given up before any of its answer came, because the caller was interrupted, a
 * time limit passed, or the answer was empty, and with its tokens so far. Its provider may have worked on it, and charge
 * for it. A request that failed or was refused is not given up.
 */
export type OnGivenUp = (request: Pick<Exchange, "fallback"> & { readonly tokens: TokenCounts }) => Effect.Effect<void>

/**
 * The calls of one model, in the terms of effect/ai. They stand in place of the service of `LanguageModel.make`, which
 * would decode once more each part that the provider has decoded, and which keeps a decoder for one set of tools only:
 * it would compile it anew whenever chatbots with different tools take turns.
 */
export interface ModelCalls {
  /** Passes the parts of the answer as they are received, until its end. Interruption closes the connection. */
  readonly answer: (
    request: ModelRequest,
    onParts: OnParts,
    onGivenUp?: OnGivenUp,
  ) => Effect.Effect<void, ProviderFailure>
  /** What the model has refused lately. Without it, nothing is known of it. */
  readonly traits?: SharedTraits | undefined
}

/** What a model takes, as its refusals have shown. */
export interface KnownTraits {
  /** False when its server has refused tools. */
  readonly takesTools: boolean
  /** The tokens of a prompt, estimated, that fitted into its context where longer ones did not. */
  readonly promptTokensMax: number
}

/** A part of requests that a server has refused. */
export interface RefusedPart {
  /** The part, as the subject of "… is refused by the model's server". */
  readonly what: string
  /** What Parley does without it, as the rest of "Parley …". */
  readonly instead: string
}

/** What servers have refused of requests to a model. */
export interface Refusals {
  readonly model: string
  readonly parts: ReadonlyArray<RefusedPart>
}

/** What is known of a model. All organizations share it, for a day. */
export interface SharedTraits {
  readonly known: Effect.Effect<KnownTraits>
  /** What its server has refused of requests to it. */
  readonly refused: Effect.Effect<ReadonlyArray<RefusedPart>>
  /** The refusals of all models of its connection that had any, by the names that their server has for them. */
  readonly refusals: Effect.Effect<ReadonlyArray<Refusals>>
  /** Remembers something, which must not rest on what one organization has made, such as a tool, or has said. */
  readonly learn: (learned: Partial<KnownTraits>) => Effect.Effect<void>
}
