import { Duplex } from "node:stream"

/** Runs a batch of wire messages, of which the last one makes the engine answer, and returns the whole answer. */
export type Backend = (batch: Uint8Array) => Promise<Uint8Array>

const MESSAGE = { query: 0x51, sync: 0x53, flush: 0x48, terminate: 0x58 } as const

/** The codes, in place of a type, of two startup messages that are answered here, because the engine knows neither. */
const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102
const NO_SSL = Buffer.from("N")

const HEADER_BYTES = 5
const STARTUP_HEADER_BYTES = 8

/**
 * Makes an engine with a single session look like a Postgres server to a client that speaks the wire protocol:
 *
 * - messages are collected up to a Sync, Query or Flush and run as one batch, one batch after the other;
 * - there is one connection at a time: a new one takes the place of the one before, whose transaction is rolled back, and
 *   whose settings and prepared statements are discarded.
 *
 * A running query cannot be cancelled; a request to do so is ignored, which the protocol allows.
 *
 * A connection is a Node stream, which the driver's client uses like a socket, so that there is no Effect runtime and no
 * clock of one.
 */
export class Wire {
  private readonly backend: Backend
  private connection: WireConnection | undefined
  private failure: Error | undefined
  /** Ends with the last batch. */
  private queue: Promise<void> = Promise.resolve()
  private lastUsedMillis = performance.now()

  constructor(backend: Backend) {
    this.backend = backend
  }

  connect(): Duplex {
    const connection = new WireConnection(this)
    if (this.failure !== undefined) connection.destroy(this.failure)
    return connection
  }

  /** Returns the milliseconds for which the engine has been idle. */
  idleMillis(): number {
    return performance.now() - this.lastUsedMillis
  }

  /** Makes the connection fail with this error, and later ones too, because the engine has ended. */
  fail(error: Error): void {
    this.failure = error
    this.connection?.destroy(error)
  }

  /** Gives the session to a connection, which begins with a startup message. */
  begin(connection: WireConnection, startup: Buffer): void {
    const before = this.connection
    this.connection = connection
    before?.destroy()
    if (before !== undefined) this.enqueue(connection, RESET, () => {})
    this.run(connection, startup)
  }

  /** Runs a batch of a connection, unless it has lost the session by then. */
  run(connection: WireConnection, batch: Buffer): void {
    this.enqueue(connection, batch, (answer) => connection.deliver(answer))
  }

  private enqueue(connection: WireConnection, batch: Buffer, deliver: (answer: Uint8Array) => void): void {
    this.queue = this.queue
      .then(async () => {
        if (this.connection !== connection) return
        this.lastUsedMillis = performance.now()
        deliver(await this.backend(batch))
      })
      .catch((error: Error) => void connection.destroy(error))
      .finally(() => (this.lastUsedMillis = performance.now()))
  }
}

class WireConnection extends Duplex {
  private readonly wire: Wire
  private incoming: Buffer = Buffer.alloc(0)
  private batch: Array<Buffer> = []
  private isStarted = false
  private isEnded = false

  constructor(wire: Wire) {
    super()
    this.wire = wire
  }

  override _read(): void {
    // Nothing to do: answers are pushed as they come, and the client reads all of them.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.incoming = this.incoming.length === 0 ? chunk : Buffer.concat([this.incoming, chunk])
    while (this.isStarted ? this.takeMessage() : this.takeStartup());
    done()
  }

  override _final(done: () => void): void {
    this.isEnded = true
    this.push(null)
    done()
  }

  deliver(answer: Uint8Array): void {
    if (answer.length > 0 && !this.isEnded && !this.destroyed) this.push(answer)
  }

  /** Takes a startup message, and returns whether there was a whole one. */
  private takeStartup(): boolean {
    if (this.incoming.length < STARTUP_HEADER_BYTES) return false
    const length = this.incoming.readInt32BE(0)
    const code = this.incoming.readInt32BE(4)
    if (this.incoming.length < length) return false
    const message = this.cut(length)
    if (code === SSL_REQUEST) this.push(NO_SSL)
    else if (code === CANCEL_REQUEST) this.destroy()
    else {
      this.isStarted = true
      this.wire.begin(this, message)
    }
    return true
  }

  /** Takes the next message, and returns whether there was a whole one. */
  private takeMessage(): boolean {
    if (this.incoming.length < HEADER_BYTES) return false
    const length = 1 + this.incoming.readInt32BE(1)
    if (this.incoming.length < length) return false
    const message = this.cut(length)
    const type = message[0]
    // The client ends the stream after it.
    if (type === MESSAGE.terminate) return true
    this.batch.push(message)
    if (type === MESSAGE.sync || type === MESSAGE.query || type === MESSAGE.flush) {
      this.wire.run(this, this.batch.length === 1 ? message : Buffer.concat(this.batch))
      this.batch = []
    }
    return true
  }

  private cut(length: number): Buffer {
    const message = this.incoming.subarray(0, length)
    this.incoming = this.incoming.subarray(length)
    return message
  }
}

/** The message Query with a text. */
export const simpleQuery = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`)
  const message = Buffer.alloc(HEADER_BYTES + body.length)
  message[0] = MESSAGE.query
  message.writeInt32BE(4 + body.length, 1)
  body.copy(message, HEADER_BYTES)
  return message
}

/** Begins with a Sync, in case a batch was left open. DISCARD ALL may not share a message with another statement. */
const RESET = Buffer.concat([
  Buffer.from([MESSAGE.sync, 0, 0, 0, 4]),
  simpleQuery("ROLLBACK"),
  simpleQuery("DISCARD ALL"),
])
