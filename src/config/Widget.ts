import { RATE_LIMIT } from "../system/Variables.ts"
import { rateLimit } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

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

export const widget = {
  title: "The chat widget",
  introduction: `What visitors of the chat widget may ask for. \`${RATE_LIMIT}=off\` switches off these limits as well.`,
  sections: { visitorRates },
} satisfies Group
