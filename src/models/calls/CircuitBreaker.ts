import { Duration } from "effect"

export interface CircuitLimits {
  /** The failures within `window` that open the circuit, when at least half of the calls that ended in it failed. */
  readonly failuresMax: number
  readonly window: Duration.Input
  /** The time for which the circuit stays open before one call probes the provider. */
  readonly openFor: Duration.Input
}

/** The outcome of a call. A `neutral` one says nothing about the provider, such as that of a cancelled call. */
export type CallOutcome = "success" | "failure" | "neutral"

/** The admission of a call by the circuit. */
export interface Admission {
  readonly admitted: true
  /** The number of the circuit's state that admitted the call. Its outcome does not count in a later state. */
  readonly era: number
}

interface Refusal {
  readonly admitted: false
  /** The time until a call may be admitted, in milliseconds. */
  readonly retryAfter: number
}

type State =
  | { readonly name: "closed" }
  | { readonly name: "open"; readonly until: number }
  | { readonly name: "half-open"; readonly probing: boolean }

/** The number of slices of the window, which expire one at a time. */
const SLICE_COUNT = 10
const FAILURE_SHARE_MIN = 0.5
/** The wait that is asked of a call while another one probes the provider, in milliseconds. */
const PROBE_WAIT = 1_000

interface Slice {
  readonly begin: number
  calls: number
  failures: number
}

/**
 * Keeps calls from a failing provider. After many failures the circuit opens and refuses all calls for a while; then it
 * admits one call as a probe, and all calls when that one succeeds. Callers pass the time, in milliseconds by the
 * monotonic clock.
 *
 * It stands in place of effect's `CircuitBreaker`, which counts calls and not time, so that the fifth failure of a week
 * would open it, and which cannot record that a stream has begun before its effect ends.
 */
export class CircuitBreaker {
  private state: State = { name: "closed" }
  private era = 0
  private slices: Array<Slice> = []
  private readonly limits: CircuitLimits

  constructor(limits: CircuitLimits) {
    this.limits = limits
  }

  /** Admits or refuses a call. The outcome of an admitted call has to be recorded. */
  admit(now: number): Admission | Refusal {
    if (this.state.name === "open") {
      if (now < this.state.until) return { admitted: false, retryAfter: this.state.until - now }
      this.become({ name: "half-open", probing: false })
    }
    if (this.state.name === "half-open") {
      if (this.state.probing) return { admitted: false, retryAfter: PROBE_WAIT }
      this.state = { name: "half-open", probing: true }
    }
    return { admitted: true, era: this.era }
  }

  /** Records the outcome of an admitted call. */
  record({ era }: Admission, outcome: CallOutcome, now: number): void {
    if (era !== this.era) return
    if (this.state.name === "half-open") {
      if (outcome === "success") this.become({ name: "closed" })
      else if (outcome === "failure") this.open(now)
      else this.state = { name: "half-open", probing: false }
    } else if (outcome !== "neutral") {
      this.count(outcome, now)
      if (outcome === "failure" && this.hasFailed()) this.open(now)
    }
  }

  private open(now: number): void {
    this.become({ name: "open", until: now + Duration.toMillis(this.limits.openFor) })
  }

  private become(state: State): void {
    this.state = state
    this.era++
    this.slices = []
  }

  private count(outcome: "success" | "failure", now: number): void {
    const window = Duration.toMillis(this.limits.window)
    let current = this.slices.at(-1)
    if (current === undefined || now >= current.begin + window / SLICE_COUNT) {
      current = { begin: now, calls: 0, failures: 0 }
      this.slices = [...this.slices.filter(({ begin }) => begin > now - window), current]
    }
    current.calls++
    if (outcome === "failure") current.failures++
  }

  private hasFailed(): boolean {
    const failures = this.slices.reduce((sum, slice) => sum + slice.failures, 0)
    const calls = this.slices.reduce((sum, slice) => sum + slice.calls, 0)
    return failures >= this.limits.failuresMax && failures >= FAILURE_SHARE_MIN * calls
  }
}
