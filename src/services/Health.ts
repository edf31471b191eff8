import { Context, Duration, Effect, Fiber, Layer, Scope } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { Ping } from "../storage/sql/Ping.ts"

/** A database that takes longer than this to say that it is there, is not. Who asks is answered within a second. */
const PATIENCE = Duration.millis(700)

const tooSlow = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

/** Whether this process can do its work. */
export class Health extends Context.Service<Health, { readonly check: Effect.Effect<void, Unavailable> }>()(
  "parley/services/Health",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const ping = yield* Ping
      const scope = yield* Scope.Scope
      let asking: Fiber.Fiber<void, Unavailable> | undefined
      // To stop asking takes as long as the database does, so nobody does: whoever comes meanwhile waits for the same.
      const ask = Effect.suspend(() =>
        asking === undefined
          ? Effect.map(Effect.forkIn(ping, scope), (fiber) => {
              asking = fiber
              fiber.addObserver(() => void (asking = undefined))
              return fiber
            })
          : Effect.succeed(asking),
      )
      return {
        check: Effect.timeoutOrElse(Effect.flatMap(ask, Fiber.join), {
          duration: PATIENCE,
          orElse: () => Effect.fail(tooSlow),
        }),
      }
    }),
  )
}
