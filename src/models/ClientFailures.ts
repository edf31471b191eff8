import { ProviderFailed, ProviderTimeout, TooManyRequests, Unavailable } from "../domain/Errors.ts"
import type { Explanation } from "../domain/Failure.ts"
import type { ProviderFailure } from "./calls/ProviderFailure.ts"

/** The failures of a model provider that clients see. */
export type ProviderError = ProviderFailed | ProviderTimeout | Unavailable | TooManyRequests

/** The longest part of a provider's message that is logged, in UTF-16 code units. */
export const LOGGED_MAX_LENGTH = 500

/** The wait that is asked of clients when the provider does not ask for one, in milliseconds. */
const DEFAULT_RETRY_AFTER = 10_000

/**
 * The failure that clients see for a provider's failure. It reveals the kind, and none of the provider's words, unless it
 * is given their explanation.
 */
export const toProviderError = (
  { kind, retryAfter = DEFAULT_RETRY_AFTER }: ProviderFailure,
  explanation?: Explanation,
): ProviderError => {
  const explained = explanation && { explanation }
  const retry_after_seconds = Math.max(1, Math.ceil(retryAfter / 1_000))
  switch (kind) {
    case "rate-limited":
      return new TooManyRequests({
        detail: "The model provider's rate limit is reached.",
        retry_after_seconds,
        ...explained,
      })
    case "timeout":
      return new ProviderTimeout({ detail: "The model did not answer in time.", ...explained })
    case "connection":
      return new Unavailable({ detail: "The model provider cannot be reached.", retry_after_seconds, ...explained })
    case "held-back":
    case "overloaded":
      return new Unavailable({ detail: "The model provider is overloaded.", retry_after_seconds, ...explained })
    case "credentials":
      return new ProviderFailed({
        detail: "The model provider does not accept the key that it was sent, or wants one.",
        ...explained,
      })
    case "refused":
    case "too-long":
    case "tools-refused":
    case "failed":
    case "malformed":
    case "empty":
      return new ProviderFailed({ detail: "The model provider failed to answer.", ...explained })
  }
}
