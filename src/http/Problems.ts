import { Cause, Effect, Layer, Predicate, Result, SchemaIssue, type Types } from "effect"
import { HttpEffect, HttpServerError, type HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Problems } from "../api/Middleware.ts"
import { InternalError, InvalidRequest, TooLarge } from "../domain/Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a part of the request is found; the body's fields stand for themselves. */
const places = { Params: "path", Query: "query", Headers: "header", Payload: "" } as const

const isRequestPart = (kind: HttpApiError.HttpApiSchemaError["kind"]): kind is keyof typeof places => kind in places

const pathText = (place: string, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = []) =>
  [
    ...(place === "" ? [] : [place]),
    ...path.map((segment) => String(typeof segment === "object" ? segment.key : segment)),
  ].join(".") || "body"

const fromSchemaError = (error: HttpApiError.HttpApiSchemaError) => {
  if (!isRequestPart(error.kind)) return undefined
  const place = places[error.kind]
  const errors = format(error.cause.issue).issues.map(({ path, message }) => ({
    path: pathText(place, path),
    message,
  }))
  const [first] = errors
  return new InvalidRequest({ detail: first ? `${first.path}: ${first.message}` : "The request is not valid.", errors })
}

const tooLarge = {
  FileTooLarge: "A file is too large.",
  FieldTooLarge: "A form field is too large.",
  BodyTooLarge: "The body is too large.",
  TooManyParts: "The form has too many parts.",
} as const

const isLimit = (reason: string): reason is keyof typeof tooLarge => reason in tooLarge

/** A body that could not be read; the framework reports it as a defect. */
const fromDefect = (defect: unknown) => {
  if (Multipart.isMultipartError(defect)) {
    const reason = defect.reason._tag
    if (isLimit(reason)) return new TooLarge({ detail: tooLarge[reason] })
    return InvalidRequest.at("body", "Expected a complete multipart/form-data body")
  }
  if (HttpServerError.isHttpServerError(defect) && defect.reason._tag === "RequestParseError") {
    return defect.reason.reason === "BodyTooLarge"
      ? new TooLarge({ detail: tooLarge.BodyTooLarge })
      : InvalidRequest.at("body", "Expected a body that can be read")
  }
  return undefined
}

const internal = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(
    Effect.logError("A request failed", cause),
    Effect.fail(new InternalError({ detail: "The server failed. Its log has the reason under this request's id." })),
  )

type Problem = Types.unhandled | InvalidRequest | TooLarge | InternalError

/** `Retry-After` for the failures that say when to come back. */
const sayWhen = (failure: unknown) =>
  Predicate.hasProperty(failure, "retry_after_seconds")
    ? HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(failure.retry_after_seconds))),
      )
    : Effect.void

export const layer = Layer.succeed(Problems, (respond) =>
  Effect.catchCause(respond, (cause): Effect.Effect<never, Problem, HttpServerRequest.HttpServerRequest> => {
    const found = Cause.findError(cause)
    if (Result.isSuccess(found)) {
      const failure: unknown = found.success
      if (HttpApiError.HttpApiSchemaError.is(failure)) {
        const invalid = fromSchemaError(failure)
        return invalid === undefined ? internal(cause) : Effect.fail(invalid)
      }
      return Effect.andThen(sayWhen(failure), Effect.failCause(cause))
    }
    if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
    const defect = Cause.findDefect(cause)
    const problem = Result.isSuccess(defect) ? fromDefect(defect.success) : undefined
    return problem === undefined ? internal(cause) : Effect.fail(problem)
  }),
)
