import ipaddr from "ipaddr.js"
import { Context, Effect, Layer } from "effect"
import type { Caller } from "../domain/Caller.ts"
import { ClientAddress } from "../domain/ClientAddress.ts"
import type { RateLimited } from "../domain/Errors.ts"
import {
  isUnlimitedRate,
  noRateLimit,
  type RateLimit,
  type RateLimits,
  rateOfVisitors,
  type VisitorRates,
} from "../domain/organizations/RateLimit.ts"
import type { VisitorId } from "../domain/widget/Visitor.ts"
import { type RateCounter, rateCounters } from "./RateCounter.ts"
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
      const handovers = yield* HandoverRates
      const each = (who: string, limit: RateLimit) => rateCounters(who, isOn ? limit : noRateLimit)
      const ofVisitor = yield* each("A visitor", widget.visitor)
      const handoversOf = yield* each("A visitor who asks for a person", handovers.visitor)
      const handoversFrom = ofAddresses(yield* each("Visitors at this address who ask for a person", handovers.address))
      const ofKey = yield* each("This API key", key)
      const ofPerson = yield* each("You", key)
      const ofVisitors = yield* each("The visitors of this chat together", rateOfVisitors(organization))
      const ofOrganization = yield* each("The people and API keys of the organization together", organization)
      const take = yield* sharedLimits

      const decide = ({ apiKeyId, organizationId }: Sender, units: number, of: typeof ofKey) =>
        Effect.suspend(() => take([of(`key ${apiKeyId}`), ofOrganization(`organization ${organizationId}`)], units))

      return {
        /** Whether requests are limited at all. */
        isOn,

        /** Takes units of a request from the limits of the caller's key and organization, or refuses it. */
        decide: (caller: Sender, units: number) =>
          decide(caller, units, caller.person === undefined ? ofKey : ofPerson),

        /** Limits requests without a valid API key. */
        unkeyed: ofAddresses(yield* each("Without a valid API key, this address", address)),

        /** Limits requests of the visitors of chat widgets. */
        visitors: ofAddresses(yield* each("This address", widget.address)),

        /** Takes a handover to people from a visitor and its address, or refuses it. */
        takeHandover: (visitor: VisitorId) =>
          Effect.suspend(() => {
            const refusal = handoversOf(visitor).take(1)
            return refusal === undefined ? handoversFrom.take(1) : Effect.fail(refusal)
          }),

        /** Takes units from a visitor, all visitors of its key, and the organization, or refuses the request. */
        takeOfVisitor: (caller: Sender, visitor: VisitorId, units: number) => {
          if (!isOn) return Effect.void
          const refusal = ofVisitor(visitor).take(units)
          if (refusal !== undefined) return Effect.fail(refusal)
          return Effect.flatMap(decide(caller, units, ofVisitors), ({ refusal }) =>
            refusal === undefined ? Effect.void : Effect.fail(refusal),
          )
        },
      }
    }),
}) {
  static readonly layer = (limits: RateLimits, widget: VisitorRates) => Layer.effect(this, this.make(limits, widget))
}

/** The limit of the client's address. Requests whose address is unknown are not limited. */
const ofAddresses = (counterOf: (owner: string) => RateCounter) => {
  const onAddress = (use: (counter: RateCounter) => RateLimited | undefined): Effect.Effect<void, RateLimited> =>
    ClientAddress.use((address) => {
      const refusal = address === undefined ? undefined : use(counterOf(networkOf(address)))
      return refusal === undefined ? Effect.void : Effect.fail(refusal)
    })
  return {
    /** Fails when the address has no units left. */
    ensureFree: onAddress((counter) => counter.refusal(1)),

    /** Takes units from the address, however many are left. */
    charge: (units: number): Effect.Effect<void> =>
      ClientAddress.useSync((address) => {
        if (address !== undefined) counterOf(networkOf(address)).add(units)
      }),

    /** Takes units from the address, or refuses the request. */
    take: (units: number) => onAddress((counter) => counter.take(units)),
  }
}

/** Returns what counts as one client: an IPv4 address, or the /64 network of an IPv6 address that one customer has. */
export const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.parse(address).toByteArray().slice(0, 8).join(".") + "::" : address
