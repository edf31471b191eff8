import { Cause, Effect, Layer, Predicate, Result, SchemaIssue, type Types } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { OpenAiProblems, Problems } from "../api/Middleware.ts"
import { InternalError, InvalidRequest } from "../domain/Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey":
        return "Unknown or read-only field"
      case "MissingKey":
        return "Required"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  },
})

/** Where a part of the request is found; the body's fields stand for themselves. */
const places = { Params: ["path"], Query: ["query"], Headers: ["header"], Payload: [] } as const

const isRequestPart = (kind: HttpApiError.HttpApiSchemaError["kind"]): kind is keyof typeof places => kind in places

export const invalid = (kind: keyof typeof places, cause: HttpApiError.HttpApiSchemaError["cause"]) => {
  const errors = format(cause.issue).issues.map(({ path = [], message }) => {
    const inner = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
    return { path: [...places[kind], ...inner].join(".") || "body", message }
  })
  const [first] = errors
  return new InvalidRequest({ detail: first ? `${first.path}: ${first.message}` : "The request is not valid.", errors })
}

export const internalError = new InternalError({
  detail: "The server failed. Its log has the reason under this request's id.",
})

const unexpected = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(Effect.logError("A request failed", cause), Effect.fail(internalError))

/** `Retry-After` for the failures that say when to come back. */
const sayWhen = (failure: unknown) =>
  Predicate.hasProperty(failure, "retry_after_seconds")
    ? HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(failure.retry_after_seconds))),
      )
    : Effect.void

type Failure = Types.unhandled | InvalidRequest | InternalError

const tell: Problems["Service"] = (respond) =>
  Effect.catchCause(respond, (cause): Effect.Effect<never, Failure, HttpServerRequest.HttpServerRequest> => {
    const found = Cause.findError(cause)
    if (Result.isFailure(found)) return Cause.hasInterrupts(cause) ? Effect.failCause(cause) : unexpected(cause)
    const failure: unknown = found.success
    if (!HttpApiError.HttpApiSchemaError.is(failure)) return Effect.andThen(sayWhen(failure), Effect.failCause(cause))
    return isRequestPart(failure.kind) ? Effect.fail(invalid(failure.kind, failure.cause)) : unexpected(cause)
  })

export const layer = Layer.mergeAll(Layer.succeed(Problems, tell), Layer.succeed(OpenAiProblems, tell))
