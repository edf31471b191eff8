import { connect, type Socket } from "node:net"

/*
 * Requests as bytes on a socket, for what no HTTP client does: to announce a body and never send it, or to stop or
 * vanish in the middle of one.
 */

/** A request whose head has been sent. */
export interface RawRequest {
  readonly socket: Socket
  /** The bytes that were received by the end of the first headers, or by the end of the connection. */
  readonly answer: Promise<string>
  /** Resolves when the server or the test has closed the connection. */
  readonly closed: Promise<void>
  /** Sends more bytes, and resolves when the system has taken them. */
  readonly send: (bytes: Uint8Array | string) => Promise<void>
}

/** Sends the head of a request and the given part of its body. */
export const rawRequest = (
  url: string,
  line: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): RawRequest => {
  const { host, hostname, port } = new URL(url)
  const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const answered = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<void>()
  let answer = ""
  const socket = connect(Number(port), hostname)
  socket.write(`${line} HTTP/1.1\r\n${head.join("")}\r\n${body}`)
  socket.on("data", (data) => {
    answer += String(data)
    if (answer.includes("\r\n\r\n")) answered.resolve(answer)
  })
  // A connection that is closed while bytes are under way reports an error.
  socket.on("error", () => {})
  socket.on("close", () => {
    answered.resolve(answer)
    ended.resolve()
  })
  return {
    socket,
    answer: answered.promise,
    closed: ended.promise,
    send: (bytes) => new Promise((resolve) => void socket.write(bytes, () => resolve())),
  }
}
