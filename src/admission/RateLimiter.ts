import ipaddr from "ipaddr.js"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../domain/Caller.ts"
import { ClientAddress } from "../domain/ClientAddress.ts"
import type { RateLimited } from "../domain/Errors.ts"
import {
  isUnlimitedRate,
  type RateLimit,
  type RateLimits,
  type VisitorRates,
} from "../domain/organizations/RateLimit.ts"
import type { VisitorId } from "../domain/widget/Visitor.ts"
import { localLimit } from "./LocalLimit.ts"
import { sharedLimits } from "./SharedLimits.ts"

/** Units of an address that a request without an API key takes. */
export const UNKEYED_COST = 1
/** Units of an address that a wrong key takes, a forged token, or a name under which nothing is embedded. */
export const REFUSED_COST = 10

/** Conversations that visitors hand over to people: each may send an e-mail to many of them. */
export const HandoverRates = Context.Reference<Pick<VisitorRates, "visitor" | "address">>(
  "parley/admission/HandoverRates",
  { defaultValue: () => ({ visitor: { quota: 10, seconds: 3_600 }, address: { quota: 60, seconds: 3_600 } }) },
)

type Sender = Pick<Caller["Service"], "apiKeyId" | "organizationId" | "person">

/**
 * Limits the rate of requests.
 *
 * Servers share the limits of keys and organizations. Those of addresses and visitors every server counts for itself:
 * writing each guess of a flood into the database would be worse than the flood. A visitor costs nothing to make, so
 * what decides against programs that pretend to be visitors are the limits of the address and of the key.
 */
export class RateLimiter extends Context.Service<RateLimiter>()("parley/admission/RateLimiter", {
  make: ({ address, key, organization }: RateLimits, widget: VisitorRates) =>
    Effect.gen(function* () {
      const isOn = !isUnlimitedRate(key)
      const shared = yield* sharedLimits
      const ofVisitor = yield* localLimit("A visitor", widget.visitor, { isApplied: isOn })
      const unkeyed = yield* localLimit("Without a valid API key, this address", address, { isApplied: isOn })
      const visitors = yield* localLimit("This address", widget.address, { isApplied: isOn })
      const handovers = yield* HandoverRates
      const handoversOf = yield* localLimit("A visitor who asks for a person", handovers.visitor, { isApplied: isOn })
      const handoversFrom = ofAddresses(
        yield* localLimit("Visitors at this address who ask for a person", handovers.address, { isApplied: isOn }),
      )

      const decide = ({ apiKeyId, organizationId }: Sender, units: number, who: string, limit: RateLimit) =>
        shared.take(
          [
            shared.counterOf(`key ${apiKeyId}`, who, limit),
            shared.counterOf(
              `organization ${organizationId}`,
              "The people and API keys of the organization together",
              organization,
            ),
          ],
          units,
        )

      return {
        /** Whether requests are limited at all. */
        isOn,

        /** Takes units of a request from the limits of the caller's key and organization, or refuses it. */
        decide: (caller: Sender, units: number) =>
          decide(caller, units, caller.person === undefined ? "This API key" : "You", key),

        /** Limits requests without a valid API key. */
        unkeyed: ofAddresses(unkeyed),

        /** Limits requests of the visitors of chat widgets. */
        visitors: ofAddresses(visitors),

        /** Takes a handover to people from a visitor and its address, or refuses it. */
        takeHandover: (visitor: VisitorId) =>
          Effect.suspend(() => {
            const refusal = handoversOf.take(visitor, 1)
            return refusal === undefined ? handoversFrom.take(1) : Effect.fail(refusal)
          }),

        /** Takes units from a visitor, all visitors of its key, and the organization, or refuses the request. */
        takeOfVisitor: (caller: Sender, visitor: VisitorId, units: number) => {
          if (!isOn) return Effect.void
          const refusal = ofVisitor.take(visitor, units)
          if (refusal !== undefined) return Effect.fail(refusal)
          return Effect.flatMap(
            decide(caller, units, "The visitors of this chat together", widget.key),
            ({ refusal }) => (refusal === undefined ? Effect.void : Effect.fail(refusal)),
          )
        },
      }
    }),
}) {
  static readonly layer = (limits: RateLimits, widget: VisitorRates) => Layer.effect(this, this.make(limits, widget))
}

/** The limit of the client's address. Requests whose address is unknown are not limited. */
const ofAddresses = (limit: Effect.Success<ReturnType<typeof localLimit>>) => {
  const onAddress = (use: (network: string) => RateLimited | undefined): Effect.Effect<void, RateLimited> =>
    ClientAddress.use((address) => {
      const refusal = address === undefined ? undefined : use(networkOf(address))
      return refusal === undefined ? Effect.void : Effect.fail(refusal)
    })
  return {
    /** Fails when the address has no units left. */
    ensureFree: onAddress(limit.refusal),

    /** Takes units from the address, however many are left. */
    charge: (units: number): Effect.Effect<void> =>
      ClientAddress.useSync((address) => {
        if (address !== undefined) limit.charge(networkOf(address), units)
      }),

    /** Takes units from the address, or refuses the request. */
    take: (units: number) => onAddress((network) => limit.take(network, units)),
  }
}

/** Returns what counts as one client: an IPv4 address, or the /64 network of an IPv6 address that one customer has. */
export const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.parse(address).toByteArray().slice(0, 8).join(".") + "::" : address
