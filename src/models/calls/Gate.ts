import { Cause, Duration, Effect, Exit, Option } from "effect"
import { ServiceHealth } from "../../outbound/ServiceHealth.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { Places } from "../../system/Places.ts"
import { isUnhealthy, ProviderFailure } from "./ProviderFailure.ts"

export interface GateLimits {
  /** The failures in a row after which the provider is left alone. */
  readonly failuresMax: number
  /** The time for which it is left alone. */
  readonly restFor: Duration.Input
  /** The most calls of the provider at the same time. */
  readonly concurrency: number
  /** The longest time that a call waits for others to end. */
  readonly turnWait: Duration.Input
}

/** The protection of a provider that all its models share: a pause after failures, and a limit of concurrent calls. */
export class Gate {
  private readonly health: ServiceHealth
  private readonly places: Places
  private readonly turnWait: number
  private readonly provider: string

  constructor(provider: string, limits: GateLimits) {
    this.provider = provider
    this.health = new ServiceHealth(limits.failuresMax, Duration.toMillis(limits.restFor))
    this.places = new Places(limits.concurrency)
    this.turnWait = Duration.toMillis(limits.turnWait)
  }

  /** Runs a call with all its attempts, unless the provider is left alone. */
  guard<A, R>(call: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return Effect.clockWith((clock) => {
      const rest = this.health.restAt(monotonicMillis(clock))
      if (rest > 0) return Effect.fail(rejected(`${this.provider} failed too often`, rest))
      return Effect.onExit(call, (exit) => Effect.sync(() => this.note(exit, monotonicMillis(clock))))
    })
  }

  /** Runs an attempt once there are fewer concurrent calls than the limit. */
  limit<A, R>(attempt: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return this.places.within({
      millis: this.turnWait,
      refuse: () => rejected(`${this.provider} has too many calls at once`, this.turnWait),
    })(attempt)
  }

  /** Notes how a call ended. One that was interrupted or held back says nothing about the provider. */
  private note(exit: Exit.Exit<unknown, ProviderFailure>, now: number): void {
    if (Exit.isSuccess(exit)) return this.health.succeed()
    const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (failure === undefined || failure.kind === "held-back") return
    if (isUnhealthy(failure)) this.health.fail(now)
    // A provider that refuses a request works.
    else this.health.succeed()
  }
}

const rejected = (description: string, retryAfter: number) =>
  new ProviderFailure({ kind: "held-back", description, retryable: false, retryAfter })
