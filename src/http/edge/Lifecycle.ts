import { Context, Effect, type Fiber, Layer } from "effect"
import { Unavailable } from "../../domain/Errors.ts"

/** Where the server is in its life; what it answers depends on it. */
export class Lifecycle extends Context.Service<
  Lifecycle,
  {
    /**
     * `draining`: running requests finish, new ones are refused, and nobody should send any. `closing`: those that are
     * still running are given up.
     */
    phase: "serving" | "leaving" | "draining" | "closing"
    /** What told the server to stop, for the log: the name of a signal, or what happened. */
    stoppedBy: string | undefined
    /** What answers requests: one fiber each, and one for each stream that goes on. */
    readonly running: Set<Fiber.Fiber<unknown, unknown>>
  }
>()("parley/http/edge/Lifecycle") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.sync(() => Lifecycle.of({ phase: "serving", stoppedBy: undefined, running: new Set() })),
      // A start that fails says why instead.
      ({ phase }) => (phase === "serving" ? Effect.void : Effect.logInfo("The server has ended")),
    ),
  )
}

export const shuttingDown = new Unavailable({ detail: "The server is shutting down.", retry_after_seconds: 5 })
