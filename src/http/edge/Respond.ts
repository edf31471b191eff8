import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/Dialect.ts"
import * as OpenAiError from "../../api/OpenAiError.ts"
import * as Problem from "../../api/Problem.ts"

/*
 * Errors that no endpoint declares, in the form that the dialect has for them.
 */

const encodeProblem = Schema.encodeEffect(
  Schema.Union([
    Problem.InvalidRequest,
    Problem.UnsupportedVersion,
    Problem.Unauthorized,
    Problem.Forbidden,
    Problem.NotFound,
    Problem.MethodNotAllowed,
    Problem.RequestTimeout,
    Problem.TooLarge,
    Problem.UnsupportedMediaType,
    Problem.InternalError,
    Problem.Unavailable,
  ]),
)

/** `more`: headers beside those that the error has itself. */
export const respondWith = (
  dialect: Dialect,
  error: Parameters<typeof encodeProblem>[0],
  more: Record<string, string> = {},
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const headers = "retry_after_seconds" in error ? { ...more, "retry-after": String(error.retry_after_seconds) } : more
  if (dialect === "openai") {
    const { body, status } = OpenAiError.rendered(error)
    return Effect.succeed(HttpServerResponse.jsonUnsafe(body, { status, headers }))
  }
  return Effect.map(Effect.orDie(encodeProblem(error)), (problem) =>
    HttpServerResponse.jsonUnsafe(problem, { status: problem.status, contentType: Problem.problemMediaType, headers }),
  )
}
