import { rateLimit } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const rates = {
  key: rateLimit.or(
    "RATE_LIMIT",
    "100/10s",
    "Units that each API key may take in any such time. A request takes 1, a chat 2, an upload 5, an export or a deletion of everything 5. `off` switches off the limits of organizations and addresses as well.",
  ),
  organization: rateLimit.or(
    "ORGANIZATION_RATE_LIMIT",
    "1000/10s",
    "Units that all API keys of an organization together may take in any such time, so that an organization does not get more by making keys.",
  ),
  address: rateLimit.or(
    "ADDRESS_RATE_LIMIT",
    "100/10s",
    "Units that requests without a valid API key may take from one address (of IPv6, from one /64) in any such time. A request without a key takes 1, with a wrong key 10. API keys that the server has found valid before are never refused for their address.",
  ),
}

export const rateLimits = {
  title: "Rate limits",
  introduction:
    "How much one caller may ask for. Where several servers share one Postgres they share the limits of keys and organizations; those of addresses each server counts for itself.",
  sections: { rates },
} satisfies Group
