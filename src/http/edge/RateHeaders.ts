import type { HttpServerRequest } from "effect/http"
import type { RateDecision } from "../../admission/SharedLimits.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { RateStanding } from "../../domain/RateLimit.ts"

type Request = HttpServerRequest.HttpServerRequest

const policyOf = ({ limit: { quota, seconds }, name }: RateStanding): string => `"${name}";q=${quota};w=${seconds}`

const standingOf = ({ name, remaining, resetSeconds }: RateStanding): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`

/**
 * The headers that say what remains of the limits, as of draft 11 of "RateLimit header fields for HTTP". The limit of the
 * organization stands beside that of the key once less remains of it.
 */
const headersOf = ({ standings }: RateDecision, dialect: Dialect): Record<string, string> => {
  const [key, shortest] = [standings[0], standings.at(-1)]
  return {
    "ratelimit-policy": standings.map(policyOf).join(", "),
    ratelimit: standings.map(standingOf).join(", "),
    ...(dialect === "openai" &&
      key !== undefined &&
      shortest !== undefined && {
        "x-ratelimit-limit-requests": String(key.limit.quota),
        "x-ratelimit-remaining-requests": String(shortest.remaining),
        "x-ratelimit-reset-requests": `${shortest.resetSeconds}s`,
      }),
  }
}

const noted = new WeakMap<Request, Record<string, string>>()

/** Remembers a decision, so that the response to the request says what remains. */
export const noteRates = (request: Request, decision: RateDecision, dialect: Dialect): void => {
  noted.set(request, headersOf(decision, dialect))
}

/** The headers of the response to a request that was counted; undefined for any other. */
export const rateHeadersOf = (request: Request): Record<string, string> | undefined => noted.get(request)
