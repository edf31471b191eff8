import { Schema } from "effect"
import { isObject } from "../../domain/schema/Merge.ts"
import { eventDescriptions, webhookData, WebhookEventType } from "../../domain/webhook/WebhookEvent.ts"

/** The schema of a type, with the definitions that it refers to written out, because it stands apart from the others. */
const schemaOf = (type: Schema.Top): Schema.JsonObject => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(type)
  const resolved = (value: Schema.Json): Schema.Json => {
    if (Array.isArray(value)) return value.map(resolved)
    return isObject(value) ? resolvedObject(value) : value
  }
  const resolvedObject = ({ $ref, ...rest }: Schema.JsonObject): Schema.JsonObject => {
    const fields = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, resolved(item)]))
    const named = typeof $ref === "string" ? definitions[$ref.slice($ref.lastIndexOf("/") + 1)] : undefined
    return isObject(named) ? { ...resolvedObject(named), ...fields } : fields
  }
  return isObject(schema) ? resolvedObject(schema) : {}
}

const header = (name: string, description: string): Schema.JsonObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
})

const parameters = [
  header("webhook-id", "The same for every attempt at the event: receivers know repeats by it."),
  header("webhook-timestamp", "The time of the attempt, in seconds since 1970."),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256, in base64, of id, timestamp and body with dots between. Two with a space between while the secret is rotated.",
  ),
]

const operationOf = (type: WebhookEventType): Schema.JsonObject => ({
  post: {
    operationId: `on ${type}`.replaceAll(/[ .](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ["Webhooks"],
    summary: type,
    description: eventDescriptions[type],
    parameters,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["type", "timestamp", "data"],
            properties: {
              type: { type: "string", enum: [type] },
              timestamp: { type: "string", format: "date-time", description: "When the event happened." },
              data: schemaOf(webhookData[type]),
            },
          },
        },
      },
    },
    responses: {
      "2XX": { description: "The event is received." },
      "410": { description: "The endpoint wants no more events: the webhook is switched off." },
      default: { description: "The event is sent again later." },
    },
  },
})

/** The requests to webhooks, for the section `webhooks` of the OpenAPI document. */
export const webhookOperations: Schema.JsonObject = Object.fromEntries(
  WebhookEventType.literals.map((type) => [type, operationOf(type)]),
)
