import { type Answer, call } from "../../server/Api.ts"
import { lists, resources } from "../../server/Resource.ts"

export type Webhook = Answer<"GET /api/external/webhooks">["webhooks"][number]
type EventType = Webhook["events"][number]
export type Delivery = Answer<"GET /api/external/webhooks/:webhookId/deliveries">["deliveries"][number]

export const allWebhooks = resources(async () => (await call("GET /api/external/webhooks")).webhooks)

export const deliveriesOf = lists(async (cursor, webhookId: string) => {
  const { deliveries, next_cursor } = await call("GET /api/external/webhooks/:webhookId/deliveries", {
    params: { webhookId },
    query: { limit: "50", cursor },
  })
  return { items: deliveries, next: next_cursor }
})

export const eventWords: Readonly<Record<EventType, string>> = {
  "message.created": "New message",
  "conversation.created": "New conversation",
  "conversation.handover": "Conversation handed over",
  "conversation.assigned": "Conversation assigned",
  "conversation.returned": "Conversation returned",
  "feedback.created": "New rating",
  "document.ready": "Document ready",
  "document.failed": "Document failed",
  "source.finished": "Source read",
  "source.failed": "Source failed",
  "chatbot.updated": "Chatbot updated",
  "budget.spent": "Budget spent",
  "tests.worse": "Tests worse",
}

export const eventTypes = Object.keys(eventWords) as ReadonlyArray<EventType>

export const stateOf = ({ active, failures, switched_off, waiting }: Webhook) => {
  if (switched_off === "gone") return { kind: "bad", text: "Disabled: endpoint gone" } as const
  if (switched_off === "failing") return { kind: "bad", text: "Disabled: endpoint kept failing" } as const
  if (!active) return { kind: "plain", text: "Off" } as const
  if (failures > 0) return { kind: "warn", text: `Failing, ${waiting} waiting` } as const
  return { kind: "good", text: "Active" } as const
}

export const outcomeOf = ({ error, response_status }: Pick<Delivery, "error" | "response_status">): string =>
  error ?? (response_status === null ? "–" : `HTTP ${response_status}`)
