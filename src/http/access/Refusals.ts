import { Effect, type Types } from "effect"
import { HttpServerRequest } from "effect/http"

/**
 * Makes the memory of why requests were refused, for endpoints that name two ways to send a key. The framework tries one
 * scheme after the other, and reports the failure of the last. The first reads both headers, so that a request is counted
 * once, and the failure of a valid key is not replaced by that of a missing one; the second repeats the failure.
 */
export const makeRefusals = <Refusal>() => {
  const refusals = new WeakMap<HttpServerRequest.HttpServerRequest, Refusal>()
  return {
    /** Remembers the failure of the check of a request. */
    remember: <A, R>(
      request: HttpServerRequest.HttpServerRequest,
      check: Effect.Effect<A, Refusal, R>,
    ): Effect.Effect<A, Refusal, R> =>
      Effect.tapError(check, (refusal) => Effect.sync(() => refusals.set(request, refusal))),
    /** Refuses a request for the reason that is remembered. */
    repeat: (): Effect.Effect<never, Refusal | Types.unhandled, HttpServerRequest.HttpServerRequest> =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.fromNullishOr(refusals.get(request)).pipe(Effect.orDie, Effect.flatMap(Effect.fail)),
      ),
  }
}
