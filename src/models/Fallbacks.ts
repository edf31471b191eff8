import { Effect } from "effect"
import type { Response } from "effect/ai"
import { ProviderFailure } from "./calls/ProviderFailure.ts"
import { explanationOf } from "./Explanations.ts"
import type { ModelCalls } from "./ModelCalls.ts"
import { LOGGED_MAX_LENGTH } from "./ClientFailures.ts"

/** The calls of a model, with its name and the name of its provider. */
export interface NamedCalls {
  readonly calls: ModelCalls
  readonly model: string
  readonly provider: string
}

/**
 * The calls of the first model that answers. The next model is called when one fails before its answer has begun, also
 * where it is gone, has no credit or refuses the request, unless it refuses the message itself, which others would do as
 * well.
 */
export const withFallbacks = (first: NamedCalls, others: ReadonlyArray<NamedCalls>): ModelCalls =>
  others.reduce<ModelCalls>((previous, next) => {
    const { model, provider } = next
    return {
      traits: previous.traits,
      answer: (request, onParts, onGivenUp) =>
        Effect.suspend(() => {
          let hasBegun = false
          const onFirstParts: typeof onParts = (parts) => {
            hasBegun = true
            return onParts(parts)
          }
          const orNext = (failure: ProviderFailure): Effect.Effect<void, ProviderFailure> => {
            // Without tools, the first model answers.
            if (hasBegun || isOfMessage(failure) || failure.kind === "tools-refused") return Effect.fail(failure)
            const failed = failure.first ?? failure
            const mark = markFallback(first.model, failed, next)
            return Effect.andThen(
              logFallback(failure, model),
              Effect.mapError(
                next.calls.answer(
                  request,
                  (parts) => onParts(parts.map(mark)),
                  onGivenUp && ((given) => onGivenUp({ ...given, fallback: { model, provider } })),
                ),
                (later) => new ProviderFailure({ ...later, first: failed }),
              ),
            )
          }
          return Effect.catch(previous.answer(request, onFirstParts, onGivenUp), orNext)
        }),
    }
  }, first.calls)

/** Matches what providers say of a message that no other model would take, either. */
const MESSAGE_REFUSED = /content[ _-]?(?:policy|filter|management)|safety|moderation|too large|image/iu

const isOfMessage = ({ description, kind, status }: ProviderFailure): boolean =>
  kind === "refused" && (status === 413 || MESSAGE_REFUSED.test(description))

const logFallback = ({ description, kind, provider }: ProviderFailure, model: string) =>
  Effect.logWarning("A fallback model is called").pipe(
    Effect.annotateLogs({
      model,
      failed: provider,
      reason: kind,
      // A call that fails altogether is logged with its detail; this one may yet succeed, and the key stay unmended.
      ...(kind === "credentials" && { detail: description.slice(0, LOGGED_MAX_LENGTH) }),
    }),
  )

/** Adds to an answer's metadata which model made it, for the costs, and a warning for the client. */
const markFallback = (requested: string, failure: ProviderFailure, { model, provider }: NamedCalls) => {
  const warning = {
    type: "other",
    message: `${requested} could not answer; ${model} answered instead.`,
    details: explanationOf(failure).reason,
  } as const
  return <P extends Response.AllPartsEncoded>(part: P): P => {
    const exchange = part.type === "response-metadata" ? part.metadata?.parley : undefined
    if (exchange === undefined) return part
    const parley = { ...exchange, fallback: { model, provider }, warnings: [...exchange.warnings, warning] }
    return { ...part, metadata: { ...part.metadata, parley } }
  }
}
