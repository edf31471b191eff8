import { Effect } from "effect"

/*
 * Clients that speak HTTP/1.1 over bare sockets: `fetch` would take more of the two processors than a server under test
 * does. Every client keeps one connection and sends its next request when the last is answered, or a pause later.
 */

export interface Load {
  readonly port: number
  /** Sent in turn, from the first to the last and again. */
  readonly requests: ReadonlyArray<Uint8Array>
  readonly clients: number
  readonly milliseconds: number
  /** It ends earlier when so many are answered. */
  readonly requestsMax: number
  /**
   * Between an answer and the client's next request, in milliseconds, half as long to half as long again so that
   * clients do not fall into step; absent: none.
   */
  readonly pause?: number
}

export interface Outcome {
  /** Milliseconds of each answer of status 200. */
  readonly latencies: ReadonlyArray<number>
  /** Other answers, and connections that broke. */
  readonly errors: number
  readonly milliseconds: number
}

/** What goes over the wire. */
export const requestBytes = (options: {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly apiKey: string
  readonly body?: unknown
}): Uint8Array => {
  const body = options.body === undefined ? "" : JSON.stringify(options.body)
  const head = [
    `${options.method} ${options.path} HTTP/1.1`,
    "host: 127.0.0.1",
    `x-api-key: ${options.apiKey}`,
    ...(body === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`)
}

/** Puts load on a server. */
export const run = (load: Load): Effect.Effect<Outcome> =>
  Effect.promise(async () => {
    const latencies: Array<number> = []
    let errors = 0
    let sent = 0
    const start = performance.now()
    const next = (): Uint8Array | undefined =>
      performance.now() - start < load.milliseconds && sent < load.requestsMax
        ? load.requests[sent++ % load.requests.length]
        : undefined
    const report = (status: number, milliseconds: number): void => {
      if (status === 200) latencies.push(milliseconds)
      else errors++
    }
    await Promise.all(Array.from({ length: load.clients }, () => client(load, next, report)))
    return { latencies, errors, milliseconds: performance.now() - start }
  })

/** One answer, as it came. */
export const answerOf = (port: number, request: Uint8Array | undefined): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const answer = new Answer()
        let text = ""
        void Bun.connect({
          hostname: "127.0.0.1",
          port,
          socket: {
            open: (socket) => void socket.write(request ?? ""),
            data: (socket, bytes) => {
              text += bytes.toString()
              if (answer.read(bytes)) socket.end()
            },
            close: () => resolve(text),
            error: (_, error) => reject(error),
          },
        })
      }),
  )

const client = (
  { port, pause = 0 }: Load,
  next: () => Uint8Array | undefined,
  report: (status: number, milliseconds: number) => void,
): Promise<void> =>
  new Promise((resolve) => {
    const answer = new Answer()
    let sentAt = 0
    const send = (socket: Bun.Socket): void => {
      const request = next()
      if (request === undefined) return void socket.end()
      sentAt = performance.now()
      // The requests here are smaller than any socket's buffer.
      socket.write(request)
    }
    const fail = (): void => {
      report(0, 0)
      resolve()
    }
    void Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: send,
        data: (socket, bytes) => {
          if (!answer.read(bytes)) return
          report(answer.status, performance.now() - sentAt)
          if (pause === 0) send(socket)
          else setTimeout(send, pause * (0.5 + Math.random()), socket)
        },
        close: () => resolve(),
        error: fail,
        connectError: fail,
      },
    })
  })

/** One answer after the other, each with its length in its head, or in chunks. */
class Answer {
  status = 0
  #head = ""
  /**
   * Bytes until the end of the body, or of the chunk and its line break; -1 in a head, and in the line before a chunk.
   */
  #missing = -1
  #isChunked = false
  #isLast = true

  /** Takes what has come. Returns whether the answer is whole. */
  read(bytes: Buffer): boolean {
    let rest = bytes
    while (rest.length > 0) {
      if (this.#missing < 0) {
        rest = this.#readHead(rest)
      } else {
        const taken = Math.min(this.#missing, rest.length)
        this.#missing -= taken
        rest = rest.subarray(taken)
      }
      if (this.#missing === 0) {
        this.#missing = -1
        if (!this.#isLast) continue
        this.#isChunked = false
        return true
      }
    }
    return false
  }

  /** Up to its end, if that is there. Returns what follows. */
  #readHead(bytes: Buffer): Buffer {
    const before = this.#head.length
    this.#head += bytes.toString("latin1")
    const mark = this.#isChunked ? "\r\n" : "\r\n\r\n"
    const end = this.#head.indexOf(mark)
    if (end < 0) return bytes.subarray(bytes.length)
    const head = this.#head.slice(0, end)
    this.#head = ""
    if (this.#isChunked) {
      const size = Number.parseInt(head, 16)
      this.#isLast = size === 0
      this.#missing = size + 2
    } else {
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      this.status = Number(head.slice(9, 12))
      this.#isChunked = length === undefined
      this.#isLast = !this.#isChunked
      this.#missing = length === undefined ? -1 : Number(length)
    }
    return bytes.subarray(end + mark.length - before)
  }
}
