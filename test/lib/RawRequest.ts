import { connect, type Socket } from "node:net"

/*
 * Requests as bytes on a socket, for what no HTTP client does: bodies that are announced and never sent, and clients
 * that stop or vanish half way.
 */

export interface RawRequest {
  readonly socket: Socket
  /** All that the server has answered by the end of the first headers, or of the connection. */
  readonly answer: Promise<string>
  /** When the server, or the test, has closed the connection. */
  readonly closed: Promise<void>
  /** Once the bytes have been handed to the system, as far as the server takes them. */
  readonly send: (bytes: Uint8Array | string) => Promise<void>
}

/** Sends the head of a request, and what there is of its body. */
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
  // One that is closed with bytes under way says so as an error.
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
