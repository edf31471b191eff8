import { Effect } from "effect"

/**
 * Lets so many in at once; the others wait for their turn, first come, first served, and not for ever. By hand, because
 * a permit of a `Semaphore` that is granted at the moment when waiting ends is lost.
 */
export class Turns {
  private free: number
  private readonly waiting = new Set<() => void>()

  constructor(atOnce: number) {
    this.free = atOnce
  }

  /** Who takes a turn gives it back with `release`. `millis` is the longest wait; interruption ends it. */
  take<E>(millis: number, onTimeout: () => E): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      if (this.free === 0) return this.wait(millis, onTimeout)
      this.free--
      return Effect.void
    })
  }

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
