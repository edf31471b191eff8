import { type Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/Dialect.ts"
import type { FailureForm } from "../../api/FailureForm.ts"
import { openAiForm } from "../../api/OpenAiError.ts"
import { problemForm } from "../../api/Problem.ts"
import { RequestId } from "../../api/RequestId.ts"
import { declarationOf, type Failure } from "../../domain/Errors.ts"

/** How requests that fail are answered. Those for MCP not in the form of JSON-RPC, since they may hold no call. */
const forms: Readonly<Record<Dialect, Pick<FailureForm<object>, "encode" | "mediaType">>> = {
  parley: problemForm,
  openai: openAiForm,
  mcp: problemForm,
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
    const { encode, mediaType } = forms[dialect]
    return HttpServerResponse.jsonUnsafe(encode(declaration, failure, requestId), {
      status: declaration.status,
      contentType: mediaType,
      headers: { ...more, ...retryAfter(failure) },
    })
  })
