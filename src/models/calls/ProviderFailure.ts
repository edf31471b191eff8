import { Cause, Data, Duration, Exit, Redacted } from "effect"
import * as AiError from "effect/ai/AiError"
import { retryAfterOf } from "../../outbound/RetryAfter.ts"

type FailureKind =
  | "timeout"
  | "connection"
  | "rate-limited"
  | "overloaded"
  /** The call was not sent, because the provider failed too often lately or has too many calls at once. */
  | "held-back"
  | "credentials"
  | "refused"
  | "failed"
  | "malformed"

/** The failure of a call of a provider. Its description is for the log only, because it may quote the provider. */
export class ProviderFailure extends Data.TaggedError("ProviderFailure")<{
  readonly kind: FailureKind
  readonly description: string
  readonly retryable: boolean
  /** The wait before the next call, in milliseconds, which the provider or our own gate asks for. */
  readonly retryAfter?: number
  readonly status?: number
  readonly requestId?: string
}> {}

export const timedOut = (description: string) => new ProviderFailure({ kind: "timeout", description, retryable: true })

/** The failure of an answer that cannot be read. It is not retried, because the next one would be no better. */
export const malformed = (description: string) =>
  new ProviderFailure({ kind: "malformed", description, retryable: false })

export const disconnected = (description: string) =>
  new ProviderFailure({ kind: "connection", description, retryable: true })

/** The failure of an answer whose body ended too early. */
export const cutOff = disconnected("The response ended before the answer did")

/** The failure of a call that was answered with an error, by status or by an event of a stream. */
export const failureOfStatus = (error: {
  /** The status of the response, or of the error in the stream; undefined when that has none. */
  readonly status: number | undefined
  readonly description: string
  readonly headers: Headers | undefined
  readonly requestId?: string | null | undefined
  /** The time in milliseconds since the epoch, for a `retry-after` that is a date. */
  readonly now: number
}): ProviderFailure => {
  const { description, headers, now, requestId, status } = error
  const wait = retryAfterOf((name) => headers?.get(name), now)
  const retryAfter = wait === undefined ? 0 : Duration.toMillis(wait)
  return new ProviderFailure({
    kind: status === undefined ? "failed" : kindOfStatus(status),
    description,
    retryable: shouldRetry(headers, status),
    ...(retryAfter === 0 ? {} : { retryAfter }),
    ...(status === undefined ? {} : { status }),
    ...(requestId == null ? {} : { requestId }),
  })
}

/** The statuses of a provider without capacity: 503, and Anthropic's 529, "overloaded". */
export const overloadedStatuses: ReadonlySet<number> = new Set([503, 529])

const kindOfStatus = (status: number): FailureKind => {
  if (status === 429) return "rate-limited"
  if (overloadedStatuses.has(status)) return "overloaded"
  if (status === 408 || status === 504) return "timeout"
  if (status === 401 || status === 403) return "credentials"
  return status >= 500 ? "failed" : "refused"
}

const shouldRetry = (headers: Headers | undefined, status: number | undefined): boolean => {
  const advice = headers?.get("x-should-retry")
  if (advice === "true") return true
  if (advice === "false") return false
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500
}

/** The kinds of failures that count against the provider, and not against the request or the account. */
const unhealthy: ReadonlySet<FailureKind> = new Set(["timeout", "connection", "overloaded", "failed", "malformed"])

/** Whether a failure counts against the provider in its circuit breaker. */
export const isUnhealthy = ({ kind }: ProviderFailure): boolean => unhealthy.has(kind)

/** Whether this server stopped waiting for the answer. A time-out with a status is the provider's own. */
export const isGivenUp = (exit: Exit.Exit<unknown, ProviderFailure>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      reason._tag === "Interrupt" ||
      (reason._tag === "Fail" && reason.error.kind === "timeout" && reason.error.status === undefined),
  )

/** The failure in the terms of effect/ai. The cause of a time-out is a `TimeoutError`. */
export const toAiError = (failure: ProviderFailure, module: string, method: string): AiError.AiError =>
  AiError.make({ module, method, reason: reasonOf(failure) })

/** Removes the key from a description, which is logged, because some servers repeat the key that they refuse. */
export const withoutKey = (failure: ProviderFailure, apiKey: Redacted.Redacted | undefined): ProviderFailure => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  if (key === "" || !failure.description.includes(key)) return failure
  return new ProviderFailure({ ...failure, description: failure.description.replaceAll(key, "[key]") })
}

/** Explains to the operator why a status refuses a key, or its absence. Undefined for any other status. */
export const keyRefusal = (status: number | undefined, setting: string, wasSent: boolean): string | undefined => {
  if (status !== 401 && status !== 403) return undefined
  if (!wasSent) return `The provider wants a key, and ${setting} is not set (${status})`
  return status === 401
    ? `The provider refuses the key in ${setting} (401)`
    : `The provider does not let the key in ${setting} do this (403)`
}

/** Adds to the description of a refused key which setting has to be corrected. */
export const explainKeyRefusal = (failure: ProviderFailure, setting: string, wasSent: boolean): ProviderFailure => {
  const refused = failure.kind === "credentials" ? keyRefusal(failure.status, setting, wasSent) : undefined
  return refused === undefined
    ? failure
    : new ProviderFailure({ ...failure, description: `${refused}: ${failure.description}` })
}

const reasonOf = (failure: ProviderFailure): AiError.AiErrorReason => {
  const { description } = failure
  const http = httpContext(failure)
  switch (failure.kind) {
    case "timeout":
      return networkError(description, new Cause.TimeoutError(description))
    case "connection":
      return networkError(description)
    case "rate-limited":
      return new AiError.RateLimitError({
        ...http,
        ...(failure.retryAfter === undefined ? {} : { retryAfter: Duration.millis(failure.retryAfter) }),
      })
    case "held-back":
      return new AiError.InternalProviderError({ description, ...httpContext({ ...failure, status: 503 }) })
    case "overloaded":
    case "failed":
      return new AiError.InternalProviderError({ description, ...http })
    case "credentials":
      return new AiError.AuthenticationError({
        kind: failure.status === 403 ? "InsufficientPermissions" : "InvalidKey",
        description,
        ...http,
      })
    case "refused":
      return new AiError.InvalidRequestError({ description, ...http })
    case "malformed":
      return new AiError.InvalidResponseError({ description, ...http })
  }
}

const httpContext = (
  failure: Pick<ProviderFailure, "requestId" | "retryAfter" | "status">,
): { readonly http?: typeof AiError.HttpContext.Type } => {
  if (failure.status === undefined) return {}
  const headers = {
    ...(failure.requestId === undefined ? {} : { "request-id": failure.requestId }),
    ...(failure.retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(failure.retryAfter / 1_000)) }),
  }
  return { http: { response: { status: failure.status, headers } } }
}

const networkError = (description: string, cause?: Cause.TimeoutError) =>
  new AiError.NetworkError({
    reason: "TransportError",
    method: "POST",
    url: "",
    description,
    ...(cause === undefined ? {} : { cause }),
  })
