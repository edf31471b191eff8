import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk"
import { Cause, Data, Duration } from "effect"
import { AiError } from "effect/ai"

type Kind =
  | "timeout"
  | "connection"
  | "rate-limited"
  | "overloaded"
  | "credentials"
  | "refused"
  | "failed"
  | "malformed"

/** Why a call failed. `description` is for the log: it may quote the provider. */
export class AnthropicFailure extends Data.TaggedError("AnthropicFailure")<{
  readonly kind: Kind
  readonly description: string
  readonly retryable: boolean
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter?: number
  readonly status?: number
  readonly requestId?: string
}> {}

export const timedOut = (description: string) => new AnthropicFailure({ kind: "timeout", description, retryable: true })

export const malformed = (description: string) =>
  new AnthropicFailure({ kind: "malformed", description, retryable: false })

/** The stream was cut, or ended before its message did. */
export const cutOff = new AnthropicFailure({
  kind: "connection",
  description: "The stream ended before the message did",
  retryable: true,
})

/** `now` is in milliseconds since the epoch, for a `retry-after` that is a date. */
export const classify = (error: unknown, now: number): AnthropicFailure => {
  if (error instanceof APIConnectionTimeoutError) return timedOut("No response headers in time")
  if (error instanceof APIConnectionError) return connection(String(error.cause ?? error))
  if (error instanceof APIError) return ofApiError(error, now)
  if (error instanceof SyntaxError) return malformed(`The response is not JSON: ${error.message}`)
  // Bun reports a socket that drops within a body as a plain TypeError.
  return connection(String(error))
}

const connection = (description: string) => new AnthropicFailure({ kind: "connection", description, retryable: true })

const ofApiError = (error: APIError, now: number): AnthropicFailure => {
  const status = error.status ?? statusOfType[error.type ?? ""]
  const retryAfter = retryAfterMillis(error.headers, now)
  return new AnthropicFailure({
    kind: status === undefined ? "failed" : kindOfStatus(status),
    description: error.message,
    retryable: shouldRetry(error.headers, status),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(status === undefined ? {} : { status }),
    ...(error.requestID == null ? {} : { requestId: error.requestID }),
  })
}

/** An error event in a stream has a type, but no status. */
const statusOfType: { readonly [type: string]: number | undefined } = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

const kindOfStatus = (status: number): Kind => {
  if (status === 429) return "rate-limited"
  if (status === 503 || status === 529) return "overloaded"
  if (status === 408 || status === 504) return "timeout"
  if (status === 401 || status === 403) return "credentials"
  return status >= 500 ? "failed" : "refused"
}

const shouldRetry = (headers: Headers | undefined, status: number | undefined): boolean => {
  const said = headers?.get("x-should-retry")
  if (said === "true") return true
  if (said === "false") return false
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500
}

const retryAfterMillis = (headers: Headers | undefined, now: number): number | undefined => {
  const millis = Number.parseFloat(headers?.get("retry-after-ms") ?? "")
  if (millis > 0) return millis
  const after = headers?.get("retry-after") ?? ""
  const seconds = Number.parseFloat(after)
  const wait = Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1_000
  return wait > 0 ? wait : undefined
}

/** The failure in effect/ai's terms, as `ProviderErrors.ts` reads them; a time-out is caused by a `TimeoutError`. */
export const toAiError = (failure: AnthropicFailure, method: string): AiError.AiError =>
  AiError.make({ module: "Anthropic", method, reason: reasonOf(failure) })

const reasonOf = (failure: AnthropicFailure): AiError.AiErrorReason => {
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
    case "overloaded":
    case "failed":
      return new AiError.InternalProviderError({ description, ...http })
    case "credentials":
      return new AiError.AuthenticationError({ kind: "Unknown", description, ...http })
    case "refused":
      return new AiError.InvalidRequestError({ description, ...http })
    case "malformed":
      return new AiError.InvalidResponseError({ description, ...http })
  }
}

const httpContext = (failure: AnthropicFailure): { readonly http?: typeof AiError.HttpContext.Type } => {
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
    url: "/v1/messages",
    description,
    ...(cause === undefined ? {} : { cause }),
  })
