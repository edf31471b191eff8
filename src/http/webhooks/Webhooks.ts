import { DateTime, Effect, Redacted } from "effect"
import { Webhook, WebhookPatch } from "../../domain/webhook/Webhook.ts"
import { type IssuedWebhook, Webhooks } from "../../services/webhooks/Webhooks.ts"
import { changes } from "../Changes.ts"
import { pageIn, rangeOf } from "../Listing.ts"
import { group } from "../Group.ts"

const webhookChange = changes(Webhook, WebhookPatch, ["events"])

const issued = ({ secret, webhook }: IssuedWebhook) => ({ webhook, secret: Redacted.value(secret) })

export const layer = group("webhooks", function* (handlers) {
  const webhooks = yield* Webhooks

  return handlers.handleAll({
    createWebhook: ({ payload }) => Effect.map(webhooks.create(payload), issued),
    listWebhooks: () => Effect.bindTo(webhooks.list, "webhooks"),
    getWebhook: ({ params }) => Effect.bindTo(webhooks.get(params.webhookId), "webhook"),
    updateWebhook: ({ params, payload }) =>
      Effect.bindTo(webhooks.update(params.webhookId, webhookChange(payload)), "webhook"),
    deleteWebhook: ({ params }) =>
      Effect.as(webhooks.remove(params.webhookId), { message: "Webhook deleted successfully" as const }),
    rotateWebhookSecret: ({ params }) => Effect.map(webhooks.rotate(params.webhookId), issued),
    testWebhook: ({ params }) => Effect.bindTo(webhooks.test(params.webhookId), "test"),
    listWebhookDeliveries: ({ params, query, request }) =>
      Effect.map(
        webhooks.deliveries(params.webhookId, { state: query.state, type: query.type }, rangeOf(query)),
        pageIn(request.url, query, (deliveries) => ({ deliveries })),
      ),
    resendFailedDeliveries: ({ params, payload }) =>
      Effect.bindTo(webhooks.resendFailed(params.webhookId, DateTime.toDate(payload.since)), "resent"),
    resendWebhookDelivery: ({ params }) =>
      Effect.bindTo(webhooks.resend(params.webhookId, params.deliveryId), "delivery"),
  })
})
