import { Cause, Duration } from "effect"
import type { AiError } from "effect/ai"
import { ProviderFailed, ProviderTimeout, TooManyRequests, Unavailable } from "../domain/Errors.ts"

export type ProviderError = ProviderFailed | ProviderTimeout | Unavailable | TooManyRequests

/** What a client is told to wait when the provider does not say, in seconds. */
const DEFAULT_RETRY_AFTER_SECONDS = 10

/** The answers of a provider that has no room at the moment: 503, and Anthropic's "overloaded". */
const overloadedStatuses: ReadonlySet<number> = new Set([503, 529])

/** What a client may know of a provider's failure: the kind, and nothing of the provider's words. */
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

export const timedOut = () => new ProviderTimeout({ detail: "The model did not answer in time." })

const failed = () => new ProviderFailed({ detail: "The model provider failed to answer." })

const unavailable = (detail: string, retryAfter?: Duration.Duration) =>
  new Unavailable({ detail, retry_after_seconds: seconds(retryAfter) })

const seconds = (wait: Duration.Duration | undefined): number =>
  wait === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.max(1, Math.ceil(Duration.toSeconds(wait)))
