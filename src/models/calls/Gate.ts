import { Cause, Duration, Effect, Exit, Option } from "effect"
import { ServiceHealth } from "../../outbound/ServiceHealth.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { RecentMap } from "../../system/RecentMap.ts"
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

/** The most models of a provider whose failures are known. */
const MODELS_MAX = 1_000

/**
 * The protection of a provider: a limit of concurrent calls, and a pause after failures. What hangs or has no capacity is
 * left alone by its model, and all models where the provider cannot be reached. A server that answers with an error has
 * lost no time, and may do so because of one visitor's words, which pause nobody.
 */
export class Gate {
  private readonly connection: ServiceHealth
  private readonly models = new RecentMap<ServiceHealth>(MODELS_MAX)
  private readonly newHealth: () => ServiceHealth
  private readonly places: Places
  private readonly turnWait: number
  private readonly provider: string

  constructor(provider: string, limits: GateLimits) {
    this.provider = provider
    this.newHealth = () => new ServiceHealth(limits.failuresMax, Duration.toMillis(limits.restFor))
    this.connection = this.newHealth()
    this.places = new Places(limits.concurrency)
    this.turnWait = Duration.toMillis(limits.turnWait)
  }

  /** Runs a call of a model with all its attempts, unless the model or the provider is left alone. */
  guard<A, R>(call: Effect.Effect<A, ProviderFailure, R>, name = ""): Effect.Effect<A, ProviderFailure, R> {
    return Effect.clockWith((clock) => {
      const model = this.models.get(name, this.newHealth)
      const now = monotonicMillis(clock)
      const rest = Math.max(this.connection.restAt(now), model.restAt(now))
      if (rest > 0) return Effect.fail(rejected(`${this.provider} failed too often`, rest))
      return Effect.onExit(call, (exit) => Effect.sync(() => this.note(exit, model, monotonicMillis(clock))))
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
  private note(exit: Exit.Exit<unknown, ProviderFailure>, model: ServiceHealth, now: number): void {
    const failure = Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (Exit.isFailure(exit) && (failure === undefined || failure.kind === "held-back")) return
    if (failure?.kind === "connection" && failure.status === undefined) return this.connection.fail(now)
    this.connection.succeed()
    if (failure !== undefined && isUnhealthy(failure)) model.fail(now)
    // A model that refuses a request works.
    else model.succeed()
  }
}

const rejected = (description: string, retryAfter: number) =>
  new ProviderFailure({ kind: "held-back", description, retryable: false, retryAfter })
