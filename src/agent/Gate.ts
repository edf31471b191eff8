import { Duration, Effect, Exit } from "effect"
import { CircuitBreaker, circuitLimits, type CircuitLimits } from "./CircuitBreaker.ts"
import { isUnhealthy, ProviderFailure } from "./ProviderFailure.ts"
import { Turns } from "./Turns.ts"

export interface GateLimits extends CircuitLimits {
  /** Calls of the provider at once. */
  readonly concurrency: number
  /** How long a call waits for its turn among them. */
  readonly turnWait: Duration.Duration
}

export const gateLimits: GateLimits = {
  ...circuitLimits,
  concurrency: 4_096,
  turnWait: Duration.seconds(10),
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

  /** A call with all its attempts, unless the circuit is open. */
  guard<A, R>(call: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return this.admitted(() => call)
  }

  /**
   * The beginning of a stream with all its attempts, unless the circuit is open. Whoever began it tells with `failed`
   * when it breaks later.
   */
  guardStream<A, R>(
    begin: (failed: (failure: ProviderFailure) => void) => Effect.Effect<A, ProviderFailure, R>,
  ): Effect.Effect<A, ProviderFailure, R> {
    return this.admitted((record) => begin((failure) => record(Exit.fail(failure))))
  }

  /** An attempt, when its turn has come. */
  turn<A, R>(attempt: Effect.Effect<A, ProviderFailure, R>): Effect.Effect<A, ProviderFailure, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.enter), () =>
        Effect.onExit(restore(attempt), () => Effect.sync(() => this.turns.release())),
      ),
    )
  }

  /** Waits for a turn, which ends with `leave`. */
  get enter(): Effect.Effect<void, ProviderFailure> {
    return this.turns.take(this.turnWait, () => heldBack(`${this.provider} has too many calls at once`, this.turnWait))
  }

  leave(): void {
    this.turns.release()
  }

  private admitted<A, R>(
    call: (record: (exit: Exit.Exit<unknown, ProviderFailure>) => void) => Effect.Effect<A, ProviderFailure, R>,
  ): Effect.Effect<A, ProviderFailure, R> {
    // Not to be interrupted in between: a call that tries whether the provider is back has to say what it found.
    return Effect.uninterruptibleMask((restore) =>
      Effect.clockWith((clock) => {
        const admission = this.circuit.admit(clock.currentTimeMillisUnsafe())
        if (!admission.admitted) return Effect.fail(heldBack(`${this.provider} failed too often`, admission.retryAfter))
        const record = (exit: Exit.Exit<unknown, ProviderFailure>) =>
          this.circuit.record(admission, outcomeOf(exit), clock.currentTimeMillisUnsafe())
        return Effect.onExit(restore(call(record)), (exit) => Effect.sync(() => record(exit)))
      }),
    )
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, ProviderFailure>) => {
  if (Exit.isSuccess(exit)) return "success"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return "neutral"
  if (isUnhealthy(failure)) return "failure"
  // Whoever refuses a request is there. A call that had no turn never got that far.
  return failure.kind === "held-back" ? "neutral" : "success"
}

const heldBack = (description: string, retryAfter: number) =>
  new ProviderFailure({ kind: "held-back", description, retryable: false, retryAfter })
