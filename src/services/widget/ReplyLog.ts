import { Effect } from "effect"
import type { WidgetEvent } from "../../domain/widget/Widget.ts"

/** The bytes that an event takes in memory beside its text. */
const EVENT_OVERHEAD = 64

/**
 * The events of one reply, numbered, for any number of readers, each at its own pace. An event is encoded once. Readers
 * never hold the reply back: one that is slow reads later what the log has kept.
 */
export class ReplyLog {
  /** Events as JSON, in order; the first has the number `dropped + 1`. */
  private events: Array<string> = []
  /** The callbacks of readers who wait for another event, or for the end. */
  private waiters = new Set<() => void>()
  /** The number of events at the beginning that are not kept. */
  dropped: number
  /** The bytes that the events take, roughly. */
  size = 0
  isOver = false

  /** @param dropped the number of the last event before the first of this log */
  constructor(dropped = 0) {
    this.dropped = dropped
  }

  /** The number of the latest event. */
  get last(): number {
    return this.dropped + this.events.length
  }

  get isEmpty(): boolean {
    return this.events.length === 0
  }

  add(event: WidgetEvent): void {
    if (this.isOver) return
    const text = JSON.stringify(event)
    this.events.push(text)
    this.size += sizeOf(text)
    this.wake()
  }

  /** Ends the log, after which no event is added. */
  end(): void {
    this.isOver = true
    this.wake()
  }

  /** Drops the older half of the events, at least one if there is any, to make room. Returns the bytes gained. */
  dropHalf(): number {
    const gone = this.events.splice(0, Math.ceil(this.events.length / 2))
    const gained = gone.reduce((sum, text) => sum + sizeOf(text), 0)
    this.dropped += gone.length
    this.size -= gained
    return gained
  }

  /** The events after the one with this number; undefined where they are not kept, or the log has never had that one. */
  after(number: number): ReadonlyArray<string> | undefined {
    return number < this.dropped || number > this.last ? undefined : this.events.slice(number - this.dropped)
  }

  /** Waits until the log has an event after this number, or is over. `onWait` receives a function that ends the wait. */
  changedAfter(number: number, onWait: (wake: () => void) => void = () => {}): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.isOver || this.last > number) return resume(Effect.void)
      const waiter = () => {
        this.waiters.delete(waiter)
        resume(Effect.void)
      }
      this.waiters.add(waiter)
      onWait(waiter)
      return Effect.sync(() => this.waiters.delete(waiter))
    })
  }

  private wake(): void {
    for (const waiter of Array.from(this.waiters)) waiter()
  }
}

const sizeOf = (text: string): number => 2 * text.length + EVENT_OVERHEAD
