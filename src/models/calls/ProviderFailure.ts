import { Cause, Data, Duration, Exit, Redacted } from "effect"
import * as AiError from "effect/ai/AiError"
import { retryAfterOf } from "../../outbound/RetryAfter.ts"

export type FailureKind =
  | "timeout"
  | "connection"
  | "rate-limited"
  | "overloaded"
  /** Not asked at all: the provider failed too often of late, or has too many of our calls already. */
  | "held-back"
  | "credentials"
  | "refused"
  | "failed"
  | "malformed"

/** Why a call of a provider failed. `description` is for the log: it may quote the provider. */
export class ProviderFailure extends Data.TaggedError("ProviderFailure")<{
  readonly kind: FailureKind
  readonly description: string
  readonly retryable: boolean
  /** How long to wait before the next call, in milliseconds: what the provider asks for, or what we know ourselves. */
  readonly retryAfter?: number
  readonly status?: number
  readonly requestId?: string
}> {}

export const timedOut = (description: string) => new ProviderFailure({ kind: "timeout", description, retryable: true })

export const malformed = (description: string) =>
  new ProviderFailure({ kind: "malformed", description, retryable: false })

export const disconnected = (description: string) =>
  new ProviderFailure({ kind: "connection", description, retryable: true })

/** The body was cut, or ended before its answer did. */
export const cutOff = disconnected("The response ended before the answer did")

/** A status that is no success, or the one that an error in a stream stands for; absent when it stands for none. */
export const ofStatus = (given: {
  readonly status: number | undefined
  readonly description: string
  readonly headers: Headers | undefined
  readonly requestId?: string | null | undefined
  /** In milliseconds since the epoch, for a `retry-after` that is a date. */
  readonly now: number
}): ProviderFailure => {
  const { description, headers, now, requestId, status } = given
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

const kindOfStatus = (status: number): FailureKind => {
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

/** The kinds that speak of the provider's health. The others speak of the request, of our account or of ourselves. */
const unhealthy: ReadonlySet<FailureKind> = new Set(["timeout", "connection", "overloaded", "failed", "malformed"])

export const isUnhealthy = ({ kind }: ProviderFailure): boolean => unhealthy.has(kind)

/** Whether it was we who did not wait for the answer. A time-out that has a status is the provider's own. */
export const isGivenUp = (exit: Exit.Exit<unknown, ProviderFailure>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      reason._tag === "Interrupt" ||
      (reason._tag === "Fail" && reason.error.kind === "timeout" && reason.error.status === undefined),
  )

/** The failure in effect/ai's terms, as `ProviderErrors.ts` reads them; a time-out is caused by a `TimeoutError`. */
export const toAiError = (failure: ProviderFailure, module: string, method: string): AiError.AiError =>
  AiError.make({ module, method, reason: reasonOf(failure) })

/** Some servers repeat the key that they refuse, and the description goes to the log. */
export const withoutKey = (failure: ProviderFailure, apiKey: Redacted.Redacted | undefined): ProviderFailure => {
  const key = apiKey === undefined ? "" : Redacted.value(apiKey)
  if (key === "" || !failure.description.includes(key)) return failure
  return new ProviderFailure({ ...failure, description: failure.description.replaceAll(key, "[key]") })
}

/** What a status says of the key that was sent, or was not; undefined when it says nothing. */
export const refusedKey = (status: number | undefined, setting: string, wasSent: boolean): string | undefined => {
  if (status !== 401 && status !== 403) return undefined
  if (!wasSent) return `The provider wants a key, and ${setting} is not set (${status})`
  return status === 401
    ? `The provider refuses the key in ${setting} (401)`
    : `The provider does not let the key in ${setting} do this (403)`
}

/** A key that is refused is mended in the settings, so its failure says in which. */
export const namingSetting = (failure: ProviderFailure, setting: string, wasSent: boolean): ProviderFailure => {
  const refused = failure.kind === "credentials" ? refusedKey(failure.status, setting, wasSent) : undefined
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
