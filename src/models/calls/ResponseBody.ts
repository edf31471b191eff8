import { Readable } from "node:stream"
import { Sse } from "effect/encoding"
import { Oversized } from "../../outbound/ResponseText.ts"
import { broken, malformed, type ProviderFailure } from "./ProviderFailure.ts"

/*
 * Reads the bodies of providers' responses, up to a limit of bytes. The functions return plain promises; the effects
 * that wait for them, with time limits, are in `ProviderCalls.ts` and `StreamedAnswer.ts`.
 */

/** The number of bytes that are read of the body of a refusal. */
export const REFUSAL_BYTES_MAX = 64 * 1024

/** The failure of a call whose response could not be read. */
export const brokenBody = (error: unknown): ProviderFailure =>
  error instanceof Oversized ? malformed(error.message) : broken(String(error))

/** The name of the only event of a body that is no stream of events. */
export const WHOLE = "whole"

/** A server-sent event of a body. */
export interface BodyEvent {
  /** The name of the event, or `message` when it has none; `WHOLE` for a body that is no stream. */
  readonly name: string
  readonly data: string
}

/** The callbacks of a reader that waits for the next chunk of a body. */
export interface Receiver {
  /** Receives the events of a chunk. The list is empty when the chunk has only comments, or the half of an event. */
  readonly onEvents: (events: ReadonlyArray<BodyEvent>) => void
  readonly onError: (error: unknown) => void
}

/** The first characters of the lines of server-sent events: comments, `data`, `event`, `id` and `retry`. */
const EVENT_STARTS: ReadonlySet<string> = new Set([":", "d", "e", "i", "r"])

/** The number of bytes that are read ahead. */
const READ_BYTES = 1_024

/**
 * A body of server-sent events. Its callbacks are made once, because with thousands of streams an object for each chunk
 * keeps the garbage collector busy. It is read as a Node stream, because each read of a web stream reserves 64 kB while
 * it waits.
 */
export class EventBody {
  private readonly source: Readable | undefined
  private readonly decoder = new TextDecoder()
  private readonly bytesMax: number
  private bytes = 0
  /** The events of the chunk that is being parsed; undefined before its first event. */
  private events: Array<BodyEvent> | undefined
  private readonly parser: Sse.Parser
  private receiver: Receiver | undefined
  private error: unknown
  /** The body, as far as it was received, if it is no stream of events; undefined if it is one, or before it began. */
  private whole: string | undefined
  private hasBegun = false
  /** Whether the body was read to its end. */
  ended: boolean

  constructor({ body }: Response, bytesMax: number) {
    this.bytesMax = bytesMax
    const receive = (event: Sse.AnyEvent) => {
      if (event._tag === "Event") (this.events ??= []).push({ name: event.event, data: event.data })
    }
    this.parser = Sse.makeParser(receive, { maxEventSize: bytesMax })
    this.ended = body === null
    this.source = body === null ? undefined : Readable.fromWeb(body, { highWaterMark: READ_BYTES })
    // Nothing is read before the first call of `next`.
    this.source
      ?.pause()
      .on("data", this.onData)
      .on("end", this.onEnd)
      .on("error", (error) => this.fail(error))
  }

  /** Closes the connection, unless the body was read to its end. */
  close(): void {
    if (!this.ended) this.source?.destroy()
  }

  /** Reads the next chunk. It must not be called again before `receiver` was called. */
  next(receiver: Receiver): void {
    this.receiver = receiver
    if (this.error !== undefined) receiver.onError(this.error)
    else if (this.ended) this.deliver()
    else if (this.source?.isPaused() === true) this.source.resume()
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.bytes += chunk.length
    if (this.bytes > this.bytesMax) return this.fail(new Oversized(this.bytesMax))
    this.take(this.decoder.decode(chunk, { stream: true }))
    this.deliver()
  }

  private readonly onEnd = (): void => {
    this.ended = true
    const rest = this.decoder.decode()
    if (this.whole !== undefined) (this.events ??= []).push({ name: WHOLE, data: this.whole + rest })
    // Some servers forget the empty line after the last event.
    else this.parser.feed(`${rest}\n\n`)
    this.deliver()
  }

  /** Takes a piece of the body. What it is shows in its first character: servers name types as they like. */
  private take(text: string): void {
    if (!this.hasBegun && text.trim() !== "") {
      this.hasBegun = true
      if (!EVENT_STARTS.has(text.trimStart().charAt(0))) this.whole = ""
    }
    if (this.whole !== undefined) this.whole += text
    else this.parser.feed(text)
  }

  private deliver(): void {
    const { events = [], receiver } = this
    // An array that is kept for the next chunk would move to the collector's old generation, with all that it holds.
    this.events = undefined
    this.receiver = undefined
    receiver?.onEvents(events)
    // The receiver did not call `next`.
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
