import { Cause, Context, Effect, Exit, Redacted, Result, type Types } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"
import type { Middleware, Once } from "../../api/Middleware.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import { Caller } from "../../domain/Caller.ts"
import { declarationOf, InvalidRequest, isFailure, type Unavailable } from "../../domain/Errors.ts"
import { IDEMPOTENCY_KEY_MAX_LENGTH, parseIdempotencyKey } from "../../domain/IdempotencyKey.ts"
import { SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { chatAttempt } from "../../services/conversations/ChatAttempt.ts"
import { type Answer, type Claim, Idempotency } from "../../services/Idempotency.ts"
import { CurrentPreparation, Prepared } from "../../services/Preparation.ts"
import { keyOf } from "../access/Admission.ts"
import { targetOf } from "./PathOf.ts"
import { respondWith } from "./Respond.ts"

const HEADER = "idempotency-key"
const malformed = InvalidRequest.at(
  `header.${HEADER}`,
  `Expected 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} visible ASCII characters, bare or in quotes`,
)

/** The statuses below 500 of answers that may differ when the same request is sent again. They are not kept. */
const passingStatuses: ReadonlySet<number> = new Set([401, 403, 408, 409, 429, 499])

const isKept = (status: number): boolean => status < 500 && !passingStatuses.has(status)

/** The request headers that are part of what is asked for. */
const askingHeaders = ["accept", "if-match", "x-session-id"]

/** The response headers that belong to the answer rather than to one transmission of it. */
const keptHeaders = [
  "cache-control",
  "content-type",
  "etag",
  "link",
  "location",
  "x-message-id",
  "x-written-by",
  "x-parley-notice",
  "x-session-id",
  "x-vercel-ai-ui-message-stream",
]

/** Makes the answer that is kept of a response. */
export const answerOf = (
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
): Answer => {
  const session = headers["x-session-id"]
  return {
    status,
    headers: Object.fromEntries(
      keptHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
    body,
    session: session === undefined ? undefined : SessionId.make(session),
  }
}

const nothing = new Uint8Array()

/** The answer of a response that is complete: the handlers of endpoints that change anything make no other. */
const answerOfResponse = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): Answer =>
  answerOf(status, headers, body._tag === "Uint8Array" ? body.body : nothing)

const replay = ({ body, headers, status }: Answer): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(body, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
    ...(headers["content-type"] !== undefined && { contentType: headers["content-type"] }),
  })

/** Ends a handler whose request was answered before. */
class Replayed {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

type BeginFailure = Effect.Error<ReturnType<Idempotency["Service"]["begin"]>>

/** A request with the header `Idempotency-Key` while it is answered. */
export class IdempotentRequest {
  /** Undefined until the whole request was received. */
  claim: Claim | undefined
  /** Whether a stream has taken the claim over, and ends it. */
  isStreamed = false
  /** Begins the request, whose body consists of these parts. Ends the handler if the request was answered before. */
  readonly begin: (body: ReadonlyArray<string | Uint8Array>) => Effect.Effect<void, BeginFailure>

  constructor(
    idempotency: Idempotency["Service"],
    request: HttpServerRequest.HttpServerRequest,
    context: Context.Context<Caller | CurrentOrganization>,
    idempotencyKey: string,
  ) {
    this.begin = (body) => {
      const parts = [
        request.method,
        targetOf(request.url),
        ...askingHeaders.map((name) => request.headers[name] ?? ""),
        ...body,
      ]
      return idempotency.begin({ idempotencyKey, credential: Redacted.make(keyOf(request)), parts }).pipe(
        Effect.flatMap(({ answer, claim }) => {
          if (answer !== undefined) return Effect.die(new Replayed(answer))
          this.claim = claim
          return Effect.void
        }),
        // A claim that nobody knows of would be renewed for ever.
        Effect.uninterruptible,
        Effect.provideContext(context),
      )
    }
  }
}

/** The request of the fiber, if it has the header `Idempotency-Key`. */
export const CurrentIdempotentRequest = Context.Reference<IdempotentRequest | undefined>(
  "parley/http/edge/IdempotentRequest",
  { defaultValue: () => undefined },
)

/** The attempt at the chat that the fiber answers, if the request has the header `Idempotency-Key`. */
export const currentAttempt = Effect.map(CurrentIdempotentRequest, (idempotent) =>
  idempotent?.claim === undefined ? undefined : chatAttempt(idempotent.claim.operation, idempotent.claim.isResumed),
)

/**
 * Makes the middleware that answers a request with the header `Idempotency-Key` once. It stands within the middleware
 * that authorizes requests and that receives bodies, so nothing is kept of a request which those refuse.
 */
export const make = (dialect: Dialect, once: Once) =>
  Effect.gen(function* (): Effect.fn.Return<Middleware<Dialect>["Idempotent"][Once]["Service"], never, Idempotency> {
    const idempotency = yield* Idempotency

    const answerOnce = Effect.fnUntraced(function* <E, R>(
      header: string,
      request: HttpServerRequest.HttpServerRequest,
      endpoint: HttpApiEndpoint.Top,
      respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    ) {
      const key = parseIdempotencyKey(header)
      if (key === undefined) return yield* malformed
      const caller = Context.pick(Caller, CurrentOrganization)(yield* Effect.context<Caller | CurrentOrganization>())
      const idempotent = new IdempotentRequest(idempotency, request, caller, key)
      const handle = Effect.andThen(begin(idempotent, endpoint, request), run(idempotent, once, respond))
      return yield* ending(idempotent, once, dialect, handle)
    }, Effect.catchDefect(replayed))

    return (respond, { endpoint }) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (
          request,
        ): Effect.Effect<
          HttpServerResponse.HttpServerResponse,
          Types.unhandled | InvalidRequest | BeginFailure,
          Caller | CurrentOrganization
        > => {
          const header = request.headers[HEADER]
          return header === undefined ? respond : answerOnce(header, request, endpoint, respond)
        },
      )
  })

const replayed = (defect: unknown) =>
  defect instanceof Replayed ? Effect.succeed(replay(defect.answer)) : Effect.die(defect)

/** Begins a request whose body is JSON, or that has none. The form of a request begins it once it was received. */
const begin = (
  idempotent: IdempotentRequest,
  { payload }: HttpApiEndpoint.Top,
  request: HttpServerRequest.HttpServerRequest,
) => {
  if (payload.size === 0) return idempotent.begin([])
  return payload.has("application/json")
    ? Effect.flatMap(Effect.orDie(request.arrayBuffer), (bytes) => idempotent.begin([new Uint8Array(bytes)]))
    : Effect.void
}

/** Runs the handler of a request that has begun, or whose form has yet to be received, and keeps its answer. */
const run = <E, R>(
  idempotent: IdempotentRequest,
  once: Once,
  handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  Effect.suspend(() => {
    const { claim } = idempotent
    if (claim !== undefined && once === "inTransaction") return claim.commit("tenant", handle, answerOfResponse)
    if (claim !== undefined && once === "inSystemTransaction") return claim.commit("system", handle, answerOfResponse)
    const kept = Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(handle), (response) => (idempotent.isStreamed ? Effect.void : keep(idempotent, response))),
    )
    return once === "prepared" ? commitPrepared(idempotent, kept, handle) : kept
  })

/** Runs the handler until it has prepared what it commits, and then once more to commit that. */
const commitPrepared = <E, R>(
  idempotent: IdempotentRequest,
  prepare: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  Effect.catchDefect(Effect.provideService(prepare, CurrentPreparation, "under way"), (defect) => {
    const { claim } = idempotent
    if (!(defect instanceof Prepared) || claim === undefined) return Effect.die(defect)
    return claim.commit("tenant", Effect.provideService(handle, CurrentPreparation, defect), answerOfResponse)
  })

/**
 * Ends the claim of a request that fails: a failure that the same request would meet again is kept, and after any other
 * it may be sent again.
 */
const ending = <E, R>(
  idempotent: IdempotentRequest,
  once: Once,
  dialect: Dialect,
  handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  handle.pipe(
    Effect.catchCause((cause): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Unavailable> => {
      const failure = idempotent.claim === undefined ? undefined : keptFailure(cause)
      return failure === undefined
        ? Effect.failCause(cause)
        : Effect.tap(respondWith(dialect, failure), (response) => keep(idempotent, response))
    }),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : giveUp(idempotent, once, exit.cause))),
    Effect.provideService(CurrentIdempotentRequest, idempotent),
  )

const keep = ({ claim }: IdempotentRequest, response: HttpServerResponse.HttpServerResponse) =>
  claim === undefined ? Effect.void : claim.keep(answerOfResponse(response))

const keptFailure = (cause: Cause.Cause<unknown>) => {
  const found: Result.Result<unknown, unknown> = Cause.findError(cause)
  return Result.isSuccess(found) && isFailure(found.success) && isKept(declarationOf(found.success).status)
    ? found.success
    : undefined
}

/** Ends the claim of a request that has failed, in a way that may pass. */
const giveUp = ({ claim }: IdempotentRequest, once: Once, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (claim === undefined) return Effect.void
  const found: Result.Result<unknown, unknown> = Cause.findError(cause)
  const isInvalid = Result.isSuccess(found) && HttpApiError.HttpApiSchemaError.is(found.success)
  // What was not even decoded, and what was rolled back, has changed nothing.
  return isInvalid || once !== "repeatable" ? claim.forget : claim.release
}
