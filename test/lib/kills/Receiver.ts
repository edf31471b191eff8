import { Effect, type Scope } from "effect"
import type { Client } from "../Client.ts"
import { listening } from "../Listening.ts"

/** What a webhook was sent. */
export interface ReceivedEvent {
  readonly type: string
  readonly data: {
    readonly id?: string
    readonly session_id?: string
    readonly sender_type?: string
    readonly content?: string
    readonly revision?: number
  }
}

/** The server of a customer, which is sent all events of an organization. */
export interface Receiver {
  readonly events: ReadonlyArray<ReceivedEvent>
  readonly url: string
  /** Called when an event has arrived, before it is answered. */
  onDelivery: () => void
  /** Waits until one more event than now has arrived. */
  readonly nextDelivery: () => Promise<void>
}

/** Starts the server of a customer, until the scope closes. */
export const startReceiver: Effect.Effect<Receiver, never, Scope.Scope> = Effect.gen(function* () {
  const events: Array<ReceivedEvent> = []
  const url = yield* listening(async (request) => {
    events.push(JSON.parse(await request.text()))
    receiver.onDelivery()
    return new Response("thanks")
  })
  const receiver: Receiver = {
    events,
    url: `${url}/events`,
    onDelivery: () => {},
    nextDelivery: async () => {
      for (const before = events.length; events.length === before;) await Bun.sleep(5)
    },
  }
  return receiver
})

/** Makes a webhook that sends the events of conversations and documents to this address, and returns its path. */
export const subscribe = async (client: Client, url: string): Promise<string> => {
  const events = ["message.created", "document.ready"]
  const reply = await client.post("/api/external/webhooks", { json: { url, events } })
  if (reply.status !== 201) throw new Error(reply.text)
  return `/api/external/webhooks/${Object(reply.body).webhook.id}`
}

/** Waits until nothing waits to be sent to a webhook, or until so many milliseconds have passed. */
export const delivered = async (client: Client, webhook: string, patience: number): Promise<void> => {
  for (const end = performance.now() + patience; performance.now() < end; await Bun.sleep(50)) {
    const { text } = await client.get(`${webhook}/deliveries?state=waiting`)
    if (text.includes('"deliveries":[]')) return
  }
}

/**
 * Compares the events with the messages that are stored, and with the documents that are ready. Returns what is wrong, a
 * line each. An event may have arrived more than once, and in any order.
 */
export const faultsOfEvents = (
  events: ReadonlyArray<ReceivedEvent>,
  stored: {
    readonly conversations: ReadonlyArray<{
      readonly id: string
      readonly messages: ReadonlyArray<{ readonly id: string; readonly content: string }>
    }>
    readonly documents: ReadonlyArray<{ readonly id: string; readonly revision: number }>
  },
): ReadonlyArray<string> => {
  const messages = events.filter(({ type }) => type === "message.created")
  const told = new Set(messages.map(({ data }) => `${data.session_id} ${data.id} ${data.content}`))
  const ready = new Set(events.map(({ data, type }) => `${type} ${data.id} ${data.revision}`))
  return [
    ...stored.conversations.flatMap(({ id, messages }) =>
      messages.flatMap((message) =>
        told.has(`${id} ${message.id} ${message.content}`)
          ? []
          : [`There was no event of message ${message.id} with the content that it has`],
      ),
    ),
    ...stored.documents.flatMap(({ id, revision }) =>
      ready.has(`document.ready ${id} ${revision}`) ? [] : [`There was no event that ${id} is ready at ${revision}`],
    ),
  ]
}
