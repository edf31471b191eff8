import { type Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/Dialect.ts"
import type { FailureForm } from "../../api/FailureForm.ts"
import { openAiForm } from "../../api/OpenAiError.ts"
import { problemForm } from "../../api/Problem.ts"
import { RequestId } from "../../api/RequestId.ts"
import { declarationOf, type Failure } from "../../domain/Errors.ts"

/** The form of the response to a request that fails. For MCP it is not that of JSON-RPC: the request may hold no call. */
const forms: Readonly<Record<Dialect, Pick<FailureForm<object>, "encode" | "mediaType">>> = {
  parley: problemForm,
  openai: openAiForm,
  mcp: problemForm,
}

/** The media type in which a dialect tells failures. */
export const failureMediaType = (dialect: Dialect): string => forms[dialect].mediaType

/** The header `Retry-After`, where a failure says when to come back. */
export const retryAfter = (failure: unknown): { readonly "retry-after": string } | undefined =>
  Predicate.hasProperty(failure, "retry_after_seconds")
    ? { "retry-after": String(failure.retry_after_seconds) }
    : undefined

/** The response that tells a failure which no endpoint declares. `more` are headers beside those of the failure itself. */
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
