/** The slots into which a window is divided. More of them forget units closer to the end of the window. */
export const WINDOW_SLOTS = 50
/**
 * The slots that are counted: those of a window and the one that it begins in, so that no window of the full length,
 * wherever it begins, holds more units than were granted.
 */
export const COUNTED_SLOTS = WINDOW_SLOTS + 1

/** Counts units over a window of time that ends now. Time is given in slots, numbered from any fixed moment. */
export class SlidingWindow {
  /** The units within the window. */
  used = 0
  #newest = 0
  /** Units by the remainder of the slot's number. */
  readonly #counts = new Int32Array(COUNTED_SLOTS)

  /** Forgets the units that have left the window by the beginning of this slot. */
  advance(slot: number): void {
    const passed = Math.min(slot - this.#newest, COUNTED_SLOTS)
    for (let age = 0; age < passed; age++) this.#set(slot - age, 0)
    if (passed > 0) this.#newest = slot
  }

  /** Counts units in the newest slot. */
  add(units: number): void {
    this.#set(this.#newest, this.#at(this.#newest) + units)
  }

  /** Replaces all units. `counts` are those of the slots from the newest, `slot`, backwards. */
  load(slot: number, counts: ReadonlyArray<number>): void {
    this.#newest = slot
    this.#counts.fill(0)
    this.used = 0
    counts.forEach((count, age) => this.#set(slot - age, count))
  }

  /** Returns the number of the slot at whose beginning at most this many of the present units remain. */
  slotWithAtMost(units: number): number {
    let remaining = this.used
    for (let age = COUNTED_SLOTS - 1; age >= 0; age--) {
      if (remaining <= units) return this.#newest - age + COUNTED_SLOTS - 1
      remaining -= this.#at(this.#newest - age)
    }
    return this.#newest + COUNTED_SLOTS
  }

  #at(slot: number): number {
    return this.#counts[slot % COUNTED_SLOTS] ?? 0
  }

  #set(slot: number, count: number): void {
    this.used += count - this.#at(slot)
    this.#counts[slot % COUNTED_SLOTS] = count
  }
}
