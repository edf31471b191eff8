import { Effect } from "effect"
import type { AiError, Response } from "effect/ai"
import type { ModelCalls, OnGivenUp, OnParts } from "./ModelCalls.ts"

/** The calls of a model, its name and that of its provider. */
export interface NamedCalls {
  readonly calls: ModelCalls
  readonly model: string
  readonly provider: string
}

/**
 * Calls of the first model that answers. The next one is asked when one fails before its answer has begun, for a reason
 * of its provider: what a provider refuses as wrong would be wrong everywhere.
 */
export const withFallbacks = (first: NamedCalls, others: ReadonlyArray<NamedCalls>): ModelCalls =>
  others.reduce<ModelCalls>((before, next) => {
    const mark = markFallback(first.model, next)
    const instead = <A>(
      asked: Effect.Effect<A, AiError.AiError>,
      ask: Effect.Effect<A, AiError.AiError>,
      hasBegun: () => boolean,
    ) =>
      Effect.catch(asked, (error): Effect.Effect<A, AiError.AiError> =>
        !hasBegun() && isProvidersFault(error)
          ? Effect.andThen(logFallback(error, next.model), ask)
          : Effect.fail(error),
      )
    const { model, provider } = next
    const marked = (onGivenUp: OnGivenUp | undefined): OnGivenUp | undefined =>
      onGivenUp && ((given) => onGivenUp({ ...given, fallback: { model, provider } }))
    return {
      generate: (request, onGivenUp) =>
        instead(
          before.generate(request, onGivenUp),
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
          return instead(
            before.stream(request, onFirstParts, onGivenUp),
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

const isProvidersFault = ({ reason }: AiError.AiError): boolean => !reasonsOfRequest.has(reason._tag)

/** In UTF-16 code units. */
const LOGGED_MAX_LENGTH = 500

const logFallback = ({ module, reason }: AiError.AiError, model: string) =>
  Effect.logWarning("A fallback is asked").pipe(
    Effect.annotateLogs({
      model,
      failed: module,
      reason: reason._tag,
      // The log of a call that failed altogether says it as well, but here another model answered.
      ...(reason._tag === "AuthenticationError" && { detail: reason.description?.slice(0, LOGGED_MAX_LENGTH) }),
    }),
  )

/** The caller is told, and so is whoever counts tokens. */
const markFallback =
  (asked: string, { model, provider }: NamedCalls) =>
  <P extends Response.AllPartsEncoded>(part: P): P => {
    const exchange = part.type === "response-metadata" ? part.metadata?.parley : undefined
    if (exchange === undefined) return part
    const warning = { type: "other", message: `${asked} could not answer; ${model} answered instead.` } as const
    const parley = { ...exchange, fallback: { model, provider }, warnings: [...exchange.warnings, warning] }
    return { ...part, metadata: { ...part.metadata, parley } }
  }
