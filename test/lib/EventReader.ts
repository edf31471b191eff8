import type { Client } from "./Client.ts"

/** An event of an organization as a client reads it. */
export interface ReadEvent {
  readonly type: string
  readonly chatbot_id?: string
  readonly document_id?: string
  readonly document?: { readonly id: string; readonly status: string }
  readonly conversation?: { readonly id: string; readonly message_count: number }
}

/** A client that listens to events. */
export interface Listener<Event = ReadEvent> {
  readonly events: ReadonlyArray<Event>
  /** Waits until an event fits, and returns it. */
  readonly until: (fits: (event: Event) => boolean) => Promise<Event>
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  readonly leave: () => void
}

/** Listens to the events of an organization, and waits until the stream has begun. */
export const listen = (client: Client, query = ""): Promise<Listener> =>
  listenAt(`${client.url}/api/external/events${query}`, { "x-api-key": client.key ?? "" })

/** Listens to the events of an address, and waits until the stream has begun. */
export const listenAt = async <Event extends { readonly type: string }>(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Listener<Event>> => {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const events: Array<Event> = []
  let wake = () => {}
  const read = async () => {
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      const parts = text.split("\n\n")
      text = parts.pop() ?? ""
      for (const part of parts) if (part.startsWith("data: ")) events.push(JSON.parse(part.slice(6)))
      wake()
    }
  }
  const ended = read().catch(() => {})
  const until = async (fits: (event: Event) => boolean): Promise<Event> => {
    for (;;) {
      const found = events.find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  await until(({ type }) => type === "resync")
  return { events, until, ended, leave: () => abort.abort() }
}
