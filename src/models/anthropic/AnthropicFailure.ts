import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk"
import { Schema } from "effect"
import { disconnected, malformed, ofStatus, type ProviderFailure, timedOut } from "../calls/ProviderFailure.ts"

/** What the SDK throws. `now` is in milliseconds since the epoch, for a `retry-after` that is a date. */
export const classify = (error: unknown, now: number): ProviderFailure => {
  if (error instanceof APIConnectionTimeoutError) return timedOut("No response headers in time")
  if (error instanceof APIConnectionError) return disconnected(String(error.cause ?? error))
  if (!(error instanceof APIError)) return disconnected(String(error))
  return ofStatus({
    status: error.status ?? statusOfType[error.type ?? ""],
    description: error.message,
    headers: error.headers,
    requestId: error.requestID,
    now,
  })
}

const ErrorEvent = Schema.Struct({ error: Schema.Struct({ type: Schema.String, message: Schema.String }) })
export const isErrorEvent = Schema.is(ErrorEvent)

/** An `error` event of a stream, or an error with status 200: it has a type, but no status. */
export const errorEvent = (json: unknown): ProviderFailure =>
  isErrorEvent(json)
    ? ofStatus({
        status: statusOfType[json.error.type],
        description: `${json.error.type}: ${json.error.message}`,
        headers: undefined,
        now: 0,
      })
    : malformed("An error event of the stream is broken")

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
