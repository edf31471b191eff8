import type { OrganizationEvent } from "../../../domain/organizations/Events.ts"
import { addressOf } from "./Root.ts"

/** A change in the organization, as the API writes it. */
export type LiveEvent = typeof OrganizationEvent.Encoded

/** Interval of reading anew while there are no events. */
const POLL_MILLIS = 3_000
/** Time until events that were refused are asked for again. */
const RETRY_MILLIS = 30_000

const isEvent = (value: unknown): value is LiveEvent => typeof value === "object" && value !== null && "type" in value

/**
 * Listens to what changes in the organization, or in one chatbot, until the returned function is called. The first event
 * is `resync`, and so is every one while the server sends no events: then what is shown has to be read anew.
 */
export const listen = (chatbotId: string | undefined, onEvent: (event: LiveEvent) => void): (() => void) => {
  let source: EventSource | undefined
  let polling: ReturnType<typeof setInterval> | undefined
  let retrying: ReturnType<typeof setTimeout> | undefined
  const poll = (): void => {
    // Nobody looks at a hidden page.
    polling ??= setInterval(() => document.hidden || onEvent({ type: "resync" }), POLL_MILLIS)
  }
  const connect = (): void => {
    source = new EventSource(addressOf("/api/external/events", {}, { chatbot_id: chatbotId }))
    source.onmessage = ({ data }: MessageEvent<string>) => {
      clearInterval(polling)
      polling = undefined
      const event: unknown = JSON.parse(data)
      if (isEvent(event)) onEvent(event)
    }
    source.onerror = () => {
      poll()
      // Otherwise the browser connects again by itself.
      if (source?.readyState === EventSource.CLOSED) retrying = setTimeout(connect, RETRY_MILLIS)
    }
  }
  connect()
  return () => {
    source?.close()
    clearInterval(polling)
    clearTimeout(retrying)
  }
}
