import { Duration, Effect, Exit } from "effect"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { type CallOutcome, CircuitBreaker, type CircuitLimits } from "./CircuitBreaker.ts"
import { isUnhealthy, ProviderFailure } from "./ProviderFailure.ts"
import { Turns } from "./Turns.ts"

export interface GateLimits extends CircuitLimits {
  /** Calls of the provider at once. */
  readonly concurrency: number
  /** How long a call waits for its turn among them. */
  readonly turnWait: Duration.Duration
}

/** What stands before a provider: its circuit breaker, and the turns of the calls that it gets at once. */
export class Gate {
  private readonly circuit: CircuitBreaker
  private readonly turns: Turns
  private readonly turnWait: number
  private readonly provider: string

  constructor(provider: string, limits: GateLimits) {
    this.provider = provider
    this.circuit = new CircuitBreaker(limits)
    this.turns = new Turns(limits.concurrency)
    this.turnWait = Duration.toMillis(limits.turnWait)
  }

  /**
   * A call with all its attempts, unless the circuit is open. A stream tells when it has begun: the provider is there, and
   * other calls need not wait for its end to know.
   */
  guard<A, R>(call: (begun: () => void) => Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    // Not to be interrupted in between: a call that tries whether the provider is back has to say what it found.
    return Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const admission = this.circuit.admit(monotonicMillis(clock))
        if (!admission.admitted) return Effect.fail(heldBack(`${this.provider} failed too often`, admission.retryAfter))
        const record = (outcome: CallOutcome) => this.circuit.record(admission, outcome, monotonicMillis(clock))
        let hasBegun = false
        const begun = () => {
          hasBegun = true
          record("success")
        }
        return Effect.onExit(restore(call(begun)), (exit) =>
          Effect.sync(() => {
            const outcome = outcomeOf(exit)
            if (!hasBegun || outcome === "failure") record(outcome)
          }),
        )
      }),
    )
  }

  /** An attempt, when its turn has come. */
  turn<A, R>(attempt: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.enter), () =>
        Effect.onExit(restore(attempt), () => Effect.sync(() => this.turns.release())),
      ),
    )
  }

  private get enter(): Effect.Effect<void, ProviderFailure> {
    return this.turns.take(this.turnWait, () => heldBack(`${this.provider} has too many calls at once`, this.turnWait))
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, ProviderFailure>): CallOutcome => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return "neutral"
  if (isUnhealthy(failure)) return "failure"
  // Whoever refuses a request is there. A call that had no turn never got that far.
  return failure.kind === "held-back" ? "neutral" : "success"
}

const heldBack = (description: string, retryAfter: number) =>
  new ProviderFailure({ kind: "held-back", description, retryable: false, retryAfter })
