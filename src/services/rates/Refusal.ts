import { RateLimited } from "../../domain/Errors.ts"
import type { RateLimit } from "../../domain/rates/RateLimit.ts"

/** The failure of a request of this cost that a limit of `owner` refuses for this many seconds. */
export const rateLimited = (
  owner: string,
  { quota, seconds }: RateLimit,
  cost: number,
  retry_after_seconds: number,
): RateLimited => {
  const requests = quota === 1 ? "1 request" : `${quota} requests`
  const time = seconds === 1 ? "1 second" : `${seconds} seconds`
  const counted = cost === 1 ? "" : ` This one counts as ${cost}.`
  return new RateLimited({ detail: `${owner} may send ${requests} in ${time}.${counted}`, retry_after_seconds })
}
