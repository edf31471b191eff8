import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk"
import { Schema } from "effect"
import { disconnected, failureOfStatus, malformed, type ProviderFailure, timedOut } from "../calls/ProviderFailure.ts"

/** The failure of a call for an error of the SDK. `now`, for a date in `retry-after`, is in milliseconds. */
export const failureOf = (error: unknown, now: number): ProviderFailure => {
  if (error instanceof APIConnectionTimeoutError) return timedOut("No response headers in time")
  if (error instanceof APIConnectionError) return disconnected(String(error.cause ?? error))
  if (!(error instanceof APIError)) return disconnected(String(error))
  const { headers, message, status, type } = error
  return failureOfStatus({ status: status ?? statusOfType[type ?? ""], description: message, headers, now })
}

/** The JSON of an error, in an event of a stream or as the body of a response. */
const ErrorEvent = Schema.Struct({ error: Schema.Struct({ type: Schema.String, message: Schema.String }) })
export const isErrorEvent = Schema.is(ErrorEvent)

/** The failure of a call for an `error` event of a stream, or for an error with status 200: both have only a type. */
export const failureOfEvent = (json: unknown): ProviderFailure =>
  isErrorEvent(json)
    ? failureOfStatus({
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
