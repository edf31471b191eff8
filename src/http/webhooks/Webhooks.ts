import { HttpApiBuilder } from "effect/http-api"
import { DateTime, Effect, Redacted } from "effect"
import { Api } from "../../api/Api.ts"
import { Webhook, WebhookPatch } from "../../domain/webhook/Webhook.ts"
import { type IssuedWebhook, Webhooks } from "../../services/webhooks/Webhooks.ts"
import { changes } from "../Changes.ts"
import { pageIn, rangeOf } from "../Listing.ts"

const webhookChange = changes(Webhook, WebhookPatch, ["events"])

const issued = ({ secret, webhook }: IssuedWebhook) => ({ webhook, secret: Redacted.value(secret) })

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks

    return handlers.handleAll({
      createWebhook: ({ payload }) => Effect.map(webhooks.create(payload), issued),
      listWebhooks: () => Effect.map(webhooks.list, (found) => ({ webhooks: found })),
      getWebhook: ({ params }) => Effect.map(webhooks.get(params.webhookId), (webhook) => ({ webhook })),
      updateWebhook: ({ params, payload }) =>
        Effect.map(webhooks.update(params.webhookId, webhookChange(payload)), (webhook) => ({ webhook })),
      deleteWebhook: ({ params }) =>
        Effect.as(webhooks.remove(params.webhookId), { message: "Webhook deleted successfully" as const }),
      rotateWebhookSecret: ({ params }) => Effect.map(webhooks.rotate(params.webhookId), issued),
      testWebhook: ({ params }) => Effect.map(webhooks.test(params.webhookId), (test) => ({ test })),
      listWebhookDeliveries: ({ params, query, request }) =>
        Effect.map(
          webhooks.deliveries(params.webhookId, { state: query.state, type: query.type }, rangeOf(query)),
          pageIn(request.url, query, (deliveries) => ({ deliveries })),
        ),
      resendFailedDeliveries: ({ params, payload }) =>
        Effect.map(webhooks.resendFailed(params.webhookId, DateTime.toDate(payload.since)), (resent) => ({ resent })),
      resendWebhookDelivery: ({ params }) =>
        Effect.map(webhooks.resend(params.webhookId, params.deliveryId), (delivery) => ({ delivery })),
    })
  }),
)
