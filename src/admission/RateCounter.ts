import { Clock, Effect } from "effect"
import { RateLimited } from "../domain/Errors.ts"
import type { RateLimit, RateStanding } from "../domain/organizations/RateLimit.ts"
import type { RateCount } from "../storage/RateCounts.ts"
import { monotonicMillis } from "../system/Monotonic.ts"
import { RecentMap } from "../system/RecentMap.ts"

/** The slots of a window. More of them forget units closer to the end of the window. */
const WINDOW_SLOTS = 50
/** The slots that are counted: with the one in which a window begins, so that no window holds more than was granted. */
export const COUNTED_SLOTS = WINDOW_SLOTS + 1
/** The share of a quota that a server grants before it has told the others. */
const UNTOLD_SHARE = 0.02
/** The most owners of one limit that are remembered; one takes at most about half a kilobyte. */
const OWNERS_MAX = 20_000

const sumOf = (units: ReadonlyArray<number>): number => units.reduce((sum, one) => sum + one, 0)

/** Counts the units that one owner has taken of a limit within the window of time that ends now. */
export class RateCounter {
  /** Names the owner, and ends with a space and the length of a slot in milliseconds. */
  readonly id: string
  readonly limit: RateLimit
  /** Counted units that other servers do not know of; below 0, units that only they count. */
  untold = 0
  /** Units beyond the limit that all servers together had counted at the last exchange, and that were not taken back. */
  excess = 0
  readonly untoldMax: number
  private readonly who: string
  private readonly slotMillis: number
  /** The units of each slot, the newest first. */
  private units = [0]
  private used = 0
  /** When the newest slot began. */
  private began = 0
  private now = 0

  constructor(owner: string, who: string, limit: RateLimit) {
    this.slotMillis = (limit.seconds * 1_000) / WINDOW_SLOTS
    this.id = `${owner} ${this.slotMillis}`
    this.limit = limit
    this.untoldMax = Math.floor(limit.quota * UNTOLD_SHARE)
    this.who = who
  }

  /** The units that are left; below 0 where more than all were counted. */
  get free(): number {
    return this.limit.quota - this.used
  }

  /** Forgets the units that have left the window by now, in monotonic milliseconds. */
  advance(now: number): this {
    this.now = now
    const passed = Math.floor((now - this.began) / this.slotMillis)
    if (passed <= 0) return this
    this.began += passed * this.slotMillis
    this.replace([...Array.from({ length: Math.min(passed, COUNTED_SLOTS) }, () => 0), ...this.units])
    return this
  }

  /** Counts units, however many are left. */
  add(units: number): void {
    this.units[0] = (this.units[0] ?? 0) + units
    this.used += units
  }

  /** Takes units, at most all of the limit, and returns the refusal if fewer are left. */
  take(units: number): RateLimited | undefined {
    const cost = Math.min(units, this.limit.quota)
    const refusal = this.refusal(cost)
    if (refusal === undefined) this.add(cost)
    return refusal
  }

  /** Takes over what all servers have counted, after they were told of some units; undefined if they were not. */
  settle(units: number, counted: RateCount | undefined, now: number): void {
    this.advance(now).untold -= units
    this.excess = 0
    if (counted === undefined) return
    this.began = now - counted.age
    // Units that were taken back in a later slot would be free once more when they have left the window.
    let left = this.untold
    this.replace(
      counted.counts.map((count) => {
        const rest = count + left
        left = Math.min(0, rest)
        return rest - left
      }),
    )
    this.excess = -this.free - this.untold
  }

  private replace(units: ReadonlyArray<number>): void {
    this.units = units.slice(0, COUNTED_SLOTS)
    this.used = sumOf(this.units)
  }

  /** Returns why a request of this cost is refused; undefined when so many units are left. */
  refusal(cost: number): RateLimited | undefined {
    if (this.free >= cost) return undefined
    const { quota, seconds } = this.limit
    const requests = quota === 1 ? "1 request" : `${quota} requests`
    const time = seconds === 1 ? "1 second" : `${seconds} seconds`
    const counted = cost === 1 ? "" : ` This one counts as ${cost}.`
    return new RateLimited({
      detail: `${this.who} may send ${requests} in ${time}.${counted}`,
      retry_after_seconds: this.secondsUntil(cost),
    })
  }

  /** Returns the standing of the limit, which responses call by this name. */
  standing(name: RateStanding["name"]): RateStanding {
    const remaining = Math.max(0, this.free)
    const resetSeconds = Math.min(this.limit.seconds, this.secondsUntil(remaining + 1))
    return { name, limit: this.limit, remaining, resetSeconds }
  }

  /** The seconds until so many units are left, at least 1. */
  private secondsUntil(units: number): number {
    let [age, free] = [COUNTED_SLOTS, this.free]
    while (age > 0 && free < units) free += this.units[--age] ?? 0
    const end = this.began + (COUNTED_SLOTS - age) * this.slotMillis
    return Math.max(1, Math.ceil((end - this.now) / 1_000))
  }
}

/**
 * Makes a limit: the counter, as of now, of each of many owners. This process counts for itself.
 *
 * @param who names an owner at the beginning of a refusal
 */
export const rateCounters = (who: string, limit: RateLimit, ownersMax = OWNERS_MAX) =>
  Effect.map(Clock.Clock, (clock) => {
    const counters = new RecentMap<RateCounter>(ownersMax)
    return (owner: string): RateCounter =>
      counters.get(owner, () => new RateCounter(owner, who, limit)).advance(monotonicMillis(clock))
  })
