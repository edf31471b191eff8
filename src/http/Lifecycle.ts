import { Context, Layer } from "effect"
import { Unavailable } from "../domain/Errors.ts"

/** Where the server is in its life; what it answers depends on it. */
export class Lifecycle extends Context.Service<
  Lifecycle,
  {
    /** `draining`: running requests finish, new ones are refused, and nobody should send any. */
    phase: "serving" | "leaving" | "draining"
    /** Requests that are being answered. */
    active: number
  }
>()("parley/http/Lifecycle") {
  static readonly layer = Layer.sync(this, () => ({ phase: "serving" as const, active: 0 }))
}

export const shuttingDown = new Unavailable({ detail: "The server is shutting down.", retry_after_seconds: 5 })
