import { Context, Layer } from "effect"

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
