import { Context, Duration, Effect, Fiber, Layer, Scope } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { Ping } from "../storage/sql/Ping.ts"

/** Longest wait for the database, so that a health check is answered within a second. */
const PING_TIMEOUT = Duration.millis(700)

const tooSlow = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

/** Checks whether this process can do its work, which takes a database that answers. */
export class Health extends Context.Service<Health, { readonly check: Effect.Effect<void, Unavailable> }>()(
  "parley/services/Health",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const ping = yield* Ping
      const scope = yield* Scope.Scope
      let pinging: Fiber.Fiber<void, Unavailable> | undefined
      // Interrupting a ping takes as long as the database does. So no check interrupts it, and concurrent checks share
      // one.
      const sharedPing = Effect.suspend(() =>
        pinging === undefined
          ? Effect.map(Effect.forkIn(ping, scope), (fiber) => {
              pinging = fiber
              fiber.addObserver(() => void (pinging = undefined))
              return fiber
            })
          : Effect.succeed(pinging),
      )
      return {
        check: Effect.timeoutOrElse(Effect.flatMap(sharedPing, Fiber.join), {
          duration: PING_TIMEOUT,
          orElse: () => Effect.fail(tooSlow),
        }),
      }
    }),
  )
}
