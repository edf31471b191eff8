import { Effect } from "effect"

/**
 * Limits how many calls run at once. The others wait in order of arrival, for a limited time, with a timer instead of
 * the sleeping fiber of `Effect.timeoutOrElse`. It stands in place of effect's `Semaphore`, which loses a permit that
 * it grants at the moment when the waiting ends.
 */
export class Turns {
  private free: number
  private readonly waiting = new Set<() => void>()

  constructor(atOnce: number) {
    this.free = atOnce
  }

  /** Takes a turn, which has to be returned with `release`. Fails with `onTimeout` after waiting so many `millis`. */
  take<E>(millis: number, onTimeout: () => E): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      if (this.free === 0) return this.wait(millis, onTimeout)
      this.free--
      return Effect.void
    })
  }

  /** Returns a turn, which goes to the call that has waited longest. */
  release(): void {
    for (const next of this.waiting) {
      this.waiting.delete(next)
      return next()
    }
    this.free++
  }

  private wait<E>(millis: number, onTimeout: () => E): Effect.Effect<void, E> {
    return Effect.callback<void, E>((resume) => {
      const enter = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      const leave = () => {
        clearTimeout(timer)
        this.waiting.delete(enter)
      }
      const timer = setTimeout(() => {
        leave()
        resume(Effect.fail(onTimeout()))
      }, millis)
      this.waiting.add(enter)
      return Effect.sync(leave)
    })
  }
}
