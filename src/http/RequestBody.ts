import { isUtf8 } from "node:buffer"
import { Cause, Effect, Layer, Result, type Types } from "effect"
import { HttpServerError, HttpServerRequest, Multipart } from "effect/http"
import { OpenAiRequestBody, RequestBody } from "../api/Middleware.ts"
import { Config } from "../Config.ts"
import { InvalidRequest, TooLarge } from "../domain/Errors.ts"
import { jsonDepth } from "../domain/JsonDepth.ts"

/** Elsewhere, bytes that are no UTF-8 would silently become other text. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined

export const isForm = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["content-type"]?.startsWith("multipart/") === true

const limits = {
  FileTooLarge: "A file is too large.",
  FieldTooLarge: "A form field is too large.",
  BodyTooLarge: "The body is too large.",
  TooManyParts: "The form has too many parts.",
} as const

const isLimit = (reason: string): reason is keyof typeof limits => reason in limits

export const bodyTooLarge = new TooLarge({ detail: limits.BodyTooLarge })
export const unreadableBody = InvalidRequest.at("body", "Expected a body that can be read")

/** Why a body could not be read. */
export const bodyProblem = ({ reason }: HttpServerError.RequestParseError): TooLarge | InvalidRequest =>
  reason === "BodyTooLarge" ? bodyTooLarge : unreadableBody

/** Why a body could not be read, which the framework reports as a defect. */
const problemOf = (defect: unknown) => {
  if (Multipart.isMultipartError(defect)) {
    const reason = defect.reason._tag
    return isLimit(reason)
      ? new TooLarge({ detail: limits[reason] })
      : InvalidRequest.at("body", "Expected a complete multipart/form-data body")
  }
  if (HttpServerError.isHttpServerError(defect) && defect.reason._tag === "RequestParseError") {
    return bodyProblem(defect.reason)
  }
  return undefined
}

const make = Effect.gen(function* (): Effect.fn.Return<RequestBody["Service"], never, Config> {
  const { jsonDepthLimit } = yield* Config
  const notUtf8 = InvalidRequest.at("body", "Expected UTF-8")
  const tooDeep = InvalidRequest.at("body", `Expected JSON that nests at most ${jsonDepthLimit} levels deep`)

  const checkText = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (isForm(request)) return
    // The request keeps its bytes, so the handler does not receive them again.
    const text = decodeUtf8(new Uint8Array(yield* Effect.orDie(request.arrayBuffer)))
    if (text === undefined) return yield* notUtf8
    if (jsonDepth(text) > jsonDepthLimit) return yield* tooDeep
  })

  return (respond) =>
    Effect.catchCause(
      Effect.andThen(checkText, respond),
      (cause): Effect.Effect<never, Types.unhandled | InvalidRequest | TooLarge> => {
        const defect = Cause.findDefect(cause)
        const problem = Result.isSuccess(defect) ? problemOf(defect.success) : undefined
        return problem === undefined ? Effect.failCause(cause) : Effect.fail(problem)
      },
    )
})

export const layer = Layer.mergeAll(Layer.effect(RequestBody, make), Layer.effect(OpenAiRequestBody, make))
