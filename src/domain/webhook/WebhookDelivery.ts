import { Schema } from "effect"
import { idOf } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { WebhookId } from "./Webhook.ts"
import { WebhookEventType } from "./WebhookEvent.ts"

export const DeliveryId = idOf("a delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const DeliveryState = Schema.Literals(["waiting", "delivered", "failed"]).annotate({
  description:
    "`waiting`: for its first or next attempt. `delivered`: the endpoint answered 2xx. `failed`: no attempt is left, or the webhook was switched off. A delivery goes when what it is about is deleted.",
})
export type DeliveryState = typeof DeliveryState.Type

/** The outcome of one request to the endpoint of a webhook. */
const attempt = {
  response_status: Schema.NullOr(Schema.Int).annotate({ description: "Status of the answer; null without one." }),
  response: Schema.NullOr(Schema.String).annotate({ description: "The beginning of the answer's text." }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why there was no answer, or none that counts." }),
  duration_ms: Schema.NullOr(Schema.Int),
}

/** One event for one webhook, with the outcome of sending it. */
export const WebhookDelivery = Schema.Struct({
  id: DeliveryId.annotate({ description: "The `webhook-id` of every attempt, by which receivers know repeats." }),
  webhook_id: WebhookId,
  type: WebhookEventType,
  subject_id: Schema.String.annotate({
    format: "uuid",
    description: "The conversation, document, source, chatbot, key or organization that it is about.",
  }),
  state: DeliveryState,
  attempts: Schema.Int,
  attempted_at: Schema.NullOr(Timestamp).annotate({ description: "When the last attempt ended." }),
  due_at: Schema.NullOr(Timestamp).annotate({
    description: "When the next attempt follows. Null when none does, and while one is under way.",
  }),
  ...attempt,
  created_at: Timestamp.annotate({ description: "When the event happened: the `timestamp` of the payload." }),
}).annotate({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

/** The outcome of a test of a webhook. */
export const WebhookTest = Schema.Struct({
  is_delivered: Schema.Boolean.annotate({ description: "Whether the endpoint answered 2xx." }),
  ...attempt,
}).annotate({ identifier: "WebhookTest" })
export type WebhookTest = typeof WebhookTest.Type
