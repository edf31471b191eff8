import type { HttpApiSchema } from "effect/http-api"
import type { Api } from "../../../api/Api.ts"
import { saveFile } from "../../shared/Download.ts"
import { randomUuid } from "../../shared/Random.ts"
import { type Failure, failureOf, toFailure, unreachable } from "./Failure.ts"
import { addressOf } from "./Root.ts"
import { jsonIn } from "./Unknown.ts"

/*
 * The types of what endpoints take and answer, derived from their declarations: the console cannot ask for a path that
 * does not exist, nor read a field that no answer has. They are what goes over the wire: ids and times are texts.
 */

type Groups = (typeof Api)["groups"]
type EndpointsOf<Group> = Group extends { readonly endpoints: infer E } ? E[keyof E] : never
type AnyEndpoint = { [Name in keyof Groups]: EndpointsOf<Groups[Name]> }[keyof Groups]
type RouteOf<E> = E extends { readonly method: infer M extends string; readonly path: infer P extends string }
  ? `${M} ${P}`
  : never

/** A method and a path of the API, such as `GET /api/external/chatbot/:chatbotId`. */
type Route = RouteOf<AnyEndpoint>

type Matching<E, R extends Route> = E extends unknown ? (RouteOf<E> extends R ? E : never) : never
type EndpointAt<R extends Route> = Matching<AnyEndpoint, R>

/** The schema as the endpoint declares it, without the codec around it. */
type Declared<S> = S extends { readonly Encoded: unknown; readonly schema: infer Inner } ? Declared<Inner> : S
type Encoded<S> = [S] extends [never] ? never : Declared<S> extends { readonly Encoded: infer A } ? A : never

export type Answer<R extends Route> = EndpointAt<R> extends { readonly "~Success": infer S } ? Encoded<S> : never

type Form = { readonly "~effect/Brand": { readonly [K in HttpApiSchema.MultipartStreamTypeId]: unknown } }
type BodyOf<S> = S extends { readonly Type: infer Type } ? (Type extends Form ? FormData : Encoded<S>) : never

/** The body of a request, as JSON, or `FormData` for endpoints that take a form; `never` for those that take none. */
type Payload<R extends Route> = EndpointAt<R> extends { readonly "~Payload": infer S } ? BodyOf<S> : never

type Params<R extends Route> = EndpointAt<R> extends { readonly "~Params": infer S } ? Encoded<S> : never

type Query<R extends Route> = EndpointAt<R> extends { readonly "~Query": infer S } ? Encoded<S> : never

interface Extras {
  /** Changes only this version of a chatbot, as an `etag` of an answer named it. */
  readonly ifMatch?: string | undefined
  /** Headers that the endpoint takes, such as `prefer`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The parts of a request that its endpoint declares, and no others. */
type RequestOptions<R extends Route> = Extras &
  ([Params<R>] extends [never] ? unknown : { readonly params: Params<R> }) &
  ([Query<R>] extends [never] ? unknown : { readonly query?: { [K in keyof Query<R>]: Query<R>[K] | undefined } }) &
  ([Payload<R>] extends [never] ? unknown : { readonly body: Payload<R> })

/** The parts of a request, as this module reads them for every route. */
interface Parts extends Extras {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** The arguments of a request after its route: none are needed where its endpoint takes nothing. */
type Arguments<R extends Route> =
  Record<string, never> extends RequestOptions<R> ? [options?: RequestOptions<R>] : [options: RequestOptions<R>]

const ATTEMPTS = 3
/** A wait that the server asks for and that is longer is left to the person. */
const LONGEST_WAIT_SECONDS = 5

let onSignedOut: () => void = () => {}

/** Registers what happens when the server no longer knows who is asking. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener
}

/** Whether to send a request again by itself: it changes nothing, or carries a key by which it happens once. */
export const isWorthRepeating = (method: string, { code, retryAfterSeconds, status }: Failure): boolean => {
  if (method === "DELETE") return false
  if (code === "network") return true
  // Of a proxy, whose server is about to start. One of Parley's own says that a model has failed, which was asked enough.
  const isOfProxy = code === "http_502"
  const mayPass = status === 503 || status === 429 || isOfProxy || code === "idempotency_in_progress"
  return mayPass && (retryAfterSeconds ?? (isOfProxy ? 1 : Infinity)) <= LONGEST_WAIT_SECONDS
}

const send = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw init.signal?.aborted === true ? error : unreachable()
  })
  if (response.ok) return response
  if (response.status === 401) onSignedOut()
  throw failureOf(response.status, jsonIn(await response.text()), response.headers.get("retry-after"))
}

/** Sends a request whose answer is a stream or a file. Rejects with a `Failure`. */
export const open = async <R extends Route>(route: R, ...[options]: Arguments<R>): Promise<Response> => {
  const { body, headers, ifMatch, params, query, signal }: Parts = options ?? {}
  const [method = "", path = ""] = route.split(" ")
  const isForm = body instanceof FormData
  const init: RequestInit = {
    method,
    // The same for every attempt, so that what the request asks for happens once.
    headers: {
      accept: "application/json",
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      ...((method === "POST" || method === "PATCH") && { "idempotency-key": randomUuid() }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(addressOf(path, params, query), init)
    } catch (error) {
      const failure = toFailure(error)
      if (attempt === ATTEMPTS || !isWorthRepeating(method, failure)) throw failure
      await new Promise((resolve) => setTimeout(resolve, (failure.retryAfterSeconds ?? attempt / 2) * 1_000))
    }
  }
}

/** Sends a request and reads its answer, with the headers. Rejects with a `Failure`. */
export const request = async <R extends Route>(route: R, ...args: Arguments<R>) => {
  const response = await open(route, ...args)
  const body: Answer<R> = response.status === 204 ? undefined : await response.json()
  return { body, etag: response.headers.get("etag") ?? undefined, headers: response.headers }
}

/** Sends a request and reads its answer. Rejects with a `Failure`. */
export const call = async <R extends Route>(route: R, ...args: Arguments<R>): Promise<Answer<R>> =>
  (await request(route, ...args)).body

/** Sends a request whose answer is a file, and has the browser save it. Rejects with a `Failure`. */
export const download = async <R extends Route>(name: string, route: R, ...args: Arguments<R>): Promise<void> =>
  saveFile(name, await (await open(route, ...args)).blob())

/** Collects all pages of a list that is paged by cursor. */
export const everyPage = async <P extends { readonly next_cursor?: string | null }, A>(
  page: (cursor: string | undefined) => Promise<P>,
  items: (page: P) => ReadonlyArray<A>,
): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  let cursor: string | undefined
  do {
    const next = await page(cursor)
    all.push(...items(next))
    cursor = next.next_cursor ?? undefined
  } while (cursor !== undefined)
  return all
}
