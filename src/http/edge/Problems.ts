import { Cause, Context, Effect, Result, Schema, SchemaIssue, type Types } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError } from "effect/http-api"
import type { Problems } from "../../api/Middleware.ts"
import { declarationOf, InternalError, InvalidRequest, isFailure } from "../../domain/Errors.ts"
import { http } from "../../observability/Metrics.ts"
import { retryAfter } from "./Respond.ts"
import { jsonSize } from "../../text/Json.ts"

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

/** The prefixes of paths that name a place in a part of the request. Fields of the body have no prefix. */
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

/** The failure of a request whose body does not decode. */
export const invalidBody = (issue: SchemaIssue.Issue): InvalidRequest => invalid("Payload", issue)

/** The most values of a JSON body whose issues are all listed. Of a larger body only the first issue is. */
const SEARCHED_VALUES_MAX = 2_000

/** Decoding the payloads of this API needs no services. */
const noServices: Context.Context<unknown> = Context.makeUnsafe(new Map())

/** Makes the decoder of an endpoint's JSON that reports all issues; undefined where the endpoint takes no JSON. */
const decoderOf = ({ endpoint, group }: Parameters<(typeof Problems)["Service"]>[1]) => {
  const json = endpoint.payload.get("application/json")
  if (json === undefined || json.encoding._tag === "Stream") return undefined
  const annotations = Context.merge(group.annotations, endpoint.annotations)
  return Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union(json.schemas)), {
    ...Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions),
    errors: "all",
  })
}

/** The decoders of the endpoints that have received an invalid body. */
const decoders = new WeakMap<object, ReturnType<typeof decoderOf>>()

/**
 * The failure of a JSON text whose decoding has stopped at its first issue, so that an invalid body costs no more than
 * a valid one. A small text is decoded once more, to list all of its issues.
 */
export const invalidJson = Effect.fnUntraced(function* <R>(
  text: string,
  first: SchemaIssue.Issue,
  decodeAll: (text: string) => Effect.Effect<unknown, Schema.SchemaError, R>,
) {
  if (jsonSize(text).values > SEARCHED_VALUES_MAX) return invalid("Payload", first, false)
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
  return yield* Effect.provideContext(invalidJson(text, first, decode), noServices)
})

/** The failure that clients see in place of a defect. */
export const internalError = new InternalError({
  detail: "The server failed. Its log has the reason under this request's id.",
})

const unexpected = (cause: Cause.Cause<unknown>) =>
  Effect.andThen(Effect.logError("A request failed", cause), Effect.fail(internalError))

/** Adds `Retry-After` to the response when the failure has `retry_after_seconds`. */
const addRetryAfter = (failure: unknown) => {
  const headers = retryAfter(failure)
  return headers === undefined
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(response, headers)),
      )
}

const count = (failure: unknown): Effect.Effect<void> =>
  Effect.sync(() => {
    if (isFailure(failure)) http.failures(declarationOf(failure).code).add()
  })

/** The middleware that answers the failures which endpoints do not declare, and counts all of them by their code. */
export const answerFailures: (typeof Problems)["Service"] = (respond, options) => {
  const answer = (
    cause: Cause.Cause<Types.unhandled>,
  ): Effect.Effect<never, Types.unhandled | InvalidRequest | InternalError, HttpServerRequest.HttpServerRequest> => {
    const found = Cause.findError(cause)
    if (Result.isFailure(found)) return Cause.hasInterrupts(cause) ? Effect.failCause(cause) : unexpected(cause)
    const failure: unknown = found.success
    if (!HttpApiError.HttpApiSchemaError.is(failure))
      return Effect.andThen(addRetryAfter(failure), Effect.failCause(cause))
    if (failure.kind === "Payload") return Effect.flip(invalidPayload(failure.cause.issue, options))
    return isRequestPart(failure.kind) ? Effect.fail(invalid(failure.kind, failure.cause.issue)) : unexpected(cause)
  }
  return Effect.catchCause(respond, (cause) => Effect.tapError(answer(cause), count))
}
