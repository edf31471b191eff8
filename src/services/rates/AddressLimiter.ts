import ipaddr from "ipaddr.js"
import { Clock, Context, Effect, Layer } from "effect"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import type { RateLimited } from "../../domain/Errors.ts"
import { isUnlimitedRate, type RateLimits } from "../../domain/rates/RateLimit.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { RateCounter } from "./RateCounter.ts"
import { RecentMap } from "./RecentMap.ts"
import { rateLimited } from "./Refusal.ts"

/** The most addresses whose counts are kept in memory; one takes about half a kilobyte. */
const ADDRESSES_MAX = 20_000

/**
 * Limits the rate of requests without a valid API key, by the client's address; of an IPv6 address only the first 64
 * bits count, which one customer commonly gets as a whole. Every server counts for itself: writing each guess of a flood
 * into the database would be worse than the flood.
 */
export class AddressLimiter extends Context.Service<
  AddressLimiter,
  {
    /** Fails when the client's address has no units left. */
    readonly ensureFree: Effect.Effect<void, RateLimited>
    /** Takes units from the client's address. */
    readonly charge: (units: number) => Effect.Effect<void>
  }
>()("parley/services/rates/AddressLimiter") {
  static readonly layer = ({ address: limit, key }: RateLimits) =>
    Layer.effect(
      AddressLimiter,
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const counters = new RecentMap<RateCounter>(ADDRESSES_MAX)
        const isOff = isUnlimitedRate(limit) || isUnlimitedRate(key)
        const now = () => monotonicMillis(clock)

        return {
          ensureFree: isOff
            ? Effect.void
            : ClientAddress.use((address) => {
                const counter = address === undefined ? undefined : counters.find(networkOf(address))
                if (counter === undefined) return Effect.void
                counter.advance(now())
                return counter.free >= 1
                  ? Effect.void
                  : Effect.fail(
                      rateLimited("Without a valid API key, this address", limit, 1, counter.secondsUntil(1, now())),
                    )
              }),
          charge: (units) =>
            isOff
              ? Effect.void
              : ClientAddress.useSync((address) => {
                  if (address === undefined) return
                  const counter = counters.get(networkOf(address), () => new RateCounter("address", limit))
                  counter.advance(now())
                  counter.window.add(units)
                }),
        }
      }),
    )
}

/** What counts as one client: an IPv4 address, or the network of 64 bits of an IPv6 address. */
const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.parse(address).toByteArray().slice(0, 8).join(".") + "::" : address
