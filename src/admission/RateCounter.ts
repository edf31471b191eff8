import { RateLimited } from "../domain/Errors.ts"
import type { RateLimit, RateStanding } from "../domain/organizations/RateLimit.ts"
import type { RateCount, RateReport } from "../storage/RateCounts.ts"
import { SlidingWindow, WINDOW_SLOTS } from "./SlidingWindow.ts"

/**
 * The share of a quota that one server may grant before it has told the others. Two servers grant at most 4 % more than
 * the limit, if all of it is asked of both at the same moment.
 */
const UNREPORTED_SHARE = 0.02

/**
 * The units that one owner has taken of a limit, as this server knows them. Where servers share the limit, the window
 * is a copy of the common one as of the last report.
 */
export class RateCounter {
  readonly id: string
  readonly limit: RateLimit
  /** The length of a slot of the window in milliseconds. */
  readonly slotMillis: number
  readonly window = new SlidingWindow()
  /** Units that are counted in the common window and not granted yet; below 0, granted and not counted there yet. */
  prepaid = 0
  /** Units that waiting requests need beyond that. */
  wanted = 0
  readonly #who: string
  readonly #unreportedMax: number
  #prepaidIn = 0

  /**
   * @param owner names the owner among all that have the limit
   * @param who names the owner at the beginning of a refusal
   */
  constructor(owner: string, who: string, limit: RateLimit) {
    this.slotMillis = (limit.seconds * 1_000) / WINDOW_SLOTS
    this.id = `${owner} ${this.slotMillis}`
    this.limit = limit
    this.#who = who
    this.#unreportedMax = Math.floor(limit.quota * UNREPORTED_SHARE)
  }

  /** The units that a request takes: never more than the whole limit, so that it can be granted. */
  costOf(units: number): number {
    return Math.min(units, this.limit.quota)
  }

  /** Forgets the units that have left the window. */
  advance(now: number): void {
    const slot = Math.floor(now / this.slotMillis)
    this.window.advance(slot)
    // Granted later, they would leave the window too early.
    if (this.prepaid > 0 && slot > this.#prepaidIn + 1) this.prepaid = 0
  }

  /** The units that are left. */
  get free(): number {
    return this.limit.quota - this.window.used + this.prepaid
  }

  /** Returns why a request of this cost is refused; undefined when so many units are left. */
  refusal(cost: number, now: number): RateLimited | undefined {
    if (this.free >= cost) return undefined
    const { quota, seconds } = this.limit
    const requests = quota === 1 ? "1 request" : `${quota} requests`
    const time = seconds === 1 ? "1 second" : `${seconds} seconds`
    const counted = cost === 1 ? "" : ` This one counts as ${cost}.`
    return new RateLimited({
      detail: `${this.#who} may send ${requests} in ${time}.${counted}`,
      retry_after_seconds: this.#secondsUntil(cost, now),
    })
  }

  /** Whether the server may grant this many of the units that are left without asking the others. */
  mayGrantAlone(cost: number): boolean {
    return this.prepaid - cost >= -this.#unreportedMax || this.prepaid >= cost
  }

  /** The seconds until this many units are left, at least 1. */
  #secondsUntil(units: number, now: number): number {
    const slot = this.window.slotWithAtMost(this.limit.quota - units + this.prepaid)
    return Math.max(1, Math.ceil((slot * this.slotMillis - now) / 1_000))
  }

  /** Returns the standing of the limit, which responses call by this name. */
  standing(name: RateStanding["name"], now: number): RateStanding {
    const remaining = Math.max(0, this.free)
    const resetSeconds = Math.min(this.limit.seconds, this.#secondsUntil(remaining + 1, now))
    return { name, limit: this.limit, remaining, resetSeconds }
  }

  /** Makes the report to the other servers. What waiting requests need is asked for once. */
  report(): RateReport {
    const want = Math.max(0, this.wanted - Math.max(0, this.prepaid))
    this.wanted = 0
    return {
      id: this.id,
      quota: this.limit.quota,
      slotMillis: this.slotMillis,
      debt: Math.max(0, -this.prepaid),
      want,
    }
  }

  /** Takes over the common window after a report. */
  settle(report: RateReport, { counts, granted, slot }: RateCount, now: number): void {
    this.window.load(slot, counts)
    this.prepaid += report.debt + granted
    this.#prepaidIn = Math.floor(now / this.slotMillis)
  }

  /** Counts the units of a report that reached nobody in the server's own copy of the window. */
  settleAlone({ debt }: RateReport, now: number): void {
    this.advance(now)
    this.window.add(debt)
    this.prepaid += debt
  }
}
