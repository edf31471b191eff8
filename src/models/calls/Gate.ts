import { Duration, Effect, Exit } from "effect"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { Places } from "../../system/Places.ts"
import { type CallOutcome, CircuitBreaker, type CircuitLimits } from "./CircuitBreaker.ts"
import { isUnhealthy, ProviderFailure } from "./ProviderFailure.ts"

export interface GateLimits extends CircuitLimits {
  /** The most calls of the provider at the same time. */
  readonly concurrency: number
  /** The longest time that a call waits for others to end. */
  readonly turnWait: Duration.Input
}

/** The protection of a provider that all its models share: a circuit breaker and a limit of concurrent calls. */
export class Gate {
  private readonly circuit: CircuitBreaker
  private readonly places: Places
  private readonly turnWait: number
  private readonly provider: string

  constructor(provider: string, limits: GateLimits) {
    this.provider = provider
    this.circuit = new CircuitBreaker(limits)
    this.places = new Places(limits.concurrency)
    this.turnWait = Duration.toMillis(limits.turnWait)
  }

  /**
   * Runs a call with all its attempts, unless the circuit is open. A stream calls `onBegin` when its answer begins,
   * which is recorded as a success at once, because it may take minutes to its end.
   */
  guard<A, R>(
    call: (onBegin: () => void) => Effect.Effect<A, ProviderFailure, R>,
  ): Effect.Effect<A, ProviderFailure, R> {
    // Uninterruptible between the two, because the outcome of an admitted call must be recorded.
    return Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const admission = this.circuit.admit(monotonicMillis(clock))
        if (!admission.admitted) return Effect.fail(rejected(`${this.provider} failed too often`, admission.retryAfter))
        const record = (outcome: CallOutcome) => this.circuit.record(admission, outcome, monotonicMillis(clock))
        let hasBegun = false
        const onBegin = () => {
          hasBegun = true
          record("success")
        }
        return Effect.onExit(restore(call(onBegin)), (exit) =>
          Effect.sync(() => {
            const outcome = outcomeOf(exit)
            if (!hasBegun || outcome === "failure") record(outcome)
          }),
        )
      }),
    )
  }

  /** Runs an attempt once there are fewer concurrent calls than the limit. */
  limit<A, R>(attempt: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return this.places.within({
      millis: this.turnWait,
      refuse: () => rejected(`${this.provider} has too many calls at once`, this.turnWait),
    })(attempt)
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, ProviderFailure>): CallOutcome => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return "neutral"
  if (isUnhealthy(failure)) return "failure"
  // A provider that refuses a request works. A call that was held back was never sent.
  return failure.kind === "held-back" ? "neutral" : "success"
}

const rejected = (description: string, retryAfter: number) =>
  new ProviderFailure({ kind: "held-back", description, retryable: false, retryAfter })
