import { isUtf8 } from "node:buffer"
import { ByteSize, Context, Duration, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import type { RequestBody } from "../../api/Middleware.ts"
import { IsForStrangers } from "../../api/parts/Annotations.ts"
import { InvalidRequest, RequestTimeout, TooLarge, UnsupportedMediaType } from "../../domain/Errors.ts"
import { jsonSize } from "../../text/Json.ts"

const JSON_TYPE = "application/json"

/** The largest body of a caller without a credential: an identity token of 4 KiB, and as much again. */
const STRANGERS_LIMIT = ByteSize.kibibytes(16)

/**
 * The most values of a JSON body, counting those within other values, and the most fields of one object in it. A field
 * that no endpoint knows is parsed and compared as any other, and 1 MiB holds 170,000 of them. A conversation of 1,000
 * messages has some 10,000 values.
 */
const VALUES_MAX_COUNT = 20_000
const FIELDS_MAX_COUNT = 1_000

/** Decodes UTF-8. Undefined for other bytes, which `TextDecoder` by itself would silently replace. */
const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined

/** The media type of a body, without parameters. A request without Content-Type counts as JSON. */
const mediaTypeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  (headers["content-type"] ?? JSON_TYPE).split(";", 1).join("").trim().toLowerCase()

/** Fails unless Content-Type names one of these media types. Nothing of the body is read. */
const ensureMediaType = (
  request: HttpServerRequest.HttpServerRequest,
  mediaTypes: ReadonlyArray<string>,
): Effect.Effect<void, UnsupportedMediaType> =>
  mediaTypes.includes(mediaTypeOf(request))
    ? Effect.void
    : Effect.fail(
        new UnsupportedMediaType({ detail: `Expected a body of type ${mediaTypes.join(" or ")}; see Content-Type.` }),
      )

/** Whether Content-Length exceeds this many bytes. Nothing of the body is read. */
export const isLonger = ({ headers }: HttpServerRequest.HttpServerRequest, limit: number): boolean =>
  Number(headers["content-length"] ?? 0) > limit

/** The failure that a client sees when its body could not be received. `limit` is the most bytes of a body. */
const problemOf = (error: HttpServerError.HttpServerError, limit: ByteSize.ByteSize | undefined) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? TooLarge.of("The body", Number(limit ?? 0))
    : InvalidRequest.at("body", "Expected a body that can be read")

/**
 * Time that a JSON body may take to arrive as a whole, and in which an upload has to bring 4 KiB for each second. It is
 * enough for a mobile phone with a bad connection, and short for clients that occupy places by saying nothing.
 */
export const BodyTimeout: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/http/edge/BodyTimeout",
  { defaultValue: () => "20 seconds" },
)

/** Deepest nesting of a JSON body: twice what the deepest request of the API has. */
const DEPTH_MAX = 32

type BodyFailure = InvalidRequest | RequestTimeout | TooLarge | UnsupportedMediaType

/**
 * Receives the JSON text of a request. It fails when the media type is another, the body is too large or does not
 * arrive in time, or the text nests too deep or holds too many values. The request keeps the bytes, so reading its body
 * again receives nothing more.
 */
export const readJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  timeout: Duration.Duration,
): Effect.fn.Return<string, BodyFailure> {
  yield* ensureMediaType(request, [JSON_TYPE])
  const limit = yield* HttpIncomingMessage.MaxBodySize
  if (limit !== undefined && isLonger(request, Number(limit))) return yield* TooLarge.of("The body", Number(limit))
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.mapError((error) => problemOf(error, limit)),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(tooSlow("The body: it did not arrive within", timeout)),
    }),
  )
  const text = decodeUtf8(new Uint8Array(bytes))
  if (text === undefined) return yield* InvalidRequest.at("body", "Expected UTF-8")
  if (text.trim() === "") return yield* InvalidRequest.at("body", "Expected a JSON body; there is none")
  const { deepest, values, widest } = jsonSize(text)
  if (deepest > DEPTH_MAX) {
    return yield* InvalidRequest.at("body", `Expected JSON that nests at most ${DEPTH_MAX} levels deep`)
  }
  if (values > VALUES_MAX_COUNT || widest > FIELDS_MAX_COUNT) {
    return yield* InvalidRequest.at(
      "body",
      `Expected JSON of at most ${VALUES_MAX_COUNT} values, and objects of at most ${FIELDS_MAX_COUNT} fields`,
    )
  }
  return text
})

/** The failure of a body that takes too long. Its detail is `what`, followed by the time in seconds. */
export const tooSlow = (what: string, time: Duration.Duration): RequestTimeout =>
  new RequestTimeout({ detail: `${what} ${Duration.toSeconds(time)} seconds.` })

/** Makes the middleware that checks and receives the bodies of requests. */
export const make = Effect.gen(function* (): Effect.fn.Return<(typeof RequestBody)["Service"]> {
  const timeout = Duration.fromInputUnsafe(yield* BodyTimeout)

  return (respond, { endpoint }) => {
    const mediaTypes = Array.from(endpoint.payload.keys())
    const takesForms = !mediaTypes.includes(JSON_TYPE)
    const isForStrangers = Context.get(endpoint.annotations, IsForStrangers)
    const receive = (request: HttpServerRequest.HttpServerRequest) =>
      isForStrangers
        ? Effect.provideService(readJson(request, timeout), HttpIncomingMessage.MaxBodySize, STRANGERS_LIMIT)
        : readJson(request, timeout)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      // The handler of a form receives the form itself, part by part.
      Effect.andThen(takesForms ? ensureMediaType(request, mediaTypes) : receive(request), respond),
    )
  }
})
