import { Context, Duration, Effect, Layer } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { Ping } from "../storage/Ping.ts"

/** A database that takes longer than this to say that it is there, is not. */
const PATIENCE = Duration.seconds(2)

const tooSlow = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

/** Whether this process can do its work. */
export class Health extends Context.Service<Health, { readonly check: Effect.Effect<void, Unavailable> }>()(
  "parley/services/Health",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Ping, (ping) => ({
      check: Effect.timeoutOrElse(ping, { duration: PATIENCE, orElse: () => Effect.fail(tooSlow) }),
    })),
  )
}
