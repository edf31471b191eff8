import { Array as Arr, Effect } from "effect"
import type { AiError, Response } from "effect/ai"
import type { ModelCalls, PartsPull } from "./ProviderCalls.ts"

/** A model with its name and that of its provider. */
export interface NamedCalls {
  readonly calls: ModelCalls
  readonly model: string
  readonly provider: string
}

/**
 * Calls of the first model that answers. The next one is asked when one fails before its first byte, for a reason of its
 * provider: what a provider refuses as wrong would be wrong everywhere.
 */
export const withFallbacks = (first: ModelCalls, others: ReadonlyArray<NamedCalls>): ModelCalls =>
  others.reduce<ModelCalls>(
    (before, { calls, model, provider }) => ({
      generate: (options) =>
        Effect.catch(before.generate(options), (error) =>
          isProvidersFault(error)
            ? Effect.map(calls.generate(options), (parts) => parts.map(answeredBy(model, provider)))
            : Effect.fail(error),
        ),
      stream: (options) =>
        Effect.catch(before.stream(options), (error) =>
          isProvidersFault(error)
            ? Effect.map(calls.stream(options), (pull): PartsPull =>
                Effect.map(pull, (parts) => Arr.map(parts, answeredBy(model, provider))),
              )
            : Effect.fail(error),
        ),
    }),
    first,
  )

const reasonsOfRequest: ReadonlySet<AiError.AiErrorReason["_tag"]> = new Set([
  "InvalidRequestError",
  "ContentPolicyError",
  "InvalidUserInputError",
])

const isProvidersFault = ({ reason }: AiError.AiError): boolean => !reasonsOfRequest.has(reason._tag)

const answeredBy =
  (model: string, provider: string) =>
  <P extends Response.AllPartsEncoded>(part: P): P =>
    part.type === "response-metadata" && part.metadata?.parley !== undefined
      ? { ...part, metadata: { ...part.metadata, parley: { ...part.metadata.parley, fallback: { model, provider } } } }
      : part
