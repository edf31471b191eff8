import type { Context } from "effect"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { RateLimit, RateStanding } from "../../domain/rates/RateLimit.ts"
import type { RateDecision } from "../../services/rates/RateLimiter.ts"

const policy = (name: string, { quota, seconds }: RateLimit): string => `"${name}";q=${quota};w=${seconds}`

const standing = (name: string, { remaining, resetSeconds }: RateStanding): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`

/**
 * The headers that say what remains of the limits, as of draft 11 of "RateLimit header fields for HTTP". The limit of the
 * organization stands beside that of the key once less remains of it.
 */
const headersOf = ({ standings: [key, organization] }: RateDecision, dialect: Dialect): Record<string, string> => {
  const isShort = organization.remaining < key.remaining
  return {
    "ratelimit-policy": `${policy("key", key.limit)}${isShort ? `, ${policy("organization", organization.limit)}` : ""}`,
    ratelimit: `${standing("key", key)}${isShort ? `, ${standing("organization", organization)}` : ""}`,
    ...(dialect === "openai" && {
      "x-ratelimit-limit-requests": String(key.limit.quota),
      "x-ratelimit-remaining-requests": String(Math.min(key.remaining, organization.remaining)),
      "x-ratelimit-reset-requests": `${(isShort ? organization : key).resetSeconds}s`,
    }),
  }
}

/** Adds the headers of a decision to the response of the request that is being answered in this context. */
export const addRateHeaders = (context: Context.Context<never>, decision: RateDecision, dialect: Dialect): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(context, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headersOf(decision, dialect))),
  )
