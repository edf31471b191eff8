import { type Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/Dialect.ts"
import { openAiErrorOf } from "../../api/OpenAiError.ts"
import { problemMediaType, problemOf, RequestId } from "../../api/Problem.ts"
import { declarationOf, type Failure } from "../../domain/Errors.ts"
import type { Declaration, Occurrence } from "../../domain/Failure.ts"

/** How a request that fails is answered in a dialect. */
interface Form {
  readonly mediaType: string
  readonly bodyOf: (declaration: Declaration, occurrence: Occurrence, requestId: string) => object
}

const problems: Form = { mediaType: problemMediaType, bodyOf: problemOf }

const forms: Readonly<Record<Dialect, Form>> = {
  parley: problems,
  openai: { mediaType: "application/json", bodyOf: openAiErrorOf },
  // Not in the form of JSON-RPC, since it may be no call that fails.
  mcp: problems,
}

/** Media type of the failures of a dialect. */
export const failureMediaType = (dialect: Dialect): string => forms[dialect].mediaType

/** `Retry-After`, where a failure says when to come back. */
export const retryAfter = (failure: unknown): { readonly "retry-after": string } | undefined =>
  Predicate.hasProperty(failure, "retry_after_seconds")
    ? { "retry-after": String(failure.retry_after_seconds) }
    : undefined

/** Answers with a failure that no endpoint declares. `more`: headers beside those that the failure has itself. */
export const respondWith = (
  dialect: Dialect,
  failure: Failure,
  more: Record<string, string> = {},
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  RequestId.useSync((requestId) => {
    const declaration = declarationOf(failure)
    const { bodyOf, mediaType } = forms[dialect]
    return HttpServerResponse.jsonUnsafe(bodyOf(declaration, failure, requestId), {
      status: declaration.status,
      contentType: mediaType,
      headers: { ...more, ...retryAfter(failure) },
    })
  })
