import type { LookupAddress } from "node:dns"
import type { IncomingMessage, request } from "node:http"
import type { Readable, Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { Effect } from "effect"
import type { ToolMethod } from "../domain/chatbot/ChatbotTool.ts"
import { FetchFailed } from "./FetchFailed.ts"

/** The headers of a response that say something about a page, by their names in lower case. */
const kept = [
  "content-encoding",
  "content-length",
  "content-type",
  "etag",
  "last-modified",
  "location",
  "retry-after",
  "x-robots-tag",
] as const

/** A response before its body. */
export interface PageHead {
  readonly status: number
  readonly headers: Readonly<Partial<Record<(typeof kept)[number], string>>>
}

/** A request to one of a host's addresses, with GET unless it says otherwise. A redirect is a response like any other. */
export interface PageRequest {
  readonly method?: ToolMethod
  readonly url: URL
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly content?: string | undefined
  /** The most bytes of the body: of those that are received, and of those that they unpack to. */
  readonly bytesMax: number
  /** Whether a longer body is cut, instead of failing the request. */
  readonly cuts?: boolean
  /** Whether the body is read, or the connection closed without it. Absent: it is read. */
  readonly wantsBody?: (head: PageHead) => boolean
}

export interface PageResponse extends PageHead {
  readonly body: Uint8Array
  /** Bytes of the body that were received, before they were unpacked. */
  readonly received: number
  readonly isCut: boolean
}

const failed = (reason: FetchFailed["reason"], detail: string) => Effect.fail(new FetchFailed({ reason, detail }))

const tooLarge = (bytesMax: number) =>
  failed("too_large", `It has more than ${Math.floor(bytesMax / 1024 / 1024)} MiB.`)

const unreadable = failed("bad_answer", "The server compresses its answer in a way that cannot be read.")

/** Says why there is no answer, by the code of an error of the socket. */
export const failureOf = (error: unknown): FetchFailed => {
  const failure = (reason: FetchFailed["reason"], detail: string) => new FetchFailed({ reason, detail })
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (/CERT|SSL|TLS|SIGNATURE/i.test(code)) return failure("certificate", "The server's certificate is not valid.")
  if (code === "ECONNREFUSED") return failure("unreachable", "The server refuses connections.")
  return failure("unreachable", "The server cannot be reached, or ends the connection.")
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  "x-gzip": createGunzip,
}

const headOf = ({ headers, statusCode }: IncomingMessage): PageHead => ({
  status: statusCode ?? 0,
  headers: Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    }),
  ),
})

/** Sends a request by `open`, to one of the addresses that were checked. Interruption closes the connection. */
export const requestPage = (
  open: typeof request,
  { bytesMax, content, cuts = false, headers, method = "GET", url, wantsBody = () => true }: PageRequest,
  hostname: string,
  addresses: ReadonlyArray<LookupAddress>,
): Effect.Effect<PageResponse, FetchFailed> =>
  Effect.callback((resume) => {
    const outgoing = open({
      method,
      hostname,
      port: url.port,
      path: url.pathname + url.search,
      headers: {
        "accept-encoding": "gzip, br, deflate",
        ...headers,
        ...(content !== undefined && { "content-length": String(Buffer.byteLength(content)) }),
      },
      // A new connection: one that was kept open might go to an address that was checked for another tenant.
      agent: false,
      lookup: (_host, _options, found) => found(null, [...addresses]),
    })
    const done = (result: Effect.Effect<PageResponse, FetchFailed>) => {
      outgoing.destroy()
      resume(result)
    }
    outgoing.on("error", (error) => done(Effect.fail(failureOf(error))))
    outgoing.on("response", (incoming) => {
      const head = headOf(incoming)
      const coding = head.headers["content-encoding"]?.trim().toLowerCase() ?? ""
      let received = 0
      const finish = (body: Uint8Array, isCut: boolean) =>
        done(isCut && !cuts ? tooLarge(bytesMax) : Effect.succeed({ ...head, body, received, isCut }))
      if (!wantsBody(head)) return finish(new Uint8Array(), false)
      if (!cuts && Number(head.headers["content-length"]) > bytesMax) return done(tooLarge(bytesMax))
      const isPlain = coding === "" || coding === "identity"
      const unpack = isPlain ? undefined : unpackers[coding]?.()
      if (!isPlain && unpack === undefined) return done(unreadable)
      incoming.on("data", (chunk: Uint8Array) => {
        received += chunk.length
        if (received > bytesMax && !cuts) done(tooLarge(bytesMax))
      })
      // A body that ends before its length is an error, too.
      incoming.on("error", (error) => done(Effect.fail(failureOf(error))))
      incoming.on("aborted", () => done(Effect.fail(failureOf(undefined))))
      unpack?.on("error", () => done(unreadable))
      collect(unpack === undefined ? incoming : incoming.pipe(unpack), bytesMax, finish)
    })
    outgoing.end(content)
    return Effect.sync(() => outgoing.destroy())
  })

const collect = (stream: Readable, bytesMax: number, finish: (body: Uint8Array, isCut: boolean) => void): void => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  stream.on("data", (chunk: Uint8Array) => {
    if (size > bytesMax) return
    chunks.push(chunk)
    size += chunk.length
    if (size <= bytesMax) return
    finish(Buffer.concat(chunks).subarray(0, bytesMax), true)
    stream.destroy()
  })
  stream.on("end", () => finish(Buffer.concat(chunks), false))
}
