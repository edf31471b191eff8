import { Clock, Effect } from "effect"
import type { RateLimited } from "../../domain/Errors.ts"
import type { RateLimit } from "../../domain/rates/RateLimit.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { RateCounter } from "./RateCounter.ts"
import { RecentMap } from "./RecentMap.ts"
import { rateLimited } from "./Refusal.ts"

/** A rate limit that this process counts for itself, for each of many owners. */
export interface LocalLimit {
  /** Why the owner's request is refused; undefined when this many units are left. */
  readonly refusal: (owner: string, units: number) => RateLimited | undefined
  /** Takes units of the owner's limit, which may take more than are left. */
  readonly take: (owner: string, units: number) => void
}

/**
 * @param who names an owner at the beginning of a refusal
 * @param capacity the most owners whose counts are kept in memory; one takes about half a kilobyte
 */
export const localLimit = (who: string, limit: RateLimit, capacity: number): Effect.Effect<LocalLimit> =>
  Effect.map(Clock.Clock, (clock) => {
    const counters = new RecentMap<RateCounter>(capacity)
    const now = () => monotonicMillis(clock)
    return {
      refusal: (owner, units) => {
        const counter = counters.find(owner)
        if (counter === undefined) return undefined
        counter.advance(now())
        return counter.free >= units ? undefined : rateLimited(who, limit, units, counter.secondsUntil(units, now()))
      },
      take: (owner, units) => {
        const counter = counters.get(owner, () => new RateCounter(who, limit))
        counter.advance(now())
        counter.window.add(units)
      },
    }
  })
