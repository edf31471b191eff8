import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Webhook, WebhookId, WebhookInput, WebhookPatch } from "../../domain/webhook/Webhook.ts"
import { DeliveryId, DeliveryState, WebhookDelivery, WebhookTest } from "../../domain/webhook/WebhookDelivery.ts"
import { WebhookEventType } from "../../domain/webhook/WebhookEvent.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { described, LimitsBoundKeys, slow } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { Moment } from "../parts/Moment.ts"
import { cursorQuery, nextCursor, withLink } from "../parts/Paging.ts"

const webhooksPath = "/api/external/webhooks"
const webhookPath = `${webhooksPath}/:webhookId` as const
const deliveriesPath = `${webhookPath}/deliveries` as const
const ofWebhook = { webhookId: WebhookId }

const OneWebhook = Schema.Struct({ webhook: Webhook })
const OneDelivery = Schema.Struct({ delivery: WebhookDelivery })
const Issued = Schema.Struct({
  webhook: Webhook,
  secret: Schema.String.annotate({
    description: "What signs, `whsec_` and 32 random bytes in base64. It is shown this once and cannot be read again.",
    examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
  }),
})

const createWebhook = HttpApiEndpoint.post("createWebhook", webhooksPath, {
  payload: WebhookInput,
  success: Issued.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Create a webhook",
      "Events are sent to its address by POST from now on, signed as [Standard Webhooks](/docs/webhooks) says: each at least once, in no order. The calling key needs the scopes to read what the events tell (403): `conversations:read`, `knowledge:read` or `chatbots:read`. A key that is bound to a chatbot makes webhooks of that chatbot. 409 when the organization has as many as it may.",
    ),
  )

const listWebhooks = HttpApiEndpoint.get("listWebhooks", webhooksPath, {
  success: Schema.Struct({ webhooks: Schema.Array(Webhook) }),
}).annotateMerge(
  described("List webhooks", "Oldest first, all of them; to a key that is bound to a chatbot, those of that chatbot."),
)

const getWebhook = HttpApiEndpoint.get("getWebhook", webhookPath, {
  params: ofWebhook,
  success: OneWebhook,
  error: Problem.NotFound,
}).annotateMerge(described("Get a webhook", "Its secret is not shown."))

const updateWebhook = HttpApiEndpoint.patch("updateWebhook", webhookPath, {
  params: ofWebhook,
  payload: ChangePayload(WebhookPatch),
  success: OneWebhook,
  error: Problem.NotFound,
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a webhook",
      description: `Absent fields stay. Its failures are counted anew; with \`active\` false what waits becomes \`failed\`. ${changeDescription}`,
    }),
  )

const deleteWebhook = HttpApiEndpoint.delete("deleteWebhook", webhookPath, {
  params: ofWebhook,
  success: Schema.Struct({ message: Schema.Literal("Webhook deleted successfully") }),
  error: Problem.NotFound,
}).annotateMerge(described("Delete a webhook", "Nothing is sent any more; its deliveries go too."))

const rotateWebhookSecret = HttpApiEndpoint.post("rotateWebhookSecret", `${webhookPath}/rotate`, {
  params: ofWebhook,
  success: Issued,
  error: Problem.NotFound,
})
  .middleware(Idempotent.inTransaction)
  .annotateMerge(
    described(
      "Rotate a webhook's secret",
      "Makes a new secret. For 24 hours every request carries two signatures, of the new secret and of the one before, so that receivers can change over meanwhile.",
    ),
  )

const testWebhook = HttpApiEndpoint.post("testWebhook", `${webhookPath}/test`, {
  params: ofWebhook,
  success: Schema.Struct({ test: WebhookTest }),
  error: [Problem.NotFound, Problem.Conflict, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .annotateMerge(slow(requestCosts.chat))
  .annotateMerge(
    described(
      "Test a webhook",
      "Sends an event of the type `webhook.test` now, once, signed like every other, and says what the endpoint answered. It works while the webhook is switched off, and is not in the list of deliveries.",
    ),
  )

const listWebhookDeliveries = HttpApiEndpoint.get("listWebhookDeliveries", deliveriesPath, {
  params: ofWebhook,
  query: {
    state: Schema.optionalKey(DeliveryState),
    type: Schema.optionalKey(WebhookEventType).annotate({ description: "Only deliveries of this type of event." }),
    ...cursorQuery,
  },
  success: withLink(Schema.Struct({ deliveries: Schema.Array(WebhookDelivery), ...nextCursor })),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "List a webhook's deliveries",
    "Those that the calling key may read, the latest first, kept as long as the server's settings say. They hold ids, and no text of a conversation but what the endpoint has answered; those of a conversation are deleted with it.",
  ),
)

const resendWebhookDelivery = HttpApiEndpoint.post("resendWebhookDelivery", `${deliveriesPath}/:deliveryId/resend`, {
  params: { ...ofWebhook, deliveryId: DeliveryId },
  success: OneDelivery,
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotateMerge(
    described(
      "Send a delivery again",
      "With the same `webhook-id`, in every state, and with as many attempts as at first. 409 while the webhook is switched off.",
    ),
  )

const resendFailedDeliveries = HttpApiEndpoint.post("resendFailedDeliveries", `${deliveriesPath}/resend`, {
  params: ofWebhook,
  payload: Schema.Struct({
    since: Moment.pipe(
      Schema.annotateEncoded({
        format: "date-time",
        description: "Deliveries of events from this moment on, ISO 8601 with offset.",
      }),
    ),
  }),
  success: Schema.Struct({ resent: Schema.Int.annotate({ description: "How many are sent again." }) }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Send failed deliveries again",
      "Those in the state `failed`, the oldest first, at most 1,000 at once: repeat it until `resent` is 0. 409 while the webhook is switched off.",
    ),
  )

/** The endpoints that manage webhooks. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    createWebhook,
    listWebhooks,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listWebhookDeliveries,
    resendFailedDeliveries,
    resendWebhookDelivery,
  )
  .annotateEndpoints(RequiredScope, "admin")
  .annotateEndpoints(LimitsBoundKeys, true)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description:
        "Events, sent to servers of yours. A key reads, changes and redirects what is sent only if it has the scopes to read what the events tell (403 otherwise): `conversations:read`, `knowledge:read` or `chatbots:read`.",
    }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
