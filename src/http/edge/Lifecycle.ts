import { Context, Effect, type Fiber, Layer } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { http } from "../../observability/Metrics.ts"

/** The phase of the server's life, on which its responses depend. */
export class Lifecycle extends Context.Service<
  Lifecycle,
  {
    /**
     * - `serving`: the server answers everything.
     * - `leaving`: it still does, but readiness is down and each response closes its connection, so that clients and
     *   load balancers go elsewhere.
     * - `draining`: the listener is closed, and running requests finish. A new one in a connection that is still open is
     *   refused.
     * - `closing`: requests that are still running are interrupted.
     */
    phase: "serving" | "leaving" | "draining" | "closing"
    /**
     * Whether another process serves in the place of this one, which leaves. What is asked here in a connection that is
     * still open is answered as there, so that nobody notices the change.
     */
    isReplaced: boolean
    /** The reason for which the server stops, for the log: the name of a signal or another one. */
    stoppedBy: string | undefined
    /** The number of requests that the server has received. */
    received: number
    /** The fibers that answer requests: one for each request, and one for each stream that goes on after it. */
    readonly running: Set<Fiber.Fiber<unknown, unknown>>
  }
>()("parley/http/edge/Lifecycle") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.gen(function* () {
        const running = new Set<Fiber.Fiber<unknown, unknown>>()
        yield* http.running().read(() => running.size)
        return Lifecycle.of({ phase: "serving", isReplaced: false, stoppedBy: undefined, received: 0, running })
      }),
      // Only after a start: one that fails reports why instead.
      ({ phase }) => (phase === "serving" ? Effect.void : Effect.logInfo("The server has ended")),
    ),
  )
}

/** Whether the service behind this port can be relied on, as far as it depends on the phase of this process. */
export const isStaying = ({ isReplaced, phase }: Lifecycle["Service"]): boolean => phase === "serving" || isReplaced

/** The failure of requests while the server shuts down. */
export const shuttingDown = new Unavailable({ detail: "The server is shutting down.", retry_after_seconds: 5 })
