import { isUnlimitedRate, type RateLimit, type RateStanding } from "../../domain/rates/RateLimit.ts"
import { SlidingWindow, WINDOW_SLOTS } from "../../domain/rates/SlidingWindow.ts"
import type { RateCount, RateReport } from "../../storage/RateCounts.ts"

/**
 * The share of a quota that one server may grant before it has told the others. Two servers grant at most 4 % more than
 * the limit, if all of it is asked of both at the same moment.
 */
const UNREPORTED_SHARE = 0.02

/** The length of a slot of a limit's window in milliseconds. */
export const slotMillisOf = ({ seconds }: RateLimit): number => (seconds * 1_000) / WINDOW_SLOTS

/**
 * The units that one owner has taken of a limit, as this server knows them. Where servers share the limit, the window
 * is a copy of the common one as of the last report.
 */
export class RateCounter {
  readonly id: string
  readonly limit: RateLimit
  readonly slotMillis: number
  readonly window = new SlidingWindow()
  /** Units that are counted in the common window and not granted yet; below 0, granted and not counted there yet. */
  prepaid = 0
  /** Units that waiting requests need beyond that. */
  wanted = 0
  readonly #unreportedMax: number
  #prepaidIn = 0

  constructor(owner: string, limit: RateLimit) {
    this.slotMillis = slotMillisOf(limit)
    this.id = `${owner} ${this.slotMillis}`
    this.limit = limit
    this.#unreportedMax = Math.floor(limit.quota * UNREPORTED_SHARE)
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

  /** Whether the server may grant this many of the units that are left without asking the others. */
  mayGrantAlone(units: number): boolean {
    return this.prepaid - units >= -this.#unreportedMax || this.prepaid >= units
  }

  /** The seconds until this many units are left, at least 1. */
  secondsUntil(units: number, now: number): number {
    const slot = this.window.slotWithAtMost(this.limit.quota - units + this.prepaid)
    return Math.max(1, Math.ceil((slot * this.slotMillis - now) / 1_000))
  }

  standing(now: number): RateStanding {
    if (isUnlimitedRate(this.limit)) return { limit: this.limit, remaining: Number.POSITIVE_INFINITY, resetSeconds: 1 }
    const remaining = Math.max(0, this.free)
    const resetSeconds = Math.min(this.limit.seconds, this.secondsUntil(remaining + 1, now))
    return { limit: this.limit, remaining, resetSeconds }
  }

  /** What to report to the other servers. What waiting requests need is asked for once. */
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
