import { Duplex } from "node:stream"
import { ConnectionLock } from "./ConnectionLock.ts"

/** Runs a batch of wire messages, of which the last one makes the engine answer, and returns the whole answer. */
export type Backend = (batch: Uint8Array) => Promise<Uint8Array>

/** The status `I` of ReadyForQuery: the session is outside of any transaction. */
const IDLE = 0x49

const MESSAGE = {
  query: 0x51,
  sync: 0x53,
  flush: 0x48,
  terminate: 0x58,
  readyForQuery: 0x5a,
  notification: 0x41,
} as const

/** The codes, in place of a type, of two startup messages that are answered here, because the engine knows neither. */
const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102
const NO_SSL = Buffer.from("N")

const HEADER_BYTES = 5
const STARTUP_HEADER_BYTES = 8

/**
 * Makes an engine with a single session look like a Postgres server to clients that speak the wire protocol. Each
 * client connects by a stream of its own, and all of them share the one session:
 *
 * - messages are collected up to a Sync, Query or Flush and run as one batch;
 * - a lock admits one connection at a time, and is kept while a transaction is open;
 * - notifications go to every connection;
 * - when a connection ends, its transaction is rolled back, and its settings and prepared statements are discarded.
 *
 * A running query cannot be cancelled; a request to do so is ignored, which the protocol allows.
 *
 * This is a Node stream, which the driver's client uses like a socket, so that it has no Effect runtime and no clock of
 * one.
 */
export class Wire {
  readonly backend: Backend
  readonly lock: ConnectionLock
  readonly connections = new Set<WireConnection>()
  failure: Error | undefined
  private lastUsedMillis = performance.now()

  constructor(backend: Backend, lockTimeoutMillis: number) {
    this.lock = new ConnectionLock(lockTimeoutMillis)
    this.backend = async (batch) => {
      this.lastUsedMillis = performance.now()
      try {
        return await backend(batch)
      } finally {
        this.lastUsedMillis = performance.now()
      }
    }
  }

  /** Opens a connection. */
  connect(): Duplex {
    const connection = new WireConnection(this)
    if (this.failure === undefined) this.connections.add(connection)
    else connection.destroy(this.failure)
    return connection
  }

  /** Returns the milliseconds for which the engine has been idle. */
  idleMillis(): number {
    return performance.now() - this.lastUsedMillis
  }

  /** Makes every connection fail with this error, now and later, because the engine has ended. */
  fail(error: Error): void {
    this.failure = error
    for (const connection of this.connections) connection.destroy(error)
  }
}

class WireConnection extends Duplex {
  private readonly wire: Wire
  private incoming: Buffer = Buffer.alloc(0)
  private batch: Array<Buffer> = []
  private started = false
  /** The status of the last ReadyForQuery. */
  private status = IDLE
  /** Whether the engine waits for a Sync. */
  private unsynced = false
  private ended = false
  /** Runs the steps of this connection one after the other. */
  private queue: Promise<void> = Promise.resolve()

  constructor(wire: Wire) {
    super()
    this.wire = wire
  }

  override _read(): void {
    // Nothing to do: answers are pushed as they come, and the client reads all of them.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.incoming = this.incoming.length === 0 ? chunk : Buffer.concat([this.incoming, chunk])
    while (this.started ? this.takeMessage() : this.takeStartup());
    done()
  }

  override _final(done: () => void): void {
    this.finish()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.finish()
    done(error)
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
      this.started = true
      this.run(message, true)
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
    if (type === MESSAGE.terminate) {
      this.finish()
      return false
    }
    this.batch.push(message)
    if (type === MESSAGE.sync || type === MESSAGE.query || type === MESSAGE.flush) {
      const batch = this.batch
      this.batch = []
      this.run(batch.length === 1 ? message : Buffer.concat(batch), type !== MESSAGE.flush)
    }
    return true
  }

  private cut(length: number): Buffer {
    const message = this.incoming.subarray(0, length)
    this.incoming = this.incoming.subarray(length)
    return message
  }

  private run(batch: Buffer, synced: boolean): void {
    this.enqueue(async () => {
      await this.wire.lock.enter(this)
      this.unsynced = !synced
      this.receive(Buffer.from(await this.wire.backend(batch)))
      if (!this.unsynced && this.status === IDLE) this.wire.lock.leave(this)
    })
  }

  private enqueue(step: () => Promise<void>): void {
    this.queue = this.queue.then(step).catch((error: Error) => {
      this.wire.lock.leave(this)
      this.destroy(error)
    })
  }

  /** Delivers an answer, and its notifications to every connection, and keeps the state of the transaction. */
  private receive(answer: Buffer): void {
    let passed = 0
    for (let at = 0; at + HEADER_BYTES <= answer.length;) {
      const next = at + 1 + answer.readInt32BE(at + 1)
      if (answer[at] === MESSAGE.readyForQuery) this.status = answer[at + HEADER_BYTES] ?? IDLE
      if (answer[at] === MESSAGE.notification) {
        this.deliver(answer.subarray(passed, at))
        for (const connection of this.wire.connections) connection.deliver(answer.subarray(at, next))
        passed = next
      }
      at = next
    }
    this.deliver(answer.subarray(passed))
  }

  private deliver(bytes: Buffer): void {
    if (bytes.length > 0 && !this.ended) this.push(bytes)
  }

  private finish(): void {
    if (this.ended) return
    this.ended = true
    this.wire.connections.delete(this)
    if (this.started && this.wire.failure === undefined) {
      this.enqueue(async () => {
        await this.wire.lock.enter(this)
        await this.wire.backend(RESET)
        this.wire.lock.leave(this)
      })
    }
    this.push(null)
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
