import { RATE_LIMIT } from "../system/Variables.ts"
import { rateLimit } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const rates = {
  key: rateLimit.or(
    RATE_LIMIT,
    "100/10s",
    "Requests of each API key. Raise it for a key that many visitors share. `off` ends all limits of this section.",
  ),
  organization: rateLimit.or(
    "ORGANIZATION_RATE_LIMIT",
    "1000/10s",
    "Requests of all API keys of an organization together.",
  ),
  address: rateLimit.or(
    "ADDRESS_RATE_LIMIT",
    "100/10s",
    "Requests of one address (of IPv6, one /64) without a valid API key.",
  ),
}

const visitorRates = {
  visitor: rateLimit.or(
    "WIDGET_VISITOR_RATE_LIMIT",
    "120/1m",
    "Requests of one visitor of the widget; a message counts as 2, and a long one as more.",
  ),
  address: rateLimit.or(
    "WIDGET_ADDRESS_RATE_LIMIT",
    "600/1m",
    "Requests of all visitors behind one address (of IPv6, one /64). A wrong key or forged token counts as 10. Raise it for visitors who share an address.",
  ),
}

export const rateLimits = {
  title: "Rate limits",
  introduction: "[Keys and budgets](keys-and-budgets.md#rate-limits) lists the units of requests.",
  sections: { rates, visitorRates },
} satisfies Group
