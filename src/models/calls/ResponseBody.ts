import { Readable } from "node:stream"
import type { ReadableStream as WebStream } from "node:stream/web"
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

/** Who waits for the next piece of a body. */
export interface Receiver {
  /** None when the piece holds only comments, or the half of an event. */
  readonly onEvents: (events: ReadonlyArray<BodyEvent>) => void
  readonly onError: (error: unknown) => void
}

/** What is read at once, in bytes. */
const READ_BYTES = 1_024

/**
 * A body of server-sent events, told to callbacks that are made once: what is made for each piece is what the collector
 * has to look at, with thousands of streams. It is read as a Node stream, since those of the web set 64 kB aside for each
 * read that waits.
 */
export class EventBody {
  private readonly source: Readable | undefined
  private readonly decoder = new TextDecoder()
  private readonly bytesMax: number
  private bytes = 0
  /** What the piece that is being read has brought, from its first event on. */
  private events: Array<BodyEvent> | undefined
  private readonly parser: Sse.Parser
  private receiver: Receiver | undefined
  private error: unknown
  /** Whether the body has come to its end, as far as it was read. */
  ended: boolean

  constructor({ body }: Response, bytesMax: number) {
    this.bytesMax = bytesMax
    const receive = (event: Sse.AnyEvent) => {
      if (event._tag === "Event") (this.events ??= []).push({ name: event.event, data: event.data })
    }
    this.parser = Sse.makeParser(receive, { maxEventSize: bytesMax })
    this.ended = body === null
    // The types of browsers, which win, are not those of Node.
    const web = body as unknown as WebStream | null
    this.source = web === null ? undefined : Readable.fromWeb(web, { highWaterMark: READ_BYTES })
    // Nothing is read before somebody asks for it.
    this.source
      ?.pause()
      .on("data", this.onData)
      .on("end", this.onEnd)
      .on("error", (error) => this.fail(error))
  }

  /** Hangs up, unless the body has come to its end. */
  close(): void {
    if (!this.ended) this.source?.destroy()
  }

  /** Reads the next piece. Not to be called while one is waited for. */
  next(receiver: Receiver): void {
    this.receiver = receiver
    if (this.error !== undefined) receiver.onError(this.error)
    else if (this.ended) this.tell()
    else if (this.source?.isPaused() === true) this.source.resume()
  }

  private readonly onData = (piece: Uint8Array): void => {
    this.bytes += piece.length
    if (this.bytes > this.bytesMax) return this.fail(new Oversized(this.bytesMax))
    this.parser.feed(this.decoder.decode(piece, { stream: true }))
    this.tell()
  }

  private readonly onEnd = (): void => {
    this.ended = true
    // Some servers forget the empty line after the last event.
    this.parser.feed(`${this.decoder.decode()}\n\n`)
    this.tell()
  }

  private tell(): void {
    const { events = [], receiver } = this
    // An array that waits here for the next piece would grow old, and the collector would keep what is put into it.
    this.events = undefined
    this.receiver = undefined
    receiver?.onEvents(events)
    // Nobody waits for the next one.
    if (this.receiver === undefined) this.source?.pause()
  }

  private fail(error: unknown): void {
    this.error = error
    const { receiver } = this
    this.receiver = undefined
    this.source?.pause()
    receiver?.onError(error)
  }
}
