import { Cause, Clock, Context, Effect, Result } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion, specifiedPath } from "../../api/Api.ts"
import { IsSlow } from "../../api/parts/Annotations.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import { RequestId } from "../../domain/RequestId.ts"
import * as Errors from "../../domain/Errors.ts"
import type { BeginTrace } from "../../observability/Traces.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { type Lifecycle, shuttingDown } from "./Lifecycle.ts"
import { inFewWrites } from "./LargeAnswer.ts"
import { pathOf } from "./PathOf.ts"
import { internalError } from "./Problems.ts"
import { measure, subjectsOf, traced } from "./Observed.ts"
import { notesOn } from "../access/Notes.ts"
import { makeRefusalPace } from "./RefusalPace.ts"
import { respondWith } from "./Respond.ts"
import { type Area, areaOf, findRoute, methodsAt } from "./Routes.ts"

/*
 * What holds for every request, on every path: the request id, the version, CORS, the form of failures that no
 * endpoint declares, and one line in the log.
 */

const wellFormedId = /^[A-Za-z0-9._-]{1,128}$/

/** The request id that a client has sent, if it is well-formed. */
export const wellFormedRequestId = (header: string | undefined): string | undefined =>
  header !== undefined && wellFormedId.test(header) ? header : undefined

const versionHeaders = ["accept-version", "x-api-version"]
const spokenVersions = new Set(["1", "1.0", apiVersion])

/** The CORS headers as the source specification shows them for operation 9. They never repeat the client's origin. */
const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET,OPTIONS,PATCH,DELETE,POST,PUT",
  "access-control-allow-headers":
    "X-CSRF-Token, X-Requested-With, Accept, Accept-Version, Content-Length, Content-MD5, Content-Type, Date, X-Api-Version, x-api-key, Authorization, Idempotency-Key, If-Match, Prefer, x-request-id",
  "access-control-expose-headers":
    "ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, X-Api-Version, x-message-id, x-written-by, x-parley-notice, x-request-id, x-session-id",
}

/**
 * The CORS headers for OpenAI's clients, which describe themselves in headers that change with their versions. The
 * asterisk allows all headers but `Authorization`, and only in requests without cookies; the asterisk as the origin
 * refuses cookies anyway.
 */
const corsHeadersForOpenAi = {
  ...corsHeaders,
  "access-control-allow-headers": `${corsHeaders["access-control-allow-headers"]}, x-session-id, *`,
  "access-control-expose-headers": `${corsHeaders["access-control-expose-headers"]}, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests`,
}

/** The specification shows this one too. Beside the asterisk it means nothing, so that no other response has it. */
const corsHeadersOfSpecification = { ...corsHeaders, "access-control-allow-credentials": "true" }

/** The segment that names a conversation: its id or the visitor's token, either of which continues it. */
const conversation = /\/conversations\/[^/]+/
/** The address of a file of a message, which everyone who knows it may read. */
const attachment = /\/attachments\/.+/

/** The path of a request as the log shows it, without what only the visitor of a conversation should know. */
export const loggedPath = (path: string): string =>
  path.replace(conversation, "/conversations/…").replace(attachment, "/attachments/…")

const corsHeadersFor = ({ dialect, isCrossOrigin }: Area, path: string) => {
  if (!isCrossOrigin) return undefined
  if (dialect === "openai") return corsHeadersForOpenAi
  return path.startsWith(specifiedPath) ? corsHeadersOfSpecification : corsHeaders
}

const notRouted = (request: HttpServerRequest.HttpServerRequest, dialect: Dialect) => {
  const methods = methodsAt(pathOf(request.url))
  // The router also refuses a known path and method when a segment is longer than the longest name.
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

/** Responds where no endpoint has: to unknown paths, interrupted requests and defects. */
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
      // Unless the server interrupts requests because it closes, the client has left, and nobody reads the response.
      return lifecycle.phase === "closing"
        ? respondWith(dialect, shuttingDown)
        : Effect.succeed(HttpServerResponse.empty({ status: 499 }))
    }
    return Effect.andThen(Effect.logError("A request failed", cause), respondWith(dialect, internalError))
  }

const versionProblem = (headers: HttpServerRequest.HttpServerRequest["headers"]) => {
  // Each header counts: when they disagree, one of them names an unsupported version.
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

/** Wraps the whole API with what holds for every request. The result never fails: every failure becomes a response. */
export const edge =
  (
    lifecycle: Lifecycle["Service"],
    random: SecureRandom.SecureRandom["Service"],
    addressOf: (request: HttpServerRequest.HttpServerRequest) => string | undefined,
    beginTrace: BeginTrace | undefined,
    expectSlow: (request: HttpServerRequest.HttpServerRequest) => void,
  ) =>
  <E, R>(api: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const answer = (request: HttpServerRequest.HttpServerRequest, { dialect, isProbe }: Area) => {
      if (request.method === "OPTIONS") return Effect.succeed(HttpServerResponse.empty({ status: 204 }))
      const { isReplaced, phase } = lifecycle
      if (!isProbe && ((phase === "draining" && !isReplaced) || phase === "closing"))
        return respondWith(dialect, shuttingDown)
      const version = versionProblem(request.headers)
      if (version !== undefined) return respondWith(dialect, version)
      return Effect.catchCause(api, onFailure(request, dialect, lifecycle))
    }

    const requestIdOf = (headers: HttpServerRequest.HttpServerRequest["headers"]) => {
      const id = wellFormedRequestId(headers["x-request-id"])
      return id === undefined ? random.uuidV7() : Effect.succeed(id)
    }

    const pace = makeRefusalPace()

    // Without generators, as in Authorization.ts: every request passes here.
    return Effect.withFiber((fiber) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(requestIdOf(request.headers), (requestId) => {
          const clock = fiber.getRef(Clock.Clock)
          const start = monotonicMillis(clock)
          const begin = performance.now()
          const path = pathOf(request.url)
          const area = areaOf(path)
          const match = request.method === "OPTIONS" ? undefined : findRoute(request.method, path)
          if (match !== undefined && request.method !== "GET" && Context.get(match.route.annotations, IsSlow))
            expectSlow(request)
          const address = addressOf(request)
          const respond = Effect.acquireUseRelease(
            Effect.sync(() => lifecycle.running.add(fiber)),
            () => Effect.tap(answer(request, area), ({ status }) => pace(status)),
            () => Effect.sync(() => lifecycle.running.delete(fiber)),
          ).pipe(
            Effect.tap((response) => {
              const { status } = response
              measure(request.method, match?.route, status, begin)
              return Effect.logInfo("request", {
                method: request.method,
                path: loggedPath(path),
                status,
                ms: monotonicMillis(clock) - start,
                address,
                ...subjectsOf(request, response, match),
              })
            }),
            Effect.provideService(RequestId, requestId),
            Effect.provideService(ClientAddress, address),
            // A response to HEAD keeps its body here, so that its Content-Length is that of the body which is left out.
            Effect.map((response) =>
              HttpServerResponse.setHeaders(request.method === "HEAD" ? response : inFewWrites(response), {
                "x-request-id": requestId,
                "x-api-version": apiVersion,
                "x-content-type-options": "nosniff",
                ...corsHeadersFor(area, path),
                ...notesOn(request).rateHeaders,
                // What somebody is shown who is signed in stays in no cache, where the next one at this machine would find it.
                ...(notesOn(request).cookieKey !== undefined && { "cache-control": "no-store" }),
                // Otherwise a slow client would occupy the connection with the rest of its body.
                ...(response.status === 408 && { connection: "close" }),
                ...(response.status === 401 && { "www-authenticate": "Bearer" }),
                // The length of a stream is unknown; without this header Bun would send a length of 0.
                ...(request.method === "HEAD" && response.body._tag === "Stream" && { "transfer-encoding": "chunked" }),
              }),
            ),
          )
          return beginTrace === undefined || area.isProbe
            ? respond
            : traced(respond, request, match, requestId, beginTrace)
        }),
      ),
    )
  }
