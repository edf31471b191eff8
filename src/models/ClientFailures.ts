import { Cause, Duration } from "effect"
import type { AiError } from "effect/ai"
import { ProviderFailed, ProviderTimeout, TooManyRequests, Unavailable } from "../domain/Errors.ts"
import { overloadedStatuses } from "./calls/ProviderFailure.ts"

/** The failures of a model provider that clients see. */
export type ProviderError = ProviderFailed | ProviderTimeout | Unavailable | TooManyRequests

/** The longest part of a provider's message that is logged, in UTF-16 code units. */
export const LOGGED_MAX_LENGTH = 500

/** The wait that is asked of clients when the provider does not ask for one, in seconds. */
const DEFAULT_RETRY_AFTER_SECONDS = 10

/** The failure that clients see for a provider's failure. It reveals the kind, and none of the provider's words. */
export const toProviderError = (error: AiError.AiError): ProviderError => {
  const { reason } = error
  switch (reason._tag) {
    case "RateLimitError":
    case "QuotaExhaustedError":
      return new TooManyRequests({
        detail: "The model provider's rate limit is reached.",
        retry_after_seconds: seconds("retryAfter" in reason ? reason.retryAfter : undefined),
      })
    case "NetworkError":
      return Cause.isTimeoutError(reason.cause) ? timedOut() : unavailable("The model provider cannot be reached.")
    case "InternalProviderError": {
      const response = reason.http?.response
      if (response === undefined || !overloadedStatuses.has(response.status)) return failed()
      const retryAfter = Number(response.headers["retry-after"])
      return unavailable("The model provider is overloaded.", retryAfter > 0 ? Duration.seconds(retryAfter) : undefined)
    }
    case "AuthenticationError":
      return new ProviderFailed({
        detail: "The model provider does not accept this server's key. Its operator has to mend that.",
      })
    default:
      return failed()
  }
}

/** The failure that clients see when a model takes too long. */
export const timedOut = () => new ProviderTimeout({ detail: "The model did not answer in time." })

const failed = () => new ProviderFailed({ detail: "The model provider failed to answer." })

const unavailable = (detail: string, retryAfter?: Duration.Duration) =>
  new Unavailable({ detail, retry_after_seconds: seconds(retryAfter) })

const seconds = (wait: Duration.Duration | undefined): number =>
  wait === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.max(1, Math.ceil(Duration.toSeconds(wait)))
