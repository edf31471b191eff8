import { Data, Duration, Exit, type Redacted } from "effect"
import { retryAfterOf } from "../../outbound/RetryAfter.ts"
import { withoutKey } from "../../outbound/ServerWords.ts"

export type FailureKind =
  | "timeout"
  | "connection"
  | "rate-limited"
  | "overloaded"
  /** The call was not sent, because the provider failed too often lately or has too many calls at once. */
  | "held-back"
  | "credentials"
  | "refused"
  /** The prompt is longer than the model's context. */
  | "too-long"
  /** The server, or the model, takes no tools. */
  | "tools-refused"
  | "failed"
  | "malformed"
  /** The answer has neither text nor calls. */
  | "empty"

/** The failure of a call of a provider. Its description is for the log only, because it may quote the provider. */
export class ProviderFailure extends Data.TaggedError("ProviderFailure")<{
  readonly kind: FailureKind
  readonly description: string
  readonly retryable: boolean
  /** The wait before the next call, in milliseconds, which the provider or our own gate asks for. */
  readonly retryAfter?: number
  /** The status of the response, if there was one. */
  readonly status?: number
  /** The name of the provider, once the failure is that of the whole call. */
  readonly provider?: string
  /** The failure of the first model, if this one is that of a fallback, which says nothing of the first one. */
  readonly first?: ProviderFailure
}> {}

export const timedOut = (description: string) => new ProviderFailure({ kind: "timeout", description, retryable: true })

/** The failure of an answer that cannot be read. It is not retried, because the next one would be no better. */
export const malformed = (description: string) =>
  new ProviderFailure({ kind: "malformed", description, retryable: false })

export const emptyAnswer = (description: string) =>
  new ProviderFailure({ kind: "empty", description, retryable: false })

export const disconnected = (description: string) =>
  new ProviderFailure({ kind: "connection", description, retryable: true })

/** The failure of an answer that had begun. */
export const broken = (description: string) =>
  new ProviderFailure({ kind: "connection", description, retryable: true, status: 200 })

/** The failure of an answer whose body ended too early. */
export const cutOff = broken("The response ended before the answer did")

/** The failure of a call that was answered with an error, by status or by an event of a stream. */
export const failureOfStatus = (error: {
  /** The status of the response, or of the error in the stream; undefined when that has none. */
  readonly status: number | undefined
  readonly description: string
  readonly headers: Headers | undefined
  /** The time in milliseconds since the epoch, for a `retry-after` that is a date. */
  readonly now: number
}): ProviderFailure => {
  const { description, headers, now, status } = error
  const wait = retryAfterOf((name) => headers?.get(name), now)
  const retryAfter = wait === undefined ? 0 : Duration.toMillis(wait)
  return new ProviderFailure({
    kind: status === undefined ? "failed" : kindOfStatus(status),
    description,
    retryable: shouldRetry(headers, status),
    ...(retryAfter === 0 ? {} : { retryAfter }),
    ...(status === undefined ? {} : { status }),
  })
}

/** The statuses of a provider without capacity: 503, and Anthropic's 529, "overloaded". */
const overloadedStatuses: ReadonlySet<number> = new Set([503, 529])

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

/** The kinds of failures that count against the provider or the model, and not against the request or the account. */
const unhealthy: ReadonlySet<FailureKind> = new Set(["timeout", "connection", "overloaded"])

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

/** Explains to the operator why a status refuses a key, or its absence. Undefined for any other status. */
export const keyRefusal = (status: number | undefined, setting: string, wasSent: boolean): string | undefined => {
  if (status !== 401 && status !== 403) return undefined
  if (!wasSent) return `The provider wants a key, and there is none in ${setting} (${status})`
  return status === 401
    ? `The provider refuses the key in ${setting} (401)`
    : `The provider does not let the key in ${setting} do this (403)`
}

/**
 * The failure of a whole call, as it is logged: with the provider, the setting that corrects a refused key, and without
 * the key itself, which some servers repeat.
 */
export const explained = (
  failure: ProviderFailure,
  provider: string,
  apiKey: Redacted.Redacted | undefined,
  keySetting: string,
): ProviderFailure => {
  const said = withoutKey(failure.description, apiKey)
  const why = failure.kind === "credentials" ? keyRefusal(failure.status, keySetting, apiKey !== undefined) : undefined
  // The reason names the status, with which what a server says begins.
  const description = why === undefined ? said : `${why}: ${said.replace(/^\d{3} /, "")}`
  return new ProviderFailure({ ...failure, provider, description })
}
