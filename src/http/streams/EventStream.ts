import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Characters that may wait for the response to begin before the writer has to wait as well. */
const ROOM_CHARS = 4_096

/** A comment that shows that the connection is alive. */
export const HEARTBEAT = ": heartbeat\n\n"

export const MEDIA_TYPE = "text/event-stream; charset=utf-8"

/** The headers of every stream: no cache keeps it, and no proxy collects it before passing it on. */
export const streamHeaders = { "cache-control": "no-cache", "x-accel-buffering": "no" }

export const respondWithEvents = (
  { body }: EventStream,
  headers: Readonly<Record<string, string>> = streamHeaders,
): HttpServerResponse.HttpServerResponse => HttpServerResponse.raw(body, { contentType: MEDIA_TYPE, headers })

export const dataEvent = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

/** The last event of a stream, in OpenAI's protocol and in that of the AI SDK. */
export const DONE_EVENT = "data: [DONE]\n\n"

/** Calls back when the client of a request has left, also before it has read anything of the response. */
export const onLeave = ({ source }: HttpServerRequest.HttpServerRequest, leave: () => void): void => {
  if (!(source instanceof Request)) return
  if (source.signal.aborted) leave()
  else source.signal.addEventListener("abort", leave, { once: true })
}

/**
 * The server-sent events of one response. The stream opens with the first event, or with the first heartbeat if that
 * comes sooner; until then the request can still be answered with another response.
 *
 * The body is a stream of Bun's type "direct", which writes to the socket itself: the queue of any other stream would
 * keep several objects alive for each event. For the same reason the heartbeat is a timer of the engine and waiters are
 * in an array: a sleeping fiber and two latches take 3 kB of memory and some 30 µs for each stream, as measured.
 */
export class EventStream {
  /** The body of the response. Only the server may read it: then the sink is the socket. */
  readonly body: ReadableStream<Uint8Array>
  /** Whether an event or a heartbeat has been written. */
  isOpen = false
  private isOver = false
  /** The writer of the body, once the server reads it. */
  private sink: ReadableStreamDirectController | undefined
  /** The text that was written before the server read the body. */
  private early = ""
  private isBehind = false
  private readonly timer: NodeJS.Timeout
  /** The callbacks of those who wait for room, or for the stream to open. */
  private waiters: Array<() => void> = []

  /** `onLeave` is called when the client disconnects before the stream has ended. */
  constructor(options: { readonly heartbeatMillis: number; readonly onLeave: () => void }) {
    const source: Bun.DirectUnderlyingSource = {
      type: "direct",
      pull: (sink) => {
        this.sink = sink
        if (this.early !== "") this.put(sink, this.early)
        this.early = ""
        if (this.isOver) sink.close()
        this.wakeWaiters()
      },
      cancel: () => {
        if (this.isOver) return
        this.stop()
        options.onLeave()
      },
    }
    this.body = new ReadableStream(source)
    this.timer = setInterval(() => {
      if (this.hasRoom) this.send(HEARTBEAT)
    }, options.heartbeatMillis)
  }

  /** Writes text as it is. While the client is behind, it returns an effect that waits until there is room. */
  write(text: string): Effect.Effect<void> | undefined {
    this.send(text)
    return this.isOver || this.hasRoom ? undefined : this.waitUntil(() => this.isOver || this.hasRoom)
  }

  /** Waits until the stream is open, or has ended without being opened. */
  get opened(): Effect.Effect<void> {
    return this.waitUntil(() => this.isOpen || this.isOver)
  }

  /** Ends the stream after these last events, which may be empty. */
  end(lastEvents: string): void {
    if (this.isOver) return
    if (lastEvents !== "") this.send(lastEvents)
    this.stop()
    this.sink?.close()
  }

  private get hasRoom(): boolean {
    return this.sink === undefined ? this.early.length < ROOM_CHARS : !this.isBehind
  }

  private send(text: string): void {
    if (this.isOver) return
    if (this.sink === undefined) this.early += text
    else this.put(this.sink, text)
    if (this.isOpen) return
    this.isOpen = true
    this.wakeWaiters()
  }

  private put(sink: ReadableStreamDirectController, text: string): void {
    const written = sink.write(text)
    void sink.flush()
    if (typeof written === "number") return
    this.isBehind = true
    const goOn = () => {
      this.isBehind = false
      this.wakeWaiters()
    }
    written.then(goOn, goOn)
  }

  private stop(): void {
    this.isOver = true
    clearInterval(this.timer)
    this.wakeWaiters()
  }

  private waitUntil(condition: () => boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const check = () => {
        if (condition()) resume(Effect.void)
        else this.waiters.push(check)
      }
      check()
      return Effect.sync(() => {
        this.waiters = this.waiters.filter((other) => other !== check)
      })
    })
  }

  private wakeWaiters(): void {
    const { waiters } = this
    this.waiters = []
    for (const check of waiters) check()
  }
}
