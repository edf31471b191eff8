import { Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { Caller } from "../../domain/Caller.ts"
import type { RateLimited, Unauthorized, Unavailable } from "../../domain/Errors.ts"
import { unitsOfBody } from "../../domain/organizations/RateLimit.ts"
import { ApiKeys } from "../../services/keys/ApiKeys.ts"
import { ConsoleSessions } from "../../services/people/ConsoleSessions.ts"
import { PersonSessions } from "../../services/people/PersonSessions.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { RateLimiter, REFUSED_COST, UNKEYED_COST } from "../../admission/RateLimiter.ts"
import { consoleCookieOf } from "./ConsoleCookie.ts"
import { LocalOperator } from "./LocalOperator.ts"
import { notesOn } from "./Notes.ts"
import { rateHeadersOf } from "./RateHeaders.ts"

const bearer = /^bearer +(.+)$/i

/**
 * The API key of a request, from `x-api-key` or `Authorization: Bearer`, or what stands for it in the console's cookie once
 * the request is admitted, such as the secret of a session; empty where there is none.
 */
export const keyOf = (request: HttpServerRequest.HttpServerRequest): string =>
  request.headers["x-api-key"] ??
  bearer.exec(request.headers["authorization"] ?? "")?.[1] ??
  notesOn(request).cookieKey ??
  ""

/** The units that a request takes of rate limits: those of its endpoint, and those of its body. */
export const unitsOf = ({ headers }: HttpServerRequest.HttpServerRequest, ofEndpoint: number): number => {
  const { "content-length": length = "", "content-type": type = "", "transfer-encoding": encoding } = headers
  if (length === "" && encoding === undefined) return ofEndpoint
  const bytes = /^\d{1,15}$/.test(length) ? Number(length) : undefined
  return ofEndpoint + unitsOfBody(type.startsWith("multipart/") ? "form" : "json", bytes)
}

/**
 * Makes the function that finds who sends a request, and takes the request's units from the rate limits of the key and
 * its organization. The response then says what remains of them, whether the request is granted or refused.
 *
 * A request without a valid key counts for the client's address instead. An address beyond its limit is refused before
 * its key is looked up, unless the server has found the key valid before: who guesses wrongly behind the same address
 * does not shut out others. A command on the machine of the server is not limited.
 */
export const makeAdmission = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const people = yield* PersonSessions
  const rates = yield* RateLimiter
  const sessions = yield* ConsoleSessions
  const publicUrl = yield* PublicUrl
  const local = yield* LocalOperator

  const check = (key: string, isSession = false) =>
    Effect.tapErrorTag(
      isSession
        ? people.authenticate(key, rates.unkeyed.ensureFree)
        : keys.authenticate(Redacted.make(key), rates.unkeyed.ensureFree),
      "Unauthorized",
      () => rates.unkeyed.charge(key === "" ? UNKEYED_COST : REFUSED_COST),
    )

  const authenticate = (request: HttpServerRequest.HttpServerRequest, key: string, dialect: Dialect) => {
    const cookie = key === "" && dialect === "parley" ? consoleCookieOf(request, publicUrl) : undefined
    if (cookie === undefined) return check(key)
    return Effect.flatMap(sessions.contentOf(cookie), (content) => {
      const inside = content?.session ?? content?.key ?? ""
      notesOn(request).cookieKey = inside
      return check(inside, content?.session !== undefined)
    })
  }

  // Without generators: every request passes here, and JavaScriptCore compiled the generator again and again.
  return (
    request: HttpServerRequest.HttpServerRequest,
    cost: number,
    dialect: Dialect,
  ): Effect.Effect<Caller["Service"], Unauthorized | RateLimited | Unavailable> => {
    const key = keyOf(request)
    const operator = local.callerOf(request, key)
    if (operator !== undefined) return Effect.succeed(operator)
    if (!rates.isOn) return authenticate(request, key, dialect)
    return Effect.flatMap(authenticate(request, key, dialect), (caller) =>
      Effect.flatMap(rates.decide(caller, unitsOf(request, cost)), (decision) => {
        notesOn(request).rateHeaders = rateHeadersOf(decision, dialect)
        return decision.refusal === undefined ? Effect.succeed(caller) : Effect.fail(decision.refusal)
      }),
    )
  }
})
