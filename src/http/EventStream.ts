import { Effect } from "effect"

/** What may wait for a client that reads slowly before the writer has to wait too, in bytes. */
const ROOM_BYTES = 4_096

const heartbeat = ": heartbeat\n\n"
const utf8 = new TextEncoder()

/**
 * The server-sent events of one answer. It is open from the first event on, or, when none comes, from the first
 * heartbeat: until then another answer can still be given instead.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  isOpen = false
  #isOver = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #timer: NodeJS.Timeout
  /** Who waits for room, or for the stream to open. */
  #waiting: Array<() => void> = []

  /** `onLeave` is called when the client is gone before the end. */
  constructor(options: { readonly heartbeatMillis: number; readonly onLeave: () => void }) {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#goOn(),
        cancel: () => {
          this.#stop()
          options.onLeave()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }),
    )
    this.#timer = setInterval(() => {
      if (this.#hasRoom) this.#send(heartbeat)
    }, options.heartbeatMillis)
  }

  /** Sends text as it is. Returns what to wait for while the client is behind. */
  write(text: string): Effect.Effect<void> | undefined {
    this.#send(text)
    return this.#isOver || this.#hasRoom ? undefined : this.#room
  }

  /** Waits until the stream is open, or over. */
  readonly opened: Effect.Effect<void> = Effect.suspend(() =>
    this.isOpen || this.#isOver ? Effect.void : Effect.flatMap(this.#change, () => this.opened),
  )

  readonly #room: Effect.Effect<void> = Effect.suspend(() =>
    Effect.flatMap(this.#change, () => (this.#isOver || this.#hasRoom ? Effect.void : this.#room)),
  )

  /** Ends the stream, after these words if there are any. */
  end(lastWords: string): void {
    if (this.#isOver) return
    if (lastWords !== "") this.#send(lastWords)
    this.#stop()
    this.#controller?.close()
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  #send(text: string): void {
    if (this.#isOver) return
    this.#controller?.enqueue(utf8.encode(text))
    if (this.isOpen) return
    this.isOpen = true
    this.#goOn()
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#goOn()
  }

  readonly #change: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.#waiting.push(wake)
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== wake)
    })
  })

  #goOn(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
