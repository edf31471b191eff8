import { type Effect, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { FailureForm } from "../../api/failures/FailureForm.ts"
import { openAiForm } from "../../api/failures/OpenAiError.ts"
import { problemForm } from "../../api/failures/Problem.ts"
import { RequestId } from "../../domain/RequestId.ts"
import { http } from "../../observability/Metrics.ts"
import { declarationOf, type Failure } from "../../domain/Errors.ts"

/** The forms of failed requests by dialect. MCP's is not JSON-RPC's, since such a request need not contain a call. */
const forms: Readonly<Record<Dialect, Pick<FailureForm<object>, "encode" | "mediaType">>> = {
  parley: problemForm,
  openai: openAiForm,
  mcp: problemForm,
}

/** The header `Retry-After` of a failure that has `retry_after_seconds`; undefined for all others. */
export const retryAfter = (failure: unknown): { readonly "retry-after": string } | undefined =>
  Predicate.hasProperty(failure, "retry_after_seconds")
    ? { "retry-after": String(failure.retry_after_seconds) }
    : undefined

/** Responds with a failure in the form of a dialect. `more` are headers beside those of the failure itself. */
export const respondWith = (
  dialect: Dialect,
  failure: Failure,
  more: Record<string, string> = {},
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  RequestId.useSync((requestId) => {
    const declaration = declarationOf(failure)
    http.failures(declaration.code).add()
    const { encode, mediaType } = forms[dialect]
    return HttpServerResponse.jsonUnsafe(encode(declaration, failure, requestId), {
      status: declaration.status,
      contentType: mediaType,
      headers: { ...more, ...retryAfter(failure) },
    })
  })
