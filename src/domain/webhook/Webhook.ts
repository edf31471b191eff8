import { Schema, Struct } from "effect"
import { ChatbotId, idOf } from "../Ids.ts"
import { HttpUrl } from "../schema/HttpUrl.ts"
import { textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { WebhookEventType } from "./WebhookEvent.ts"

/*
 * Webhooks: addresses of customers' servers to which events are sent.
 */

/** Random bytes of a secret. */
export const WEBHOOK_SECRET_BYTES = 32

export const WebhookId = idOf("a webhook").pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

const WebhookUrl = HttpUrl.annotate({
  description:
    "Where events are sent, by POST. The address must not be private, unless the server's settings allow it. Redirects are not followed.",
  examples: ["https://hooks.example.com/parley"],
})

const Events = Schema.Array(WebhookEventType)
  .check(Schema.isMinLength(1), Schema.isMaxLength(WebhookEventType.literals.length), Schema.isUnique())
  .annotate({ description: "The types of events that are sent.", examples: [["message.created", "document.failed"]] })

/** The fields of a new webhook. */
export const WebhookInput = Schema.Struct({
  url: WebhookUrl,
  events: Events,
  chatbot_id: Schema.optionalKey(
    Schema.NullOr(ChatbotId).annotate({ description: "Send the events of this chatbot only. Null or absent: of all." }),
  ),
  description: Schema.optionalKey(textUpTo(200).annotate({ description: "For people.", examples: ["The CRM"] })),
  active: Schema.optionalKey(Schema.Boolean.annotate({ description: "Absent: true." })),
})
export type WebhookInput = typeof WebhookInput.Type

/** A change of a webhook. A field that is absent stays as it is. */
export const WebhookPatch = WebhookInput.mapFields(Struct.omit(["chatbot_id"])).mapFields(
  Struct.map(Schema.optionalKey),
)
export type WebhookPatch = typeof WebhookPatch.Type

const switchedOff = Schema.NullOr(Schema.Literals(["gone", "failing"])).annotate({
  description:
    "Why the server has switched it off: `gone`, the endpoint answered 410; `failing`, no attempt has succeeded for as long as the server tries. Null when the server has not. Setting `active` to true begins anew.",
})

/** A webhook as the API shows it. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  chatbot_id: Schema.NullOr(ChatbotId),
  url: Schema.String,
  description: Schema.String,
  events: Schema.Array(WebhookEventType),
  active: Schema.Boolean.annotate({ description: "Whether events are sent. Events meanwhile are not sent later." }),
  switched_off: switchedOff,
  failures: Schema.Int.annotate({ description: "Attempts that have failed since the last one that succeeded." }),
  failing_since: Schema.NullOr(Timestamp).annotate({ description: "When the first of them failed." }),
  waiting: Schema.Int.annotate({ description: "Deliveries that wait for their first or next attempt." }),
  old_secret_until: Schema.NullOr(Timestamp).annotate({
    description: "Until when deliveries are signed with the secret before as well. Null when it has not been rotated.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({
  identifier: "Webhook",
  examples: [
    {
      id: WebhookId.make("01a1f949-589d-74eb-b296-3f233cb51b4c"),
      chatbot_id: null,
      url: "https://hooks.example.com/parley",
      description: "The CRM",
      events: ["message.created", "document.failed"],
      active: true,
      switched_off: null,
      failures: 0,
      failing_since: null,
      waiting: 0,
      old_secret_until: null,
      created_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
    },
  ],
})
export type Webhook = typeof Webhook.Type
