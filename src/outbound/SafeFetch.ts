import { lookup, type LookupAddress } from "node:dns"
import type { request } from "node:http"
import { isIP } from "node:net"
import { Context, Duration, Effect, Layer } from "effect"
import type { ToolMethod } from "../domain/chatbot/ChatbotTool.ts"
import { attributes } from "../observability/Attributes.ts"
import { atBorder, outcomeOf } from "../observability/Border.ts"
import { outbound as metrics } from "../observability/Metrics.ts"
import { howToSet, TOOL_PRIVATE_NETWORKS } from "../system/Variables.ts"
import { FetchFailed } from "./FetchFailed.ts"
import { type PageHead, type PageRequest, type PageResponse, requestPage } from "./PageRequest.ts"
import { requestStream } from "./StreamedRequest.ts"
import { mayCall, type PrivateNetworks } from "./PrivateNetworks.ts"

export interface SafeRequest {
  readonly method: ToolMethod
  readonly url: URL
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers for this server only, which are not sent to a server that it redirects to. */
  readonly secrets: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** False: a redirect is the response, with its status and no body. Absent: redirects are followed. */
  readonly followsRedirects?: boolean
  /**
   * The most bytes that are read of the response, in place of the limit of the settings. With it, a compressed response
   * counts as one without a body.
   */
  readonly excerpt?: number
}

export interface SafeResponse {
  readonly status: number
  readonly contentType: string
  /** The body, up to the limit of the settings. */
  readonly body: Uint8Array
  readonly isCut: boolean
}

/** Looks up every address of a host. The list is empty when there is no such host. */
export type Resolve = (host: string) => Effect.Effect<ReadonlyArray<LookupAddress>>

export interface SafeFetchSettings {
  readonly allowed: PrivateNetworks
  /** Most bytes that are read of a response. */
  readonly responseLimit?: number
  readonly resolve?: Resolve
  /** The least time until a name is refused, so that the time does not tell private names from unknown ones. */
  readonly refusedAfter?: Duration.Duration
}

const REDIRECTS_MAX = 3
/** Many times the text that a model is shown of a response. */
const RESPONSE_MAX_BYTES = 256 * 1024
/** Longer than it usually takes to find out that there is no such name. */
const REFUSED_AFTER = Duration.millis(500)

/** The longest time of a request for a page, from the look-up of its host to the end of its body. */
export const PageTimeout: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/outbound/PageTimeout",
  { defaultValue: () => "30 seconds" },
)

const privateAddress = (host: string) =>
  new FetchFailed({
    reason: "private",
    detail: `The address is private, and may not be called. ${howToSet("allow it", `${TOOL_PRIVATE_NETWORKS}=${host}`)}`,
  })
const noSuchHost = new FetchFailed({
  reason: "not_found",
  detail: "The host cannot be found, or may not be called.",
})
const unreachable = new FetchFailed({ reason: "unreachable", detail: "The server cannot be reached." })
const badAnswer = (detail: string) => new FetchFailed({ reason: "bad_answer", detail })
const tooManyRedirects = badAnswer("The server redirects too often.")
const bodyElsewhere = badAnswer("The server redirects a request with a body to another server.")
const badRedirect = badAnswer("The server redirects to what is no http(s) address.")
const compression = badAnswer("The answer is compressed, although that was not asked for.")

/**
 * Makes HTTP requests to addresses that tenants choose. A host is resolved once, each of its addresses is checked, and
 * the connection goes to one of the checked addresses, even if the name resolves to others by then. Redirects are checked
 * likewise. It uses neither a proxy from the environment nor an earlier connection.
 */
export class SafeFetch extends Context.Service<
  SafeFetch,
  {
    /** Sends a request. Interruption closes the connection. */
    readonly fetch: (request: SafeRequest) => Effect.Effect<SafeResponse, FetchFailed>
    /**
     * Requests one page, and follows no redirect: the caller decides about each, and its request is checked again.
     * Interruption closes the connection.
     */
    readonly page: (request: PageRequest) => Effect.Effect<PageResponse, FetchFailed>
    /** A `fetch` whose answer is read as it comes, which follows no redirect. It rejects with `FetchFailed`. */
    readonly streamed: typeof globalThis.fetch
    /**
     * Fails when the host of a URL is written as an address that may not be called. A name passes without being looked
     * up, since the outcome would tell names of the server's network from unknown ones.
     */
    readonly check: (url: URL) => Effect.Effect<void, FetchFailed>
  }
>()("parley/outbound/SafeFetch") {
  static readonly layer = ({
    allowed,
    resolve = resolveByName,
    refusedAfter = REFUSED_AFTER,
    responseLimit = RESPONSE_MAX_BYTES,
  }: SafeFetchSettings) => {
    const check = (url: URL) => {
      const host = hostOf(url)
      const written = isIP(host) !== 0 ? [host] : isLoopbackName(host) ? LOOPBACK : []
      const isRefused = written.length > 0 && !written.some((address) => mayCall(host, address, allowed))
      return isRefused ? Effect.fail(privateAddress(host)) : Effect.void
    }

    const addressesOf = Effect.fnUntraced(function* (url: URL) {
      yield* check(url)
      const host = hostOf(url)
      const family = isIP(host)
      if (family !== 0) return [{ address: host, family }]
      const [took, addresses] = yield* Effect.timed(resolve(host))
      const refused = addresses.find(({ address }) => !mayCall(host, address, allowed))
      if (addresses.length > 0 && refused === undefined) return addresses
      yield* Effect.sleep(Duration.subtract(refusedAfter, took))
      // Only the operator learns the reason.
      if (refused !== undefined)
        yield* Effect.logWarning(`A request to a private address was refused; ${TOOL_PRIVATE_NETWORKS} allows some`, {
          host,
          ...refused,
        })
      return yield* noSuchHost
    })

    const fetch = Effect.fnUntraced(function* (first: SafeRequest) {
      let request = first
      for (let redirects = 0; ; redirects++) {
        const answer = yield* send(request, yield* addressesOf(request.url), responseLimit)
        if (!("location" in answer)) return answer
        if (first.followsRedirects === false) return withoutBody(answer.status)
        if (redirects >= REDIRECTS_MAX) return yield* tooManyRedirects
        const next = redirected(request, answer)
        if (next === undefined) return yield* badRedirect
        if (next.body !== undefined && next.url.origin !== request.url.origin) return yield* bodyElsewhere
        request = next
      }
    })

    const pageWithin = (timeout: Duration.Duration) => (request: PageRequest) => {
      const tooSlow = new FetchFailed({
        reason: "timed_out",
        detail: `There was no whole answer within ${Duration.toSeconds(timeout)} seconds.`,
      })
      return addressesOf(request.url).pipe(
        Effect.zip(requester(request.url.protocol)),
        Effect.flatMap(([addresses, open]) => requestPage(open, request, hostOf(request.url), addresses)),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooSlow) }),
      )
    }

    const measured = <A>(method: ToolMethod, request: Effect.Effect<A, FetchFailed>) =>
      atBorder(request, {
        span: "outbound request",
        kind: "client",
        attributes: () => ({ [attributes.method]: method }),
        measure: (seconds, exit) => metrics.requests(outcomeOf(exit)).observe(seconds),
      })

    return Layer.effect(
      SafeFetch,
      Effect.gen(function* () {
        const page = pageWithin(Duration.fromInputUnsafe(yield* PageTimeout))
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const streamed = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
          const request = input instanceof Request ? new Request(input, init) : new Request(String(input), init)
          const url = new URL(request.url)
          const addresses = await run(addressesOf(url), { signal: request.signal })
          return requestStream(await run(requester(url.protocol)), request, hostOf(url), addresses)
        }
        return SafeFetch.of({
          fetch: (request) => measured(request.method, fetch(request)),
          page: (request) => measured("GET", page(request)),
          streamed: Object.assign(streamed, { preconnect: () => {} }),
          check,
        })
      }),
    )
  }
}

const withoutBody = (status: number): SafeResponse => ({
  status,
  contentType: "",
  body: new Uint8Array(),
  isCut: true,
})

/** The host of a URL without the brackets of an IPv6 address and without the dot at the end of an absolute name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

/** The addresses that one of a machine's own names may stand for. */
const LOOPBACK = ["127.0.0.1", "::1"]

/** Whether a name means this machine wherever it is looked up. */
const isLoopbackName = (host: string): boolean => /(?:^|\.)localhost$/.test(host)

const resolveByName: Resolve = (host) =>
  Effect.callback((resume) =>
    lookup(host, { all: true, order: "ipv4first" }, (error, addresses) =>
      resume(Effect.succeed(error === null ? addresses : [])),
    ),
  )

/**
 * The request that follows a redirect, by the rules of browsers; undefined when the redirect leads to no http(s)
 * address.
 */
const redirected = (request: SafeRequest, { location, status }: Redirect): SafeRequest | undefined => {
  const url = URL.parse(location, request.url.href)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined
  const asGet = status === 303 || (status < 303 && request.method === "POST")
  const { "content-type": _, ...withoutType } = request.headers
  return {
    url,
    method: asGet ? "GET" : request.method,
    body: asGet ? undefined : request.body,
    headers: asGet ? withoutType : request.headers,
    secrets: url.origin === request.url.origin ? request.secrets : {},
  }
}

interface Redirect {
  readonly status: number
  readonly location: string
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Loads the HTTP client with the first request, because loading slows the start down and most servers never make one.
 */
const requester = (protocol: string): Effect.Effect<typeof request> =>
  Effect.map(
    Effect.promise(() => (protocol === "https:" ? import("node:https") : import("node:http"))),
    ({ request }) => request,
  )

const isPlain = ({ headers }: PageHead): boolean => /^(?:identity)?$/i.test(headers["content-encoding"] ?? "")

const isRedirect = ({ headers, status }: PageHead): boolean =>
  redirectStatuses.has(status) && headers.location !== undefined

/** Sends one request. The result is its response, or the redirect that it was answered with. */
const send = Effect.fnUntraced(function* (
  { body: content, excerpt, headers, method, secrets, url }: SafeRequest,
  addresses: ReadonlyArray<LookupAddress>,
  limit: number,
) {
  const request: PageRequest = {
    method,
    url,
    content,
    headers: { ...headers, ...secrets, "accept-encoding": "identity" },
    bytesMax: excerpt ?? limit,
    cuts: true,
    wantsBody: (head) => isPlain(head) && !isRedirect(head),
  }
  const answer = yield* requestPage(yield* requester(url.protocol), request, hostOf(url), addresses).pipe(
    Effect.mapError(() => unreachable),
  )
  const {
    body,
    headers: { "content-type": contentType = "", location = "" },
    isCut,
    status,
  } = answer
  if (isRedirect(answer)) return { status, location }
  if (isPlain(answer)) return { status, contentType, body, isCut }
  return excerpt === undefined ? yield* compression : withoutBody(status)
})
