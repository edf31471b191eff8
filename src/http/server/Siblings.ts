import { renameSync } from "node:fs"
import { Context, Option, Schema } from "effect"
import { AnsweredBy } from "../../api/parts/Annotations.ts"
import { VISITOR_TOKEN_VERSION } from "../../domain/widget/Visitor.ts"
import type { WorkerSeat } from "../../system/Seat.ts"
import { mergeExpositions } from "./Expositions.ts"
import { pathOf } from "../edge/PathOf.ts"
import { findRoute } from "../edge/Routes.ts"

/*
 * Workers on one machine hand each other the requests that only one of them can answer, over Unix sockets in a directory
 * of their own: what a visitor of the widget does goes to the worker that has the visitor's replies in memory, and the
 * one-time link of the first start to the first worker, which has made it. All else that a request needs, every worker
 * has.
 */

/** The header with the address of the client in a request that was handed over. It is believed on the socket alone. */
const PEER = "x-parley-peer"
/** The longest body that is handed over, in bytes. A longer one is refused by every worker. */
const BODY_MAX = 4 * 1024 * 1024
/**
 * Time for a body that is handed over to arrive, in milliseconds. Its sender is not known yet, so nobody may keep a
 * connection and its memory for longer.
 */
const BODY_PATIENCE = 30_000
/** The path at which a worker answers the others with its metrics, on the socket alone. */
const OWN_METRICS = "/own-metrics"
/** Time for a worker to answer, in milliseconds. */
const METRICS_PATIENCE = 2_000
/** The worker that starts alone, and makes what is made once. */
const FIRST = 1

const payloadOfToken = new RegExp(`^Bearer ${VISITOR_TOKEN_VERSION}\\.([\\w-]{1,4096})\\.`)

/** The visitor whom a token names. It is not verified here: the worker that answers does that. */
const Claims = Schema.fromJsonString(Schema.Struct({ v: Schema.String }))
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** The number of the worker that has to answer a request, among `seats`; undefined when any can. */
export const seatOf = (request: Request, seats: number): number | undefined => {
  const route = findRoute(request.method, pathOf(request.url))?.route
  const answeredBy = route === undefined ? "any worker" : Context.get(route.annotations, AnsweredBy)
  if (answeredBy === "first worker") return FIRST
  if (answeredBy === "any worker") return undefined
  const payload = payloadOfToken.exec(request.headers.get("authorization") ?? "")?.[1]
  if (payload === undefined) return undefined
  const claims = decodeClaims(Buffer.from(payload, "base64url").toString())
  return Option.isNone(claims) ? undefined : FIRST + Number(Bun.hash(claims.value.v) % BigInt(seats))
}

export type Handler = (request: Request) => Promise<Response>

/** Connects a worker with the others. */
export const makeSiblings = (
  { isReplaced, number, seats, socketOf }: Pick<WorkerSeat, "isReplaced" | "number" | "seats" | "socketOf">,
  answer: Handler,
  ownMetrics: () => Promise<string>,
  bodyPatience = BODY_PATIENCE,
) => {
  /** The requests of other workers, whose header with the address of the client is true. */
  const handedOver = new WeakSet<Request>()
  const isShort = ({ body, headers }: Request) =>
    body === null || Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= BODY_MAX

  /** Reads the body of a request; undefined when it does not arrive in time, or not at all. */
  const bodyOf = async (request: Request): Promise<ArrayBuffer | null | undefined> => {
    if (request.body === null) return null
    let timer: Timer | undefined
    const isOver = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, bodyPatience)))
    const body = request.arrayBuffer().catch(() => undefined)
    return Promise.race([body, isOver]).finally(() => clearTimeout(timer))
  }

  const handOver = async (
    request: Request,
    seat: number,
    peer: string | undefined,
    keepOpen: () => void,
  ): Promise<Response> => {
    const { method, signal, url } = request
    const headers = new Headers(request.headers)
    headers.set(PEER, peer ?? "")
    const body = await bodyOf(request)
    if (body === undefined) return new Response(null, { status: 408, headers: { connection: "close" } })
    // From here on the worker that answers decides how long that takes.
    keepOpen()
    try {
      return await fetch(url, {
        unix: socketOf(seat),
        method,
        headers,
        body,
        signal,
        redirect: "manual",
        decompress: false,
      })
    } catch (error) {
      if (signal.aborted) throw error
      const own = new Request(url, { method, headers, body, signal })
      handedOver.add(own)
      return answer(own)
    }
  }

  const metricsOf = async (seat: number): Promise<string> => {
    if (seat === number) return ownMetrics()
    try {
      const response = await fetch(`http://localhost${OWN_METRICS}`, {
        unix: socketOf(seat),
        signal: AbortSignal.timeout(METRICS_PATIENCE),
      })
      return await response.text()
    } catch {
      // It is being started again.
      return ""
    }
  }

  return {
    /** Returns the metrics of all workers that answer, each with the number of its worker as a label. */
    metrics: async (): Promise<string> => {
      const all = Array.from({ length: seats }, (_, index) => FIRST + index)
      const texts = await Promise.all(all.map(metricsOf))
      return mergeExpositions(new Map(all.map((seat, index) => [seat, texts[index] ?? ""])))
    },
    /**
     * Returns the response of the worker that has to answer, or undefined for a request that this one can answer. A
     * worker that cannot be reached is being started again, and what it had in memory is gone: then this one answers.
     * `keepOpen` is called when the request has arrived as a whole.
     */
    forward: (request: Request, peer: string | undefined, keepOpen: () => void): Promise<Response> | undefined => {
      const seat = seatOf(request, seats)
      // In a worker that leaves, what begins is for the one in its place, where the others look for it.
      if (seat === undefined || (seat === number && !isReplaced()) || !isShort(request)) return undefined
      return handOver(request, seat, peer, keepOpen)
    },
    /** The address of the client of a request that another worker has handed over; undefined for any other request. */
    peerOf: (request: Request): string | undefined =>
      handedOver.has(request) ? (request.headers.get(PEER) ?? undefined) : undefined,
    /** Takes requests from the other workers until the returned function is called. */
    listen: () => {
      // The worker in whose place this one comes goes on with its requests, on a socket without a name.
      const unix = `${socketOf(number)}.${process.pid}`
      const server = Bun.serve({
        unix,
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        fetch: async (request) => {
          if (pathOf(request.url) === OWN_METRICS) return new Response(await ownMetrics())
          handedOver.add(request)
          return answer(request)
        },
      })
      renameSync(unix, socketOf(number))
      return { close: () => void server.stop() }
    },
  }
}
