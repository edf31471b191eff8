import { lookup, type LookupAddress } from "node:dns"
import type { IncomingMessage, request, RequestOptions } from "node:http"
import { isIP } from "node:net"
import { Context, Effect, Layer, Schema } from "effect"
import type { ToolMethod } from "../domain/chatbot/ChatbotTool.ts"
import { mayCall, type PrivateNetworks } from "./PrivateNetworks.ts"

export interface SafeRequest {
  readonly method: ToolMethod
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers that are for this server only, and not for one that it redirects to. */
  readonly secrets: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface SafeResponse {
  readonly status: number
  readonly contentType: string
  /** As far as the limit goes. */
  readonly body: Uint8Array
  readonly isCut: boolean
}

/** Why there is no response, in words that tell nothing of the network. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", { detail: Schema.String }) {}

/** The address of a URL is one that may not be called. */
export class PrivateAddress extends Schema.TaggedError<PrivateAddress>()("PrivateAddress", {
  detail: Schema.String,
}) {}

/** Every address of a host; none when it has none. */
export type Resolve = (host: string) => Effect.Effect<ReadonlyArray<LookupAddress>>

export interface SafeFetchSettings {
  readonly allowed: PrivateNetworks
  /** Bytes of a response that are read, at most. */
  readonly responseLimit: number
  readonly resolve?: Resolve
}

const REDIRECTS_MAX = 3

const privateAddress = new PrivateAddress({ detail: "The address is private, and may not be called." })
const noSuchHost = new FetchFailed({ detail: "The host cannot be found." })
const unreachable = new FetchFailed({ detail: "The server cannot be reached." })
const tooManyRedirects = new FetchFailed({ detail: "The server redirects too often." })
const badRedirect = new FetchFailed({ detail: "The server redirects to what is no http(s) address." })
const compressed = new FetchFailed({ detail: "The answer is compressed, although that was not asked for." })

/**
 * HTTP requests to addresses that tenants choose. A host is resolved once, every address of it is checked, and the
 * connection goes to one of the addresses that were checked, whatever the name may resolve to by then; the same again for
 * every redirect. Neither a proxy of the environment nor a connection of before is used.
 */
export class SafeFetch extends Context.Service<
  SafeFetch,
  {
    /** Interrupting it closes the connection. */
    readonly fetch: (request: SafeRequest) => Effect.Effect<SafeResponse, FetchFailed | PrivateAddress>
    /** Fails when the host of the URL has an address that may not be called. One that cannot be found passes. */
    readonly check: (url: URL) => Effect.Effect<void, PrivateAddress>
  }
>()("parley/outbound/SafeFetch") {
  static readonly layer = ({ allowed, resolve = resolveByName, responseLimit }: SafeFetchSettings) => {
    const addressesOf = (url: URL): Effect.Effect<ReadonlyArray<LookupAddress>, PrivateAddress> => {
      const host = hostOf(url)
      const family = isIP(host)
      const found = family === 0 ? resolve(host) : Effect.succeed([{ address: host, family }])
      return Effect.filterOrFail(
        found,
        (addresses) => addresses.every(({ address }) => mayCall(host, address, allowed)),
        () => privateAddress,
      )
    }

    const fetch = Effect.fnUntraced(function* (first: SafeRequest) {
      let request = first
      for (let redirects = 0; ; redirects++) {
        const addresses = yield* addressesOf(request.url)
        if (addresses.length === 0) return yield* noSuchHost
        const answer = yield* send(request, addresses, responseLimit)
        if (!("location" in answer)) return answer
        if (redirects >= REDIRECTS_MAX) return yield* tooManyRedirects
        const next = redirected(request, answer)
        if (next === undefined) return yield* badRedirect
        request = next
      }
    })

    return Layer.succeed(SafeFetch, { fetch, check: (url) => Effect.asVoid(addressesOf(url)) })
  }
}

/** Without the brackets of an IPv6 address, and without the dot that ends an absolute name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

const resolveByName: Resolve = (host) =>
  Effect.callback((resume) =>
    lookup(host, { all: true, order: "ipv4first" }, (error, addresses) =>
      resume(Effect.succeed(error === null ? addresses : [])),
    ),
  )

/** The request that a redirect asks for, as browsers understand it. Undefined when it leads nowhere. */
const redirected = (request: SafeRequest, { location, status }: Redirect): SafeRequest | undefined => {
  const url = URL.parse(location, request.url.href)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined
  const asGet = status === 303 || (status < 303 && request.method === "POST")
  const isSame = url.origin === request.url.origin
  return {
    url,
    method: asGet ? "GET" : request.method,
    body: asGet ? undefined : request.body,
    headers: request.headers,
    secrets: isSame ? request.secrets : {},
  }
}

interface Redirect {
  readonly status: number
  readonly location: string
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Loaded with the first request: most servers make none, and it takes its part of the start. */
const requester = (protocol: string): Effect.Effect<typeof request> =>
  Effect.map(
    Effect.promise(() => (protocol === "https:" ? import("node:https") : import("node:http"))),
    ({ request }) => request,
  )

/** The answer to one request, or where it redirects to. */
const send = (request: SafeRequest, addresses: ReadonlyArray<LookupAddress>, limit: number) =>
  Effect.flatMap(requester(request.url.protocol), (open) => sendBy(open, request, addresses, limit))

const sendBy = (
  open: typeof request,
  { body, headers, method, secrets, url }: SafeRequest,
  addresses: ReadonlyArray<LookupAddress>,
  limit: number,
): Effect.Effect<SafeResponse | Redirect, FetchFailed> =>
  Effect.callback((resume) => {
    const options: RequestOptions = {
      method,
      hostname: hostOf(url),
      port: url.port,
      path: url.pathname + url.search,
      headers: {
        ...headers,
        ...secrets,
        "accept-encoding": "identity",
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      },
      // A connection of its own: one that is kept could be to an address that was checked for somebody else.
      agent: false,
      lookup: (_host, _options, found) => found(null, [...addresses]),
    }
    const outgoing = open(options)
    const done = (result: Effect.Effect<SafeResponse | Redirect, FetchFailed>) => {
      outgoing.destroy()
      resume(result)
    }
    outgoing.on("error", () => done(Effect.fail(unreachable)))
    outgoing.on("response", (incoming) => {
      const status = incoming.statusCode ?? 0
      const { location } = incoming.headers
      if (redirectStatuses.has(status) && location !== undefined) return done(Effect.succeed({ status, location }))
      if (!/^(?:identity)?$/i.test(incoming.headers["content-encoding"] ?? "")) return done(Effect.fail(compressed))
      read(incoming, limit, done)
    })
    outgoing.end(body)
    return Effect.sync(() => outgoing.destroy())
  })

const read = (
  incoming: IncomingMessage,
  limit: number,
  done: (result: Effect.Effect<SafeResponse, FetchFailed>) => void,
): void => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const finish = (isCut: boolean) =>
    done(
      Effect.succeed({
        status: incoming.statusCode ?? 0,
        contentType: incoming.headers["content-type"] ?? "",
        body: Buffer.concat(chunks).subarray(0, limit),
        isCut,
      }),
    )
  incoming.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > limit) finish(true)
  })
  incoming.on("end", () => finish(false))
  // Also a body that ends before its length: half an answer is none.
  incoming.on("error", () => done(Effect.fail(unreachable)))
  incoming.on("aborted", () => done(Effect.fail(unreachable)))
}
