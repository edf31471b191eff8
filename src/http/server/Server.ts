import { Context, Duration, Effect, Layer, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSlow } from "../../api/Routes.ts"
import { urlOf } from "../../system/Url.ts"
import { drain } from "./Draining.ts"
import { cannotListen } from "./CannotListen.ts"
import { Lifecycle } from "../edge/Lifecycle.ts"
import { pathOf } from "../edge/PathOf.ts"
import { whileStarting } from "./Starting.ts"

export type Handler = (request: Request) => Promise<Response>

export interface ServerSettings {
  readonly host: string
  /** The port on which the server listens; with 0 the system picks a free one. */
  readonly port: number
  /** How long a connection may be silent while a slow endpoint answers. */
  readonly patience: Duration.Duration
  /** How long running requests may finish before the server closes. */
  readonly drainTimeout: Duration.Duration
}

/** The seconds of silence after which Bun closes a connection. */
const IDLE_SECONDS = 30
/** How long connections may take to send their last bytes before they are closed. */
const FLUSH_TIMEOUT = Duration.millis(250)
/** The longest idle time that Bun accepts, in seconds. */
const MAX_IDLE_SECONDS = 255

const starting: Handler = (request) => Promise.resolve(whileStarting(request))

/**
 * The HTTP server: `Bun.serve`, until `@effect/platform-bun` is released for this version of Effect.
 *
 * It listens as soon as its layer is built, so that a port in use is reported before the database is opened. Until it
 * has a handler it answers that it is starting.
 *
 * It drains in steps: readiness goes down, then new requests are refused, then running requests may finish until the
 * time-out, and the rest are interrupted, which ends their responses and stores replies as far as they got.
 */
export class Server extends Context.Service<
  Server,
  {
    /** The address of the server, as `http://host:port`, with the actual port. */
    readonly url: string
    /** The actual port. */
    readonly port: number
    /**
     * Switches off Bun's idle time-out for the connection of a request, until the returned function is called. A stream
     * needs it, because writing does not reset Bun's idle time.
     */
    readonly keepOpen: (request: HttpServerRequest.HttpServerRequest) => () => void
    /** The address at the other end of a request's connection; undefined once the connection is closed. */
    readonly peerOf: (request: HttpServerRequest.HttpServerRequest) => string | undefined
    /** Answers requests with this handler until the scope closes, which drains the server first. */
    readonly serve: (handler: Handler) => Effect.Effect<void, never, Scope.Scope>
  }
>()("parley/http/server/Server") {
  static readonly layer = (settings: ServerSettings) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const lifecycle = yield* Lifecycle
        let handler = starting
        const patience = Math.min(MAX_IDLE_SECONDS, Math.ceil(Duration.toSeconds(settings.patience)))

        const server = yield* Effect.acquireRelease(
          Effect.sync(() =>
            Bun.serve({
              hostname: settings.host,
              port: settings.port,
              // The handler limits the size of bodies, with a response that says why. Bun's own has no body.
              maxRequestBodySize: Number.MAX_SAFE_INTEGER,
              idleTimeout: IDLE_SECONDS,
              fetch: (request, server) => {
                if (request.method !== "GET" && isSlow(request.method, pathOf(request.url)))
                  server.timeout(request, patience)
                return handler(request)
              },
            }),
          ).pipe(Effect.catchDefect((cause) => Effect.flip(cannotListen(settings, cause)))),
          (server) =>
            // The last responses may not be sent completely yet.
            Effect.promise(() => server.stop()).pipe(
              Effect.timeoutOption(FLUSH_TIMEOUT),
              Effect.andThen(Effect.promise(() => server.stop(true))),
            ),
        )

        const port = server.port ?? settings.port
        return {
          url: urlOf(settings.host, port),
          port,
          keepOpen: ({ source }) => {
            if (!(source instanceof Request)) return () => {}
            server.timeout(source, 0)
            return () => server.timeout(source, IDLE_SECONDS)
          },
          peerOf: ({ source }) => (source instanceof Request ? server.requestIP(source)?.address : undefined),
          serve: (newHandler) =>
            Effect.acquireRelease(
              Effect.sync(() => {
                handler = newHandler
              }),
              () => drain(lifecycle, settings.drainTimeout),
            ),
        }
      }),
    )
}
