import { Context, Duration, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { exposition } from "../../observability/Exposition.ts"
import { cannotListen } from "../../system/CannotListen.ts"
import { Seat } from "../../system/Seat.ts"
import { urlOf } from "../../system/Url.ts"
import { drain } from "./Draining.ts"
import { Lifecycle } from "../edge/Lifecycle.ts"
import type { LocalListener } from "../access/LocalOperator.ts"
import { type Handler, makeSiblings } from "./Siblings.ts"
import { whileStarting } from "./Starting.ts"

export interface ServerSettings {
  readonly host: string
  /** The port on which the server listens; with 0 the system picks a free one. */
  readonly port: number
  /** The longest silence of a connection while a slow endpoint answers. */
  readonly patience: Duration.Duration
  /** Time for running requests to finish before the server closes. */
  readonly drainTimeout: Duration.Duration
}

/** The seconds of silence after which Bun closes a connection. */
const IDLE_SECONDS = 30
/** Time for connections to send their last bytes before they are closed. */
const FLUSH_TIMEOUT = Duration.millis(250)
/** The longest idle time that Bun accepts, in seconds. */
const MAX_IDLE_SECONDS = 255

/** The address on which this machine alone reaches the server. */
const LOOPBACK = "127.0.0.1"

/** Lets the client open another connection for its next request, which another server answers. */
const closing = (response: Response): Response => {
  response.headers.set("connection", "close")
  return response
}

const starting: Handler = (request) => Promise.resolve(whileStarting(request))

/**
 * The HTTP server: `Bun.serve`, until `@effect/platform-bun` is released for this version of Effect.
 *
 * It listens as soon as its layer is built, so that a port in use is reported before the database is opened. Until it
 * has a handler it answers that it is starting. A worker that shares the port with others listens only once it has a
 * handler, because the kernel sends it a part of the requests from then on.
 *
 * It drains in steps: readiness goes down, and responses close their connections; then the listener closes; then running
 * requests may finish until the time-out, and the rest are interrupted, which ends their responses and stores replies as
 * far as they got.
 */
export class Server extends Context.Service<Server>()("parley/http/server/Server", {
  make: (settings: ServerSettings) =>
    Effect.gen(function* () {
      const lifecycle = yield* Lifecycle
      const seat = yield* Seat
      const context = yield* Effect.context<never>()
      let handler = starting
      let server: Bun.Server<undefined> | undefined
      const patience = Math.min(MAX_IDLE_SECONDS, Math.ceil(Duration.toSeconds(settings.patience)))

      const answer = (request: Request): Promise<Response> => {
        lifecycle.received++
        return lifecycle.phase === "serving" ? handler(request) : handler(request).then(closing)
      }

      const siblings =
        seat === undefined ? undefined : makeSiblings(seat, answer, () => Effect.runPromiseWith(context)(exposition))
      let fromSiblings: ReturnType<NonNullable<typeof siblings>["listen"]> | undefined

      const serveOn = (
        { host, port }: Pick<ServerSettings, "host" | "port">,
        handle: (request: Request, server: Bun.Server<undefined>) => Promise<Response>,
      ) =>
        Bun.serve({
          hostname: host,
          port,
          reusePort: seat !== undefined,
          // The handler limits the size of bodies, with a response that says why. Bun's own has no body.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          idleTimeout: IDLE_SECONDS,
          fetch: handle,
        })

      /** The listeners of requests that have not come by the main one. */
      const localListeners = new WeakMap<Request, Bun.Server<undefined>>()
      const receiverOf = (request: Request) => localListeners.get(request) ?? server

      const localSettings = { host: LOOPBACK, port: 0 }
      const listenLocally = Effect.acquireRelease(
        Effect.sync(() =>
          serveOn(localSettings, (request, server) => {
            localListeners.set(request, server)
            return answer(request)
          }),
        ).pipe(Effect.catchDefect((cause) => Effect.flip(cannotListen(localSettings, cause)))),
        (server) => Effect.promise(() => server.stop(true)),
      ).pipe(
        Effect.map(({ port = 0 }): LocalListener => ({
          url: urlOf(LOOPBACK, port),
          isLocal: ({ source }) => source instanceof Request && localListeners.has(source),
        })),
      )

      const listen = Effect.acquireRelease(
        Effect.sync(() => {
          server = serveOn(settings, (request, server) => {
            const forwarded = siblings?.forward(request, server.requestIP(request)?.address, () =>
              server.timeout(request, 0),
            )
            if (forwarded === undefined) return answer(request)
            return lifecycle.phase === "serving" ? forwarded : forwarded.then(closing)
          })
          fromSiblings = siblings?.listen()
          return server
        }).pipe(Effect.catchDefect((cause) => Effect.flip(cannotListen(settings, cause)))),
        (server) =>
          // The last responses may not be sent completely yet.
          Effect.promise(() => server.stop()).pipe(
            Effect.timeoutOption(FLUSH_TIMEOUT),
            Effect.andThen(Effect.promise(() => server.stop(true))),
          ),
      )

      /** Closes the listener and the idle connections. Requests that are running go on. */
      const close = Effect.sync(() => {
        void server?.stop()
        fromSiblings?.close()
      })

      if (seat === undefined) yield* listen
      const port = server?.port ?? settings.port
      return {
        /** The address of the server, as `http://host:port`, with the actual port. */
        url: urlOf(settings.host, port),
        port,

        /**
         * Switches off Bun's idle time-out for the connection of a request, until the returned function is called. A
         * stream needs it, because writing does not reset Bun's idle time.
         */
        keepOpen: ({ source }: HttpServerRequest.HttpServerRequest): (() => void) => {
          if (!(source instanceof Request) || siblings?.peerOf(source) !== undefined) return () => {}
          receiverOf(source)?.timeout(source, 0)
          return () => receiverOf(source)?.timeout(source, IDLE_SECONDS)
        },

        /** Lets the connection of a request be silent for as long as a slow endpoint may take to answer it. */
        expectSlow: ({ source }: HttpServerRequest.HttpServerRequest): void => {
          if (source instanceof Request && siblings?.peerOf(source) === undefined)
            receiverOf(source)?.timeout(source, patience)
        },

        /** The address at the other end of a request's connection; undefined once the connection is closed. */
        peerOf: ({ source }: HttpServerRequest.HttpServerRequest): string | undefined =>
          source instanceof Request
            ? (siblings?.peerOf(source) ?? receiverOf(source)?.requestIP(source)?.address)
            : undefined,

        /**
         * Listens, until the scope closes, on a port of the loopback address too, which nothing but `url` names: no proxy
         * in front of the server passes requests on to it.
         */
        listenLocally,

        /** The metrics of this process, or those of all workers that share its port, in Prometheus's format. */
        metrics: siblings === undefined ? exposition : Effect.promise(siblings.metrics),

        /** Answers requests with this handler until the scope closes, which drains the server first. */
        serve: Effect.fnUntraced(function* (newHandler: Handler) {
          handler = newHandler
          if (seat !== undefined) {
            yield* seat.turnToListen
            yield* Effect.orDie(listen)
            yield* seat.listening
          }
          /** Whether all responses are sent, also those of other workers, of which `Lifecycle` does not know. */
          const isIdle = () => seat === undefined || server?.pendingRequests === 0
          yield* Effect.addFinalizer(() =>
            drain(lifecycle, { close, isIdle, isReplaced: seat?.isReplaced() === true }, settings.drainTimeout),
          )
        }),
      }
    }),
}) {
  static readonly layer = (settings: ServerSettings) => Layer.effect(this, this.make(settings))
}
