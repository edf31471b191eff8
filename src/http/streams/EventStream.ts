import { Effect } from "effect"

/** What may wait for a response to begin before the writer has to wait too, in characters. */
const ROOM_CHARS = 4_096

const heartbeat = ": heartbeat\n\n"

/**
 * The server-sent events of one answer. It is open from the first event on, or, when none comes, from the first
 * heartbeat: until then another answer can still be given instead.
 *
 * Its body is Bun's "direct" kind of stream, which is written to the socket as it is: a queue between them would keep
 * several objects alive for each event.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  isOpen = false
  #isOver = false
  /** Nobody but the server that answers may read the body: only then is this the socket. */
  #sink: ReadableStreamDirectController | undefined
  /** What was sent before the server asked for it. */
  #early = ""
  #isBehind = false
  readonly #timer: NodeJS.Timeout
  /** Who waits for room, or for the stream to open. */
  #waiting: Array<() => void> = []

  /** `onLeave` is called when the client is gone before the end. */
  constructor(options: { readonly heartbeatMillis: number; readonly onLeave: () => void }) {
    const source: Bun.DirectUnderlyingSource = {
      type: "direct",
      pull: (sink) => {
        this.#sink = sink
        if (this.#early !== "") this.#put(sink, this.#early)
        this.#early = ""
        if (this.#isOver) sink.close()
        this.#goOn()
      },
      cancel: () => {
        if (this.#isOver) return
        this.#stop()
        options.onLeave()
      },
    }
    this.body = new ReadableStream(source)
    this.#timer = setInterval(() => {
      if (this.#hasRoom) this.#send(heartbeat)
    }, options.heartbeatMillis)
  }

  /** Sends text as it is. Returns what to wait for while the client is behind. */
  write(text: string): Effect.Effect<void> | undefined {
    this.#send(text)
    return this.#isOver || this.#hasRoom ? undefined : this.#until(() => this.#isOver || this.#hasRoom)
  }

  /** Waits until the stream is open, or over. */
  get opened(): Effect.Effect<void> {
    return this.#until(() => this.isOpen || this.#isOver)
  }

  /** Ends the stream, after these words if there are any. */
  end(lastWords: string): void {
    if (this.#isOver) return
    if (lastWords !== "") this.#send(lastWords)
    this.#stop()
    this.#sink?.close()
  }

  get #hasRoom(): boolean {
    return this.#sink === undefined ? this.#early.length < ROOM_CHARS : !this.#isBehind
  }

  #send(text: string): void {
    if (this.#isOver) return
    if (this.#sink === undefined) this.#early += text
    else this.#put(this.#sink, text)
    if (this.isOpen) return
    this.isOpen = true
    this.#goOn()
  }

  #put(sink: ReadableStreamDirectController, text: string): void {
    const written = sink.write(text)
    void sink.flush()
    if (typeof written === "number") return
    this.#isBehind = true
    const goOn = () => {
      this.#isBehind = false
      this.#goOn()
    }
    written.then(goOn, goOn)
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#goOn()
  }

  #until(isSo: () => boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const look = () => {
        if (isSo()) resume(Effect.void)
        else this.#waiting.push(look)
      }
      look()
      return Effect.sync(() => {
        this.#waiting = this.#waiting.filter((other) => other !== look)
      })
    })
  }

  #goOn(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const look of waiting) look()
  }
}
