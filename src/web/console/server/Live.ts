import type { OrganizationEvent } from "../../../domain/organizations/Events.ts"
import { addressOf } from "./Root.ts"

export type LiveEvent = typeof OrganizationEvent.Encoded

/** Time until events that were refused are asked for again; what is shown is read anew then. */
const RETRY_MILLIS = 5_000

const isEvent = (value: unknown): value is LiveEvent => typeof value === "object" && value !== null && "type" in value

/**
 * Listens to what changes in the organization, or in one chatbot, until the returned function is called. The first event
 * is `resync`, and so is every one while the server refuses events: then what is shown has to be read anew.
 */
export const listen = (chatbotId: string | undefined, onEvent: (event: LiveEvent) => void): (() => void) => {
  let source: EventSource | undefined
  let retrying: ReturnType<typeof setTimeout> | undefined
  const connect = (): void => {
    source = new EventSource(addressOf("/api/external/events", {}, { chatbot_id: chatbotId }))
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const event: unknown = JSON.parse(data)
      if (isEvent(event)) onEvent(event)
    }
    source.onerror = () => {
      // Otherwise the browser connects again by itself.
      if (source?.readyState === EventSource.CLOSED) retrying = setTimeout(retry, RETRY_MILLIS)
    }
  }
  const retry = (): void => {
    // Nobody looks at a hidden page.
    if (!document.hidden) onEvent({ type: "resync" })
    connect()
  }
  connect()
  return () => {
    source?.close()
    clearTimeout(retrying)
  }
}
