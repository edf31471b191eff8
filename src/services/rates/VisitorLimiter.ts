import { Context, Effect, Layer } from "effect"
import type { Caller } from "../../domain/Caller.ts"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import type { RateLimited } from "../../domain/Errors.ts"
import { isUnlimitedRate, type RateLimit } from "../../domain/rates/RateLimit.ts"
import type { VisitorId } from "../../domain/widget/Visitor.ts"
import { networkOf } from "./AddressLimiter.ts"
import { type LocalLimit, localLimit } from "./LocalLimit.ts"
import { RateLimiter } from "./RateLimiter.ts"

/** The rate limits of the chat widget. */
export interface VisitorRates {
  /** Of each visitor. */
  readonly visitor: RateLimit
  /** Of all visitors with the same client address together. */
  readonly address: RateLimit
  /** Of all visitors of a publishable key together, or of a public chatbot that is embedded by its id. */
  readonly key: RateLimit
}

/** Units that what is refused takes from the address: a name under which nothing is embedded, or a forged token. */
export const REFUSED_COST = 10

const VISITORS_MAX = 20_000
const ADDRESSES_MAX = 20_000

/**
 * Limits the rate of requests of the chat widget. A visitor costs nothing to make, so what decides against programs are
 * the limits of the address and of the key. Every server counts visitors and addresses for itself; the limits of keys,
 * and that of the organization, are shared.
 */
export class VisitorLimiter extends Context.Service<
  VisitorLimiter,
  {
    /** Takes units from the client's address, or refuses the request. */
    readonly address: (units: number) => Effect.Effect<void, RateLimited>
    /** Takes units from the client's address, however many are left. */
    readonly charge: (units: number) => Effect.Effect<void>
    /** Takes units from the visitor, its key and its organization, or refuses the request. */
    readonly visitor: (caller: Caller["Service"], visitor: VisitorId, units: number) => Effect.Effect<void, RateLimited>
  }
>()("parley/services/rates/VisitorLimiter") {
  static readonly layer = ({ address, key, visitor }: VisitorRates) =>
    Layer.effect(
      VisitorLimiter,
      Effect.gen(function* () {
        const rates = yield* RateLimiter
        const ofKey = { limit: key, owner: "The visitors of this chat together" }
        const addresses = yield* localLimit("This address", address, ADDRESSES_MAX)
        const visitors = yield* localLimit("A visitor", visitor, VISITORS_MAX)

        const take = (from: LocalLimit, limit: RateLimit, owner: string, units: number) => {
          if (!rates.isOn || isUnlimitedRate(limit)) return Effect.void
          const cost = Math.min(units, limit.quota)
          const refusal = from.refusal(owner, cost)
          if (refusal !== undefined) return Effect.fail(refusal)
          from.take(owner, cost)
          return Effect.void
        }

        return {
          charge: (units) =>
            ClientAddress.useSync((client) => {
              if (client !== undefined && rates.isOn && !isUnlimitedRate(address))
                addresses.take(networkOf(client), units)
            }),
          address: (units) =>
            Effect.flatMap(ClientAddress, (client) =>
              client === undefined ? Effect.void : take(addresses, address, networkOf(client), units),
            ),
          visitor: Effect.fnUntraced(function* (caller: Caller["Service"], id: VisitorId, units: number) {
            yield* take(visitors, visitor, id, units)
            if (!rates.isOn) return
            const { refusal } = yield* rates.decide(caller, units, ofKey)
            if (refusal !== undefined) return yield* refusal
          }),
        }
      }),
    )
}
