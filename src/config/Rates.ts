import { RATE_LIMIT } from "../system/Variables.ts"
import { rateLimit } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const rates = {
  key: rateLimit.or(
    RATE_LIMIT,
    "100/10s",
    "Requests that each API key may send in any such time. A chat counts as 2; an upload, an export and a deletion of much at once as 5; each 32 KiB of JSON and each MiB of a form as 1 more. Raise it for a key that many visitors share. `off` switches off the limits of organizations and addresses as well.",
  ),
  organization: rateLimit.or(
    "ORGANIZATION_RATE_LIMIT",
    "1000/10s",
    "Requests that all API keys of an organization together may send in any such time, so that more keys do not mean more requests.",
  ),
  address: rateLimit.or(
    "ADDRESS_RATE_LIMIT",
    "100/10s",
    "Requests without a valid API key that one address (of IPv6, one /64) may send in any such time. One with a wrong key counts as 10. API keys that the server has found valid before are never refused for their address.",
  ),
}

const visitorRates = {
  visitor: rateLimit.or(
    "WIDGET_VISITOR_RATE_LIMIT",
    "120/1m",
    "Requests that one visitor may send in any such time; a message counts as 2, and a long one as more.",
  ),
  address: rateLimit.or(
    "WIDGET_ADDRESS_RATE_LIMIT",
    "600/1m",
    "Requests of all visitors behind one address (of IPv6, one /64) together. A wrong key and a forged token count as 10. Raise it where many visitors share an address, such as those of an office.",
  ),
  key: rateLimit.or(
    "WIDGET_KEY_RATE_LIMIT",
    "500/10s",
    "Requests of all visitors of one publishable key together, or of one public chatbot that is embedded by its id. They count for their organization as well.",
  ),
}

export const rateLimits = {
  title: "Rate limits",
  introduction: `How much one caller, and one visitor of the chat widget, may ask for; \`${RATE_LIMIT}=off\` switches off all of these limits. Where several servers share one Postgres they share the limits of keys and organizations; those of addresses each server counts for itself. A server answers refusals at a pace, 200 a second after the first hundred, so that a client which asks again at once waits for up to a second.`,
  sections: { rates, visitorRates },
} satisfies Group
