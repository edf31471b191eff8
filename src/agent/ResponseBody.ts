import { Sse } from "effect/encoding"
import { disconnected, malformed, type ProviderFailure } from "./ProviderFailure.ts"

/*
 * Reading what a provider answers, never more than so many bytes of it. Plain promises: the effects that wait for them
 * are in `ProviderCalls.ts` and `StreamedAnswer.ts`.
 */

class Oversized extends Error {
  override readonly name = "Oversized"
  constructor(bytesMax: number) {
    super(`The response is longer than ${bytesMax} bytes`)
  }
}

/** What it means that reading failed. */
export const brokenBody = (error: unknown): ProviderFailure =>
  error instanceof Oversized ? malformed(error.message) : disconnected(String(error))

/** The whole body. */
export const readText = async (response: Response, bytesMax: number): Promise<string> => {
  const announced = Number(response.headers.get("content-length") ?? Number.NaN)
  if (announced > bytesMax) throw new Oversized(bytesMax)
  // `fetch` ends the body where it was announced to end; a compressed one says nothing of its length here.
  if (announced >= 0 && !response.headers.has("content-encoding")) return response.text()
  const { text, isWhole } = await readUpTo(response, bytesMax)
  if (!isWhole) throw new Oversized(bytesMax)
  return text
}

/** The beginning of the body; the rest is left unread. */
export const readStart = async (response: Response, bytesMax: number): Promise<string> =>
  (await readUpTo(response, bytesMax)).text

const readUpTo = async ({ body }: Response, bytesMax: number) => {
  if (body === null) return { text: "", isWhole: true }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  let bytes = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isWhole: true }
    bytes += value.length
    text += decoder.decode(value, { stream: true })
    if (bytes > bytesMax) {
      void reader.cancel().catch(() => {})
      return { text, isWhole: false }
    }
  }
}

export interface BodyEvent {
  /** `message` when the event has no name. */
  readonly name: string
  readonly data: string
}

/** A body of server-sent events. */
export class EventBody {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private readonly decoder = new TextDecoder()
  private readonly bytesMax: number
  private bytes = 0
  private events: Array<BodyEvent> = []
  private readonly parser: Sse.Parser
  /** Whether the body has come to its end, as far as it was read. */
  ended = false

  constructor({ body }: Response, bytesMax: number) {
    this.reader = body?.getReader()
    this.bytesMax = bytesMax
    const receive = (event: Sse.AnyEvent) => {
      if (event._tag === "Event") this.events.push({ name: event.event, data: event.data })
    }
    this.parser = Sse.makeParser(receive, { maxEventSize: bytesMax })
  }

  /** Hangs up, unless the body has come to its end. */
  close(): void {
    if (!this.ended) void this.reader?.cancel().catch(() => {})
  }

  /** The events of the next piece of the body: none when it holds only comments, or the half of an event. */
  async next(): Promise<ReadonlyArray<BodyEvent>> {
    const { done, value } = (await this.reader?.read()) ?? { done: true, value: undefined }
    if (done) {
      this.ended = true
      // Some servers forget the empty line after the last event.
      this.parser.feed(`${this.decoder.decode()}\n\n`)
    } else {
      this.bytes += value.length
      if (this.bytes > this.bytesMax) throw new Oversized(this.bytesMax)
      this.parser.feed(this.decoder.decode(value, { stream: true }))
    }
    const events = this.events
    this.events = []
    return events
  }
}
