import { connect, type Socket } from "node:net"

/*
 * A client of HTTP/1.1 that sends any bytes, unlike clients that keep to the protocol, over connections that it uses
 * again.
 */

/** Bytes to send. */
export interface WireRequest {
  readonly method: string
  readonly bytes: Uint8Array
  /** Whether the bytes break off. The client then closes its side of the connection behind them. */
  readonly isCutOff: boolean
}

/** An answer; undefined where the connection was closed instead. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

export type WireOutcome = WireAnswer | "closed" | "hangs"

const HEAD_END = Buffer.from("\r\n\r\n")
const LINE_END = Buffer.from("\r\n")

interface Head {
  readonly status: number
  readonly headers: Map<string, string>
  readonly length: number
}

const readHead = (bytes: Buffer): Head | undefined => {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1) return undefined
  const [line = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(":")
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0), headers, length: end + HEAD_END.length }
}

/** Reads a body in chunks from its start; undefined while it is incomplete. */
const readChunked = (bytes: Buffer, start: number): { readonly body: Buffer; readonly end: number } | undefined => {
  const chunks: Array<Buffer> = []
  for (let at = start; ;) {
    const line = bytes.indexOf(LINE_END, at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16)
    const from = line + LINE_END.length
    const to = from + size
    if (bytes.length < to + LINE_END.length) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), end: to + LINE_END.length }
    chunks.push(bytes.subarray(from, to))
    at = to + LINE_END.length
  }
}

/** Reads a whole answer to a method; undefined while it is incomplete. */
const readAnswer = (bytes: Buffer, method: string, isOver: boolean): WireAnswer | undefined => {
  const head = readHead(bytes)
  if (head === undefined) return undefined
  const { headers, length, status } = head
  if (status === 100) return readAnswer(bytes.subarray(length), method, isOver)
  if (method === "HEAD" || status === 204 || status === 304) return { status, headers, body: new Uint8Array() }
  if (headers.get("transfer-encoding") === "chunked") {
    const chunked = readChunked(bytes, length)
    return chunked === undefined ? undefined : { status, headers, body: chunked.body }
  }
  const size = headers.get("content-length")
  if (size === undefined) return isOver ? { status, headers, body: bytes.subarray(length) } : undefined
  return bytes.length < length + Number(size)
    ? undefined
    : { status, headers, body: bytes.subarray(length, length + Number(size)) }
}

/** One connection at a time, which is opened anew after the server or a request has closed it. */
export class WireConnection {
  readonly #host: string
  readonly #port: number
  readonly #timeout: number
  #socket: Socket | undefined

  /** @param timeout milliseconds without a whole answer after which a request counts as hanging */
  constructor(url: string, timeout: number) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
    this.#timeout = timeout
  }

  send({ bytes, isCutOff, method }: WireRequest): Promise<WireOutcome> {
    const { promise, resolve } = Promise.withResolvers<WireOutcome>()
    const socket = this.#socket ?? connect(this.#port, this.#host)
    socket.setNoDelay(true)
    this.#socket = socket
    let received: Buffer = Buffer.alloc(0)
    const finish = (outcome: WireOutcome) => {
      clearTimeout(timer)
      socket.off("data", onData).off("close", onClose).off("error", onClose)
      const isReusable = typeof outcome === "object" && !isCutOff && outcome.headers.get("connection") !== "close"
      if (!isReusable) this.close()
      resolve(outcome)
    }
    const onData = (data: Buffer) => {
      received = received.length === 0 ? data : Buffer.concat([received, data])
      const answer = readAnswer(received, method, false)
      if (answer !== undefined) finish(answer)
    }
    const onClose = () => finish(readAnswer(received, method, true) ?? "closed")
    const timer = setTimeout(() => finish("hangs"), this.#timeout)
    socket.on("data", onData).on("close", onClose).on("error", onClose)
    if (isCutOff) socket.end(bytes)
    else socket.write(bytes)
    return promise
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    // A connection that the server resets reports an error, which nobody else listens to.
    socket?.on("error", () => {})
    socket?.destroy()
  }
}
