import { Cause, Clock, Effect, Result } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import type { Dialect } from "../../api/Dialect.ts"
import { RequestId } from "../../api/RequestId.ts"
import { type Area, areaOf, methodsAt } from "../../api/Routes.ts"
import * as Errors from "../../domain/Errors.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { type Lifecycle, shuttingDown } from "./Lifecycle.ts"
import { inFewWrites } from "./LargeAnswer.ts"
import { pathOf } from "./PathOf.ts"
import { internalError } from "./Problems.ts"
import { unreadableBody } from "./RequestBody.ts"
import { failureMediaType, respondWith } from "./Respond.ts"

/*
 * What holds for every request, whatever it asks for: its id, the version, CORS, the form of errors that no endpoint
 * declares, and one line in the log.
 */

const wellFormedId = /^[A-Za-z0-9._-]{1,128}$/

/** The id that a request was sent with, if it can be kept. */
export const keptId = (sent: string | undefined): string | undefined =>
  sent !== undefined && wellFormedId.test(sent) ? sent : undefined

const versionHeaders = ["accept-version", "x-api-version"]
const spokenVersions = new Set(["1", "1.0", apiVersion])

/** As the specification shows them for operation 9; never the caller's own origin, since credentials are allowed. */
const corsHeaders = {
  "access-control-allow-credentials": "true",
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET,OPTIONS,PATCH,DELETE,POST,PUT",
  "access-control-allow-headers":
    "X-CSRF-Token, X-Requested-With, Accept, Accept-Version, Content-Length, Content-MD5, Content-Type, Date, X-Api-Version, x-api-key, Authorization, Idempotency-Key, If-Match, Prefer, x-request-id",
  "access-control-expose-headers":
    "ETag, Link, Retry-After, Server-Timing, X-Api-Version, x-message-id, x-request-id, x-session-id",
}

/**
 * Clients of OpenAI say in headers of their own what they are, and which these are changes with their versions. The
 * asterisk stands for all but `Authorization`, as long as no cookies are sent, which our origin forbids.
 */
const corsHeadersForOpenAi = {
  ...corsHeaders,
  "access-control-allow-headers": `${corsHeaders["access-control-allow-headers"]}, x-session-id, *`,
}

const corsHeadersFor = ({ dialect, isCrossOrigin }: Area) => {
  if (!isCrossOrigin) return undefined
  return dialect === "openai" ? corsHeadersForOpenAi : corsHeaders
}

const notRouted = (request: HttpServerRequest.HttpServerRequest, dialect: Dialect) => {
  const methods = methodsAt(pathOf(request.url))
  // A known path with a part that is longer than any name is not routed either.
  return methods.length === 0 || methods.includes(request.method)
    ? respondWith(dialect, new Errors.NotFound({ detail: "There is nothing at this path." }))
    : respondWith(
        dialect,
        new Errors.MethodNotAllowed({
          detail: `${request.method} is not possible here. Possible: ${methods.join(", ")}.`,
        }),
        { allow: methods.join(", ") },
      )
}

/** What no endpoint answered. */
const onFailure =
  (request: HttpServerRequest.HttpServerRequest, dialect: Dialect, lifecycle: Lifecycle["Service"]) =>
  (cause: Cause.Cause<unknown>) => {
    const error = Cause.findError(cause)
    if (
      Result.isSuccess(error) &&
      HttpServerError.isHttpServerError(error.success) &&
      error.success.reason._tag === "RouteNotFound"
    ) {
      return notRouted(request, dialect)
    }
    if (Cause.hasInterrupts(cause)) {
      // Where we did not give up ourselves, the client is gone: there is nobody to tell.
      return lifecycle.phase === "closing"
        ? respondWith(dialect, shuttingDown)
        : Effect.succeed(HttpServerResponse.empty({ status: 499 }))
    }
    return Effect.andThen(Effect.logError("A request failed", cause), respondWith(dialect, internalError))
  }

const wrongMediaType =
  "Expected a body of type application/json, or multipart/form-data where files are sent; see Content-Type."

/** The framework's own refusals are plain text or empty; here they get the form that all errors have. */
const inForm = (dialect: Dialect, response: HttpServerResponse.HttpServerResponse) => {
  // The errors of MCP have a form of their own.
  if (response.status < 400 || dialect === "mcp") return undefined
  if (response.headers["content-type"] === failureMediaType(dialect)) return undefined
  switch (response.status) {
    case 413:
      return respondWith(dialect, new Errors.TooLarge({ detail: "The body is too large." }))
    case 415:
      return respondWith(dialect, new Errors.UnsupportedMediaType({ detail: wrongMediaType }))
    case 400:
      return respondWith(dialect, unreadableBody)
    case 499:
      return undefined
    default:
      return respondWith(dialect, internalError)
  }
}

const versionProblem = (headers: HttpServerRequest.HttpServerRequest["headers"]) => {
  // Each for itself: where they disagree, one of them asks for what is not spoken.
  const wrong = versionHeaders.filter((name) => !spokenVersions.has(headers[name] ?? apiVersion))
  return wrong.length === 0
    ? undefined
    : new Errors.UnsupportedVersion({
        detail: `This server speaks version ${apiVersion}.`,
        errors: wrong.map((name) => ({
          path: `header.${name}`,
          message: `Expected ${Array.from(spokenVersions).join(" or ")}`,
        })),
      })
}

/** Wraps the whole of the API. The result never fails: every failure has become a response. */
export const edge =
  (lifecycle: Lifecycle["Service"], random: SecureRandom.SecureRandom["Service"]) =>
  <E, R>(api: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const answer = (request: HttpServerRequest.HttpServerRequest, { dialect, isProbe }: Area) => {
      if (request.method === "OPTIONS") return Effect.succeed(HttpServerResponse.empty({ status: 204 }))
      if ((lifecycle.phase === "draining" || lifecycle.phase === "closing") && !isProbe)
        return respondWith(dialect, shuttingDown)
      const version = versionProblem(request.headers)
      if (version !== undefined) return respondWith(dialect, version)
      return Effect.flatMap(
        Effect.catchCause(api, onFailure(request, dialect, lifecycle)),
        (response) => inForm(dialect, response) ?? Effect.succeed(response),
      )
    }

    const named = (headers: HttpServerRequest.HttpServerRequest["headers"]) => {
      const kept = keptId(headers["x-request-id"])
      return kept === undefined ? random.uuidV7() : Effect.succeed(kept)
    }

    // No generators: every request passes here.
    return Effect.withFiber((fiber) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(named(request.headers), (requestId) => {
          const clock = fiber.getRef(Clock.Clock)
          const start = monotonicMillis(clock)
          const path = pathOf(request.url)
          const area = areaOf(path)
          lifecycle.running.add(fiber)
          return answer(request, area).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                lifecycle.running.delete(fiber)
              }),
            ),
            Effect.tap(({ status }) =>
              Effect.logInfo("request", {
                method: request.method,
                path,
                status,
                ms: monotonicMillis(clock) - start,
              }),
            ),
            Effect.provideService(RequestId, requestId),
            // An answer to HEAD tells the length of what it leaves out.
            Effect.map((response) =>
              HttpServerResponse.setHeaders(request.method === "HEAD" ? response : inFewWrites(response), {
                "x-request-id": requestId,
                "x-api-version": apiVersion,
                ...corsHeadersFor(area),
                // Whoever is slow would keep the connection with the rest of what it has to send.
                ...(response.status === 408 && { connection: "close" }),
                ...(response.status === 401 && { "www-authenticate": "Bearer" }),
                // Of a stream nobody knows the length; Bun would say 0.
                ...(request.method === "HEAD" && response.body._tag === "Stream" && { "transfer-encoding": "chunked" }),
              }),
            ),
          )
        }),
      ),
    )
  }
