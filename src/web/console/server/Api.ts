import type { Answer, Params, Payload, Query, Route } from "./Endpoints.ts"
import { type Failure, failureOf, toFailure, unreachable } from "./Failure.ts"
import { randomUuid } from "../../shared/Random.ts"
import { atRoot } from "./Root.ts"
import { jsonIn } from "./Unknown.ts"

/** The parts of a request that its endpoint declares, and no others. */
export type RequestOptions<R extends Route> = {
  /** Changes only this version of a chatbot, as an `etag` of an answer named it. */
  readonly ifMatch?: string | undefined
  /** The value of the header `Prefer`, such as `respond-async`. */
  readonly prefer?: string
  /** The media type of the answer; JSON when absent. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
} & ([Params<R>] extends [never] ? unknown : { readonly params: Params<R> }) &
  ([Query<R>] extends [never] ? unknown : { readonly query?: Query<R> }) &
  ([Payload<R>] extends [never] ? unknown : { readonly body: Payload<R> })

/** The parts of a request, as this module reads them whatever the route. */
interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  readonly prefer?: string
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}

/** The arguments of a request after its route: none are needed where its endpoint takes nothing. */
export type Arguments<R extends Route> =
  Record<string, never> extends RequestOptions<R> ? [options?: RequestOptions<R>] : [options: RequestOptions<R>]

/** An answer with what its headers say. */
export interface Reply<A> {
  readonly body: A
  readonly etag: string | undefined
  readonly status: number
  readonly headers: Headers
}

const ATTEMPTS = 3
/** A wait that the server asks for and that is longer is left to the person. */
const LONGEST_WAIT_SECONDS = 5

let onSignedOut: () => void = () => {}

/** Registers what happens when the server no longer knows who is asking. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener
}

/** The address of a request: the route's path with its parameters filled in, and the query. */
export const addressOf = (
  route: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const path = atRoot(
    route
      .slice(route.indexOf(" ") + 1)
      .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
  )
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString()
  return search === "" ? path : `${path}?${search}`
}

const methodOf = (route: string): string => route.slice(0, route.indexOf(" "))

/** Whether to send a request again by itself: it changes nothing, or carries a key by which it happens once. */
export const isWorthRepeating = (method: string, { code, retryAfterSeconds, status }: Failure): boolean => {
  if (method === "DELETE") return false
  if (code === "network") return true
  const mayPass = status === 503 || status === 429 || status === 502 || code === "idempotency_in_progress"
  return mayPass && (retryAfterSeconds ?? (status === 502 ? 1 : Infinity)) <= LONGEST_WAIT_SECONDS
}

const pause = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1_000)
    signal?.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(new DOMException("The request was given up.", "AbortError"))
    })
  })

const headersOf = (method: string, { accept, body, ifMatch, prefer }: Parts): Record<string, string> => ({
  accept: accept ?? "application/json",
  ...(body !== undefined && !(body instanceof FormData) && { "content-type": "application/json" }),
  ...((method === "POST" || method === "PATCH") && { "idempotency-key": randomUuid() }),
  ...(ifMatch !== undefined && { "if-match": ifMatch }),
  ...(prefer !== undefined && { prefer }),
})

const refused = (failure: Failure): Failure => {
  if (failure.status === 401) onSignedOut()
  return failure
}

const send = async (url: string, init: RequestInit): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(url, { ...init, credentials: "same-origin" })
  } catch (error) {
    throw init.signal?.aborted === true ? toFailure(error) : unreachable()
  }
  if (response.ok) return response
  throw refused(failureOf(response.status, jsonIn(await response.text()), response.headers.get("retry-after")))
}

const exchange = async (route: string, parts: Parts): Promise<Response> => {
  const { body, params, query, signal } = parts
  const method = methodOf(route)
  const url = addressOf(route, params, query)
  const init: RequestInit = {
    method,
    // The same for every attempt, so that what the request asks for happens once.
    headers: headersOf(method, parts),
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(url, init)
    } catch (error) {
      const failure = toFailure(error)
      if (attempt === ATTEMPTS || !isWorthRepeating(method, failure)) throw failure
      await pause(failure.retryAfterSeconds ?? attempt / 2, signal)
    }
  }
}

/** Sends a request and reads its answer, with the headers. Rejects with a `Failure`. */
export const request = async <R extends Route>(route: R, ...[options]: Arguments<R>): Promise<Reply<Answer<R>>> => {
  const response = await exchange(route, options ?? {})
  const body: Answer<R> = response.status === 204 ? undefined : await response.json()
  return { body, etag: response.headers.get("etag") ?? undefined, status: response.status, headers: response.headers }
}

/** Sends a request and reads its answer. Rejects with a `Failure`. */
export const call = async <R extends Route>(route: R, ...args: Arguments<R>): Promise<Answer<R>> =>
  (await request(route, ...args)).body

/** Sends a request whose answer is a stream or a file. Rejects with a `Failure`. */
export const open = <R extends Route>(route: R, ...[options]: Arguments<R>): Promise<Response> =>
  exchange(route, options ?? {})

/** Collects all pages of a list that is paged by cursor, up to a number of items. */
export const everyPage = async <P extends { readonly next_cursor?: string | null }, A>(
  page: (cursor: string | undefined) => Promise<P>,
  items: (page: P) => ReadonlyArray<A>,
  atMost = 5_000,
): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  let cursor: string | undefined
  do {
    const next = await page(cursor)
    all.push(...items(next))
    cursor = next.next_cursor ?? undefined
  } while (cursor !== undefined && all.length < atMost)
  return all
}

/** Sends a form and reports how much of it has left, from 0 to 1. Rejects with a `Failure`. */
export const upload = <R extends Route>(
  route: R,
  options: RequestOptions<R>,
  onProgress: (share: number) => void,
): Promise<Answer<R>> => {
  const parts: Parts = options
  const { body, params, query, signal } = parts
  const method = methodOf(route)
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest()
    transfer.open(method, addressOf(route, params, query))
    for (const [name, value] of Object.entries(headersOf(method, parts))) transfer.setRequestHeader(name, value)
    transfer.responseType = "json"
    transfer.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total)
    })
    transfer.addEventListener("load", () => {
      const { response, status } = transfer
      if (status >= 200 && status < 300) resolve(response)
      else reject(refused(failureOf(status, response, transfer.getResponseHeader("retry-after"))))
    })
    transfer.addEventListener("error", () => reject(unreachable()))
    transfer.addEventListener("abort", () =>
      reject(toFailure(new DOMException("The request was given up.", "AbortError"))),
    )
    signal?.addEventListener("abort", () => transfer.abort())
    transfer.send(body instanceof FormData ? body : null)
  })
}
