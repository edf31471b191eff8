import { isUtf8 } from "node:buffer"
import { type ByteSize, Cause, Duration, Effect, Result, type Types } from "effect"
import { HttpIncomingMessage, HttpServerError, HttpServerRequest } from "effect/http"
import type { RequestBody } from "../../api/Middleware.ts"
import { Config } from "../../Config.ts"
import { InvalidRequest, RequestTimeout, TooLarge, UnsupportedMediaType } from "../../domain/Errors.ts"
import { jsonDepth } from "../../text/JsonDepth.ts"
import { within } from "../../system/Within.ts"

const JSON_TYPE = "application/json"

/** Elsewhere, bytes that are no UTF-8 would silently become other text. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined

/** The media type of a body without its parameters. One that is not told is JSON. */
const mediaTypeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  (headers["content-type"] ?? JSON_TYPE).split(";", 1).join("").trim().toLowerCase()

/** Fails when the body says that it is of none of these media types. Nothing of the body is read. */
const ensureMediaType = (
  request: HttpServerRequest.HttpServerRequest,
  taken: ReadonlyArray<string>,
): Effect.Effect<void, UnsupportedMediaType> =>
  taken.includes(mediaTypeOf(request))
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({ detail: `Expected a body of type ${taken.join(" or ")}; see Content-Type.` }),
      )

/** Whether the body says that it is longer than this many bytes. Nothing of the body is read. */
export const isLonger = ({ headers }: HttpServerRequest.HttpServerRequest, limit: number): boolean =>
  Number(headers["content-length"] ?? 0) > limit

export const unreadableBody = InvalidRequest.at("body", "Expected a body that can be read")

/** Why a body could not be read. */
const problemOf = (error: HttpServerError.HttpServerError, limit: ByteSize.ByteSize | undefined) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? TooLarge.of("The body", Number(limit ?? 0))
    : unreadableBody

export interface BodySettings {
  /** Levels that JSON may nest. */
  readonly jsonDepthLimit: number
  /** How long a body may take to arrive. */
  readonly bodyTimeout: Duration.Duration
}

type BodyRefused = InvalidRequest | RequestTimeout | TooLarge | UnsupportedMediaType

/**
 * The JSON text of a request: of the right media type, no longer and nested no deeper than the settings say, and there
 * in time. The request keeps its bytes, so whoever asks for them afterwards does not receive them again.
 */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  { bodyTimeout, jsonDepthLimit }: BodySettings,
): Effect.Effect<string, BodyRefused> =>
  Effect.gen(function* () {
    yield* ensureMediaType(request, [JSON_TYPE])
    const limit = yield* HttpIncomingMessage.MaxBodySize
    if (limit !== undefined && isLonger(request, Number(limit))) return yield* TooLarge.of("The body", Number(limit))
    const bytes = yield* request.arrayBuffer.pipe(
      Effect.mapError((error) => problemOf(error, limit)),
      within(bodyTimeout, () => tooSlow("The body: it did not arrive within", bodyTimeout)),
    )
    const text = decodeUtf8(new Uint8Array(bytes))
    if (text === undefined) return yield* InvalidRequest.at("body", "Expected UTF-8")
    if (text.trim() === "") return yield* InvalidRequest.at("body", "Expected a JSON body; there is none")
    if (jsonDepth(text) > jsonDepthLimit) {
      return yield* InvalidRequest.at("body", `Expected JSON that nests at most ${jsonDepthLimit} levels deep`)
    }
    return text
  })

/** `what` completes with the time that it took too long for. */
export const tooSlow = (what: string, time: Duration.Duration): RequestTimeout =>
  new RequestTimeout({ detail: `${what} ${Duration.toSeconds(time)} seconds.` })

export const make = Effect.gen(function* (): Effect.fn.Return<(typeof RequestBody)["Service"], never, Config> {
  const { requests } = yield* Config

  return (respond, { endpoint }) => {
    const taken = Array.from(endpoint.payload.keys())
    const takesForms = !taken.includes(JSON_TYPE)
    return Effect.catchCause(
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        // A form is read by who takes it, part by part.
        Effect.andThen(takesForms ? ensureMediaType(request, taken) : readJson(request, requests), respond),
      ),
      (cause): Effect.Effect<never, Types.unhandled | BodyRefused> => {
        const defect = Cause.findDefect(cause)
        return Result.isSuccess(defect) && HttpServerError.isHttpServerError(defect.success)
          ? Effect.fail(problemOf(defect.success, undefined))
          : Effect.failCause(cause)
      },
    )
  }
})
