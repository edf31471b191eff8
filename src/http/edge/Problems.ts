import { Cause, Context, Effect, Result, Schema, SchemaIssue, type Types } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError } from "effect/http-api"
import type { Problems } from "../../api/Middleware.ts"
import { InternalError, InvalidRequest } from "../../domain/Errors.ts"
import { retryAfter } from "./Respond.ts"
import { jsonValues } from "../../text/JsonDepth.ts"

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

const invalid = (kind: keyof typeof places, issue: SchemaIssue.Issue, isComplete = true) =>
  InvalidRequest.of(
    format(issue).issues.map(({ path = [], message }) => {
      const inner = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
      return { path: [...places[kind], ...inner].join(".") || "body", message }
    }),
    isComplete,
  )

/** What is wrong with a body. */
export const invalidBody = (issue: SchemaIssue.Issue): InvalidRequest => invalid("Payload", issue)

/** Values of a JSON body, at most, for everything that is wrong with it to be looked for, instead of the first place. */
const SEARCHED_VALUES_MAX = 2_000

/** Our payloads need none to be decoded. */
const noServices: Context.Context<unknown> = Context.makeUnsafe(new Map())

/** Decodes the JSON of an endpoint and says all that is wrong with it. Nothing where the endpoint takes no JSON. */
const decoderOf = ({ endpoint, group }: Parameters<(typeof Problems)["Service"]>[1]) => {
  const json = endpoint.payload.get("application/json")
  if (json === undefined || json.encoding._tag === "Stream") return undefined
  const annotations = Context.merge(group.annotations, endpoint.annotations)
  return Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union(json.schemas)), {
    ...Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions),
    errors: "all",
  })
}

/** Of the endpoints that were sent something wrong. */
const decoders = new WeakMap<object, ReturnType<typeof decoderOf>>()

/**
 * What is wrong with JSON that was decoded up to its first mistake, which costs no more than to decode what is right:
 * where it is small, all of that is looked for.
 */
export const searched = Effect.fnUntraced(function* <R>(
  text: string,
  first: SchemaIssue.Issue,
  decodeAll: (text: string) => Effect.Effect<unknown, Schema.SchemaError, R>,
) {
  if (jsonValues(text) > SEARCHED_VALUES_MAX) return invalid("Payload", first, false)
  const all = yield* Effect.result(decodeAll(text))
  return invalidBody(Result.isFailure(all) ? all.failure.issue : first)
})

const invalidPayload = Effect.fnUntraced(function* (
  first: SchemaIssue.Issue,
  options: Parameters<(typeof Problems)["Service"]>[1],
) {
  const { endpoint } = options
  const decode = decoders.has(endpoint) ? decoders.get(endpoint) : decoderOf(options)
  decoders.set(endpoint, decode)
  if (decode === undefined) return invalidBody(first)
  const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
  return yield* Effect.provideContext(searched(text, first, decode), noServices)
})

export const internalError = new InternalError({
  detail: "The server failed. Its log has the reason under this request's id.",
})

const unexpected = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(Effect.logError("A request failed", cause), Effect.fail(internalError))

/** Adds `Retry-After` to the response, where the failure says when to come back. */
const sayWhen = (failure: unknown) => {
  const headers = retryAfter(failure)
  return headers === undefined
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(response, headers)),
      )
}

export const tell: (typeof Problems)["Service"] = (respond, options) =>
  Effect.catchCause(
    respond,
    (
      cause,
    ): Effect.Effect<never, Types.unhandled | InvalidRequest | InternalError, HttpServerRequest.HttpServerRequest> => {
      const found = Cause.findError(cause)
      if (Result.isFailure(found)) return Cause.hasInterrupts(cause) ? Effect.failCause(cause) : unexpected(cause)
      const failure: unknown = found.success
      if (!HttpApiError.HttpApiSchemaError.is(failure)) return Effect.andThen(sayWhen(failure), Effect.failCause(cause))
      if (failure.kind === "Payload") return Effect.flip(invalidPayload(failure.cause.issue, options))
      return isRequestPart(failure.kind) ? Effect.fail(invalid(failure.kind, failure.cause.issue)) : unexpected(cause)
    },
  )
