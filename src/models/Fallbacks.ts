import { Effect } from "effect"
import type { AiError, Response } from "effect/ai"
import type { ModelCalls, OnGivenUp, OnParts } from "./ModelCalls.ts"
import { LOGGED_MAX_LENGTH } from "./ClientFailures.ts"

/** The calls of a model, with its name and the name of its provider. */
export interface NamedCalls {
  readonly calls: ModelCalls
  readonly model: string
  readonly provider: string
}

/**
 * The calls of the first model that answers. The next model is called when one fails before its answer has begun,
 * unless the provider refused the request as invalid, which others would do as well.
 */
export const withFallbacks = (first: NamedCalls, others: ReadonlyArray<NamedCalls>): ModelCalls =>
  others.reduce<ModelCalls>((previous, next) => {
    const mark = markFallback(first.model, next)
    const orNext = <A>(
      call: Effect.Effect<A, AiError.AiError>,
      nextCall: Effect.Effect<A, AiError.AiError>,
      hasBegun: () => boolean,
    ) =>
      Effect.catch(call, (error): Effect.Effect<A, AiError.AiError> =>
        !hasBegun() && !isInvalidRequest(error)
          ? Effect.andThen(logFallback(error, next.model), nextCall)
          : Effect.fail(error),
      )
    const { model, provider } = next
    const marked = (onGivenUp: OnGivenUp | undefined): OnGivenUp | undefined =>
      onGivenUp && ((request) => onGivenUp({ ...request, fallback: { model, provider } }))
    return {
      generate: (request, onGivenUp) =>
        orNext(
          previous.generate(request, onGivenUp),
          Effect.map(next.calls.generate(request, marked(onGivenUp)), (parts) => parts.map(mark)),
          () => false,
        ),
      stream: (request, onParts, onGivenUp) =>
        Effect.suspend(() => {
          let hasBegun = false
          const onFirstParts: OnParts = (parts) => {
            hasBegun = true
            return onParts(parts)
          }
          return orNext(
            previous.stream(request, onFirstParts, onGivenUp),
            next.calls.stream(request, (parts) => onParts(parts.map(mark)), marked(onGivenUp)),
            () => hasBegun,
          )
        }),
    }
  }, first.calls)

const reasonsOfRequest: ReadonlySet<AiError.AiErrorReason["_tag"]> = new Set([
  "InvalidRequestError",
  "ContentPolicyError",
  "InvalidUserInputError",
])

const isInvalidRequest = ({ reason }: AiError.AiError): boolean => reasonsOfRequest.has(reason._tag)

const logFallback = ({ module, reason }: AiError.AiError, model: string) =>
  Effect.logWarning("A fallback model is called").pipe(
    Effect.annotateLogs({
      model,
      failed: module,
      reason: reason._tag,
      // A call that fails altogether is logged with its detail; this one may yet succeed, and the key stay unmended.
      ...(reason._tag === "AuthenticationError" && { detail: reason.description?.slice(0, LOGGED_MAX_LENGTH) }),
    }),
  )

/** Adds to an answer's metadata which model made it, for the costs, and a warning for the client. */
const markFallback =
  (requested: string, { model, provider }: NamedCalls) =>
  <P extends Response.AllPartsEncoded>(part: P): P => {
    const exchange = part.type === "response-metadata" ? part.metadata?.parley : undefined
    if (exchange === undefined) return part
    const warning = { type: "other", message: `${requested} could not answer; ${model} answered instead.` } as const
    const parley = { ...exchange, fallback: { model, provider }, warnings: [...exchange.warnings, warning] }
    return { ...part, metadata: { ...part.metadata, parley } }
  }
