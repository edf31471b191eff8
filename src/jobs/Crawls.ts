import { Context, Effect, Layer } from "effect"

/**
 * Reads the pages of sources, one run after the other for each of them. It works in the background as long as the layer
 * lives; several processes share one queue.
 */
export class Crawls extends Context.Service<
  Crawls,
  {
    /** Wakes the worker, because a run was queued. */
    readonly nudge: Effect.Effect<void>
  }
>()("parley/jobs/Crawls") {
  static readonly layer = Layer.succeed(this, { nudge: Effect.void })
}
