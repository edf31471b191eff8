import type { OrganizationEvent } from "../../../domain/organizations/Events.ts"
import { addressOf } from "./Root.ts"

export type LiveEvent = typeof OrganizationEvent.Encoded

/** Time until events that were refused are asked for again; what is shown is read anew then. */
const RETRY_MILLIS = 5_000

const isEvent = (value: unknown): value is LiveEvent => typeof value === "object" && value !== null && "type" in value

const listeners = new Set<(event: LiveEvent) => void>()
let source: EventSource | undefined
let retrying: ReturnType<typeof setTimeout> | undefined

const tell = (event: LiveEvent): void => Array.from(listeners).forEach((each) => each(event))

const connect = (): void => {
  source = new EventSource(addressOf("/api/external/events"))
  source.onmessage = ({ data }: MessageEvent<string>) => {
    const event: unknown = JSON.parse(data)
    if (isEvent(event)) tell(event)
  }
  source.onerror = () => {
    // Otherwise the browser connects again by itself.
    if (source?.readyState === EventSource.CLOSED) retrying = setTimeout(retry, RETRY_MILLIS)
  }
}

const retry = (): void => {
  // Nobody looks at a hidden page.
  if (!document.hidden) tell({ type: "resync" })
  connect()
}

/**
 * Listens to what changes in the organization, or in one chatbot, until the returned function is called. The first event
 * is `resync`, and so is every one while the server refuses events: then what is shown has to be read anew. All listeners
 * of a page share one connection, of which browsers allow few.
 */
export const listen = (chatbotId: string | undefined, onEvent: (event: LiveEvent) => void): (() => void) => {
  const own = (event: LiveEvent): void => {
    if (chatbotId === undefined || !("chatbot_id" in event) || event.chatbot_id === chatbotId) onEvent(event)
  }
  listeners.add(own)
  if (listeners.size === 1) connect()
  // The connection's own is past.
  else if (source?.readyState === EventSource.OPEN)
    queueMicrotask(() => listeners.has(own) && onEvent({ type: "resync" }))
  return () => {
    listeners.delete(own)
    if (listeners.size > 0) return
    source?.close()
    clearTimeout(retrying)
  }
}

const SOON_MILLIS = 300

/** A function that does something once, soon after the first of several calls. */
export const soon = (work: () => unknown, millis = SOON_MILLIS): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined
      work()
    }, millis)
  }
}
