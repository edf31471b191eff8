import { Context, Duration, Effect, Layer, Schedule, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSlow } from "../../api/Routes.ts"
import { urlOf } from "../../system/Url.ts"
import { cannotListen } from "./CannotListen.ts"
import { Lifecycle } from "../edge/Lifecycle.ts"
import { pathOf } from "../edge/PathOf.ts"
import { whileStarting } from "./Starting.ts"

export type Handler = (request: Request) => Promise<Response>

export interface ServerSettings {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** How long a request may wait for an answer without a byte on the wire. */
  readonly patience: Duration.Duration
  /** How long running requests may finish before the server closes. */
  readonly drainTimeout: Duration.Duration
}

/** Bun closes a connection on which nothing happens for so long. */
const IDLE_SECONDS = 30
/** How long readiness is down before new requests are refused: load balancers look about once a second. */
const LEAVE_GRACE = Duration.seconds(1)
/** How long connections may take to close once there is nothing more to send. */
const FLUSH_TIMEOUT = Duration.millis(250)
const DRAIN_POLL = Duration.millis(20)
/** What is given up at the end may take so long to say so, and to store what there is of it. */
const CLOSING_TIMEOUT = Duration.seconds(3)
/** The longest idle time that Bun takes. */
const MAX_IDLE_SECONDS = 255

const starting: Handler = (request) => Promise.resolve(whileStarting(request))

/**
 * `Bun.serve`, until `@effect/platform-bun` is there for this version of Effect. It listens as soon as it is built, so
 * that a port in use is known before a database is opened, and answers that it is starting until it is given its handler.
 *
 * Draining: readiness goes down first, then new requests are refused, running ones finish within the time-out, and
 * those that do not are interrupted, so that they can tell and store how far they got.
 */
export class Server extends Context.Service<
  Server,
  {
    /** `http://host:port`, with the port that was picked. */
    readonly url: string
    /**
     * From now on the connection of this request may be silent as long as it likes: writing does not reset Bun's idle
     * time. Ends when the returned function is called.
     */
    readonly keepOpen: (request: HttpServerRequest.HttpServerRequest) => () => void
    /** Answers by this handler as long as the scope is open. Closing it drains. */
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
              // Bun's own refusal says nothing; the handler counts, and answers as for any other error.
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
            // What has just been answered is still on its way out.
            Effect.promise(() => server.stop()).pipe(
              Effect.timeoutOption(FLUSH_TIMEOUT),
              Effect.andThen(Effect.promise(() => server.stop(true))),
            ),
        )

        const idleWithin = (wait: Duration.Duration) =>
          Effect.sync(() => lifecycle.running.size === 0).pipe(
            Effect.repeat({ until: (idle) => idle, schedule: Schedule.spaced(DRAIN_POLL) }),
            Effect.timeoutOption(wait),
          )

        const drain = Effect.gen(function* () {
          lifecycle.phase = "leaving"
          yield* Effect.logInfo("The server stops", {
            reason: lifecycle.stoppedBy ?? "its work ended",
            running_requests: lifecycle.running.size,
          })
          if (lifecycle.running.size > 0) yield* Effect.sleep(LEAVE_GRACE)
          lifecycle.phase = "draining"
          yield* idleWithin(settings.drainTimeout)
          lifecycle.phase = "closing"
          const given_up = lifecycle.running.size
          for (const fiber of lifecycle.running) fiber.interruptUnsafe()
          yield* idleWithin(CLOSING_TIMEOUT)
          yield* Effect.logInfo("Requests are drained", { given_up })
        })

        return {
          url: urlOf(settings.host, server.port ?? settings.port),
          keepOpen: ({ source }) => {
            if (!(source instanceof Request)) return () => {}
            server.timeout(source, 0)
            return () => server.timeout(source, IDLE_SECONDS)
          },
          serve: (given) =>
            Effect.acquireRelease(
              Effect.sync(() => {
                handler = given
              }),
              () => drain,
            ),
        }
      }),
    )
}
