import ipaddr from "ipaddr.js"
import { Context, Effect, Layer } from "effect"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import type { RateLimited } from "../../domain/Errors.ts"
import { isUnlimitedRate, type RateLimits } from "../../domain/rates/RateLimit.ts"
import { localLimit } from "./LocalLimit.ts"

/** The units of a request without an API key, and of one with a wrong key, of the limit of the client's address. */
export const UNKEYED_COST = 1
export const WRONG_KEY_COST = 10

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
        const isOff = isUnlimitedRate(limit) || isUnlimitedRate(key)
        const addresses = yield* localLimit("Without a valid API key, this address", limit, ADDRESSES_MAX)

        return {
          ensureFree: isOff
            ? Effect.void
            : ClientAddress.use((address) => {
                const refusal = address === undefined ? undefined : addresses.refusal(networkOf(address), 1)
                return refusal === undefined ? Effect.void : Effect.fail(refusal)
              }),
          charge: (units) =>
            isOff
              ? Effect.void
              : ClientAddress.useSync((address) => {
                  if (address !== undefined) addresses.take(networkOf(address), units)
                }),
        }
      }),
    )
}

/** What counts as one client: an IPv4 address, or the network of 64 bits of an IPv6 address. */
export const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.parse(address).toByteArray().slice(0, 8).join(".") + "::" : address
