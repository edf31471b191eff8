import { daysOrOff, durations, integer, positiveDuration, size } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const webhooksOfOrganization = {
  limit: integer(0, 1_000).or("WEBHOOKS_LIMIT", "20", "Webhooks of one organization, at most; 0 forbids them."),
}

const webhookSender = {
  timeout: positiveDuration.or("WEBHOOK_TIMEOUT", "15s", "Longest time that a webhook's endpoint may take to answer."),
  excerpt: size.or("WEBHOOK_RESPONSE_LIMIT", "1KiB", "Bytes of an endpoint's answer that are read and kept, at most."),
}

const webhookDelivery = {
  concurrency: integer(1, 1_000).or(
    "WEBHOOK_CONCURRENCY",
    "16",
    "Webhooks that one process sends to at once; a quarter as many again are for endpoints that are failing.",
  ),
  tries: durations.or(
    "WEBHOOK_TRIES",
    "5s,5m,30m,2h,5h,10h,14h,20h,24h",
    "When a delivery that has failed is tried again, counted from its first attempt. An endpoint that has failed for the last of these times is switched off.",
  ),
  waitingLimit: integer(1, 10_000_000).or(
    "WEBHOOK_WAITING_LIMIT",
    "10000",
    "Deliveries that may wait for one webhook that is failing; beyond, the oldest ones are dropped, and the webhook says how many.",
  ),
  textLimit: integer(1, 10_000_000).or(
    "WEBHOOK_TEXT_LIMIT",
    "65536",
    "Characters of a message's text that are sent to a webhook, at most; a longer one is cut, and says so.",
  ),
  retentionDays: daysOrOff.or(
    "WEBHOOK_RETENTION",
    "14",
    "Days for which a webhook's deliveries are kept and can be sent again.",
  ),
}

export const webhooks = {
  title: "Webhooks",
  introduction:
    "How events are sent to the servers of customers, see [webhooks](webhooks.md). Addresses that are private are refused as those of HTTP tools are.",
  sections: { webhooksOfOrganization, webhookSender, webhookDelivery },
} satisfies Group
