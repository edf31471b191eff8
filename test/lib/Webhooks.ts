import { expect } from "bun:test"
import { Schema } from "effect"
import { Webhook } from "../../src/domain/webhook/Webhook.ts"
import { WebhookDelivery } from "../../src/domain/webhook/WebhookDelivery.ts"
import { webhookData, type WebhookEventType } from "../../src/domain/webhook/WebhookEvent.ts"
import { Webhook as Verifier } from "standardwebhooks"
import { type Client, read } from "./Client.ts"
import type { Asked } from "./Endpoint.ts"

export const hooksPath = "/api/external/webhooks"

const Issued = Schema.Struct({ webhook: Webhook, secret: Schema.String })
const Deliveries = Schema.Struct({
  deliveries: Schema.Array(WebhookDelivery),
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const Event = Schema.Struct({ type: Schema.String, timestamp: Schema.String, data: Schema.JsonObject })
export type Event = typeof Event.Type

/** A webhook with its secret, and what a test does with it. */
export const newWebhook = async (
  client: Client,
  url: string,
  events: ReadonlyArray<WebhookEventType>,
  more: Readonly<Record<string, unknown>> = {},
) => {
  const { secret, webhook } = read(Issued, await client.post(hooksPath, { json: { url, events, ...more } }))
  const path = `${hooksPath}/${webhook.id}`
  return {
    id: webhook.id,
    secret,
    path,
    get: async () => read(Schema.Struct({ webhook: Webhook }), await client.get(path)).webhook,
    deliveries: async (query = "") => read(Deliveries, await client.get(`${path}/deliveries${query}`)),
  }
}

/** Verifies a request with the package of the specification, and returns its event. */
export const verified = (asked: Asked, secret: string): Event =>
  Schema.decodeUnknownSync(Event)(new Verifier(secret).verify(asked.body, Object.fromEntries(asked.headers)))

/** Decodes the data of each type of event as the OpenAPI document says of it, and refuses any field beside. */
const decoders = Object.fromEntries(
  Object.entries(webhookData).map(([type, schema]) => [
    type,
    (data: unknown): unknown =>
      Schema.decodeUnknownSync(Schema.toType<Schema.Top>(schema), { onExcessProperty: "error" })(data),
  ]),
)

/** Expects the data of an event to be what the OpenAPI document says of its type. */
export const expectDocumented = ({ data, type }: Event): void => {
  const decode = decoders[type] ?? expect.unreachable(type)
  decode(data)
}
