import { Clock, Effect } from "effect"
import type { RateLimited } from "../domain/Errors.ts"
import { isUnlimitedRate, type RateLimit } from "../domain/organizations/RateLimit.ts"
import { monotonicMillis } from "../system/Monotonic.ts"
import { RecentMap } from "../system/RecentMap.ts"
import { RateCounter } from "./RateCounter.ts"

/** The most owners whose counts are kept in memory; one takes about half a kilobyte. */
const OWNERS_MAX = 20_000

/**
 * Makes a rate limit that this process counts for itself, for each of many owners. It grants everything where it is not
 * to be applied.
 *
 * @param who names an owner at the beginning of a refusal
 * @param capacity the most owners that are remembered
 */
export const localLimit = (
  who: string,
  limit: RateLimit,
  { capacity = OWNERS_MAX, isApplied = true }: { readonly capacity?: number; readonly isApplied?: boolean } = {},
) =>
  Effect.map(Clock.Clock, (clock) => {
    const isOff = !isApplied || isUnlimitedRate(limit)
    const counters = new RecentMap<RateCounter>(capacity)
    const counterOf = (owner: string, now: number) => {
      const counter = counters.get(owner, () => new RateCounter(owner, who, limit))
      counter.advance(now)
      return counter
    }
    const now = () => monotonicMillis(clock)
    return {
      /** Takes units of the owner's limit, which may take more than are left. */
      charge: (owner: string, units: number): void => {
        if (!isOff) counterOf(owner, now()).window.add(units)
      },

      /** Takes units of the owner's limit, at most all of it, and returns the refusal if fewer are left. */
      take: (owner: string, units: number): RateLimited | undefined => {
        if (isOff) return undefined
        const at = now()
        const counter = counterOf(owner, at)
        const cost = counter.costOf(units)
        const refusal = counter.refusal(cost, at)
        if (refusal === undefined) counter.window.add(cost)
        return refusal
      },

      /** Returns why a request of one unit would be refused; undefined when it would be granted. */
      refusal: (owner: string): RateLimited | undefined =>
        counters.find(owner) === undefined ? undefined : counterOf(owner, now()).refusal(1, now()),
    }
  })
