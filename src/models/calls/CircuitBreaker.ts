import { Duration } from "effect"

export interface CircuitLimits {
  /** So many failures within the window open the circuit, when they are half of the calls that ended in it or more. */
  readonly failuresMax: number
  readonly window: Duration.Duration
  /** How long it stays open before one call tries again. */
  readonly openFor: Duration.Duration
}

/** How a call ended; `neutral` says nothing of the provider, as when its client left. */
export type CallOutcome = "success" | "failure" | "neutral"

/** A call that was let through. */
export interface Admission {
  readonly admitted: true
  /** Which state of the circuit let it through: what ends after that state did says nothing of the next one. */
  readonly era: number
}

interface Refusal {
  readonly admitted: false
  /** How long until a call may be let through, in milliseconds. */
  readonly retryAfter: number
}

type State =
  | { readonly name: "closed" }
  | { readonly name: "open"; readonly until: number }
  | { readonly name: "half-open"; readonly probing: boolean }

/** Parts of the window that are forgotten one at a time. */
const SLICE_COUNT = 10
const FAILURE_SHARE_MIN = 0.5
/** What a call is told to wait while another one tries whether the provider is back, in milliseconds. */
const PROBE_WAIT = 1_000

interface Slice {
  readonly begin: number
  calls: number
  failures: number
}

/**
 * Keeps calls from a provider that fails: after many failures it is not asked for a while, then by one call, and again by
 * all when that one succeeds. Times are in milliseconds by the monotonic clock, and come with
 * the calls.
 *
 * Not effect's `CircuitBreaker`, which counts in calls, not in time: the fifth failure of a week would open it. And the
 * end of a stream is no end of an effect that it could watch.
 */
export class CircuitBreaker {
  private state: State = { name: "closed" }
  private era = 0
  private slices: Array<Slice> = []
  private readonly limits: CircuitLimits

  constructor(limits: CircuitLimits) {
    this.limits = limits
  }

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

  record({ era }: Admission, outcome: CallOutcome, now: number): void {
    if (era !== this.era) return
    if (this.state.name === "half-open") {
      if (outcome === "success") this.become({ name: "closed" })
      else if (outcome === "failure") this.open(now)
      else this.state = { name: "half-open", probing: false }
    } else if (outcome !== "neutral") {
      this.count(outcome, now)
      if (outcome === "failure" && this.isTooMuch()) this.open(now)
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

  private isTooMuch(): boolean {
    const failures = this.slices.reduce((sum, slice) => sum + slice.failures, 0)
    const calls = this.slices.reduce((sum, slice) => sum + slice.calls, 0)
    return failures >= this.limits.failuresMax && failures >= FAILURE_SHARE_MIN * calls
  }
}
