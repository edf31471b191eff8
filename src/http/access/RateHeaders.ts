import type { RateDecision } from "../../admission/SharedLimits.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { RateStanding } from "../../domain/organizations/RateLimit.ts"

const policyOf = ({ limit: { quota, seconds }, name }: RateStanding): string => `"${name}";q=${quota};w=${seconds}`

const standingOf = ({ name, remaining, resetSeconds }: RateStanding): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`

/**
 * The headers that say what remains of the limits, as of draft 11 of "RateLimit header fields for HTTP". The limit of the
 * organization stands beside that of the key once less remains of it.
 */
export const rateHeadersOf = ({ standings }: RateDecision, dialect: Dialect): Record<string, string> => {
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
