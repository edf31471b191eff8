import { Effect, Exit, type Scope } from "effect"
import { atClose } from "./AtClose.ts"

/** Limit of the wait for a place, and the failure beyond it. */
export interface PlaceWait<E> {
  /** The longest wait for a place, in milliseconds; infinite for no limit. */
  readonly millis: number
  /** Makes the failure of work that has waited for so long, or for which too much waits already. */
  readonly refuse: () => E
}

/** The longest time that a timer of the engine can have, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * A number of places, of which each piece of work takes one until it ends. Work beyond them waits, first come first
 * served.
 */
export class Places {
  private readonly count: number
  private readonly queueMax: number
  private readonly onIdle: () => void
  /** Gives a place to each piece of work that waits, oldest first. */
  private readonly waiting = new Set<() => void>()
  private taken = 0

  /**
   * @param queueMax the most work that waits
   * @param onIdle called whenever all places are free again
   */
  constructor(count: number, queueMax = Number.POSITIVE_INFINITY, onIdle = () => {}) {
    this.count = count
    this.queueMax = queueMax
    this.onIdle = onIdle
  }

  /** Whether work that comes now gets a place at once. */
  get isFree(): boolean {
    return this.taken < this.count
  }

  /** Runs work in a place. */
  within<E>(wait: PlaceWait<E>) {
    return <A, E2, R>(work: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(this.take(wait, restore), () => Effect.onExit(restore(work), () => this.leave)),
      )
  }

  /** Takes a place until the scope closes. */
  hold<E>(wait: PlaceWait<E>): Effect.Effect<void, E, Scope.Scope> {
    return Effect.uninterruptibleMask((restore) => Effect.flatMap(this.take(wait, restore), () => atClose(this.leave)))
  }

  /**
   * Takes a place. Only uninterruptible effects may call this, and `restore` makes the wait interruptible, because a
   * place that is given at the moment of an interruption would otherwise be lost.
   */
  private take<E>({ millis, refuse }: PlaceWait<E>, restore: Restore): Effect.Effect<void, E> {
    return Effect.suspend(() => {
      if (this.taken < this.count) {
        this.taken++
        return Effect.void
      }
      if (this.waiting.size >= this.queueMax) return Effect.fail(refuse())
      let isGiven = false
      let onGiven = () => {}
      const give = () => {
        isGiven = true
        onGiven()
      }
      this.waiting.add(give)
      const given = Effect.callback<void, E>((resume) => {
        // Other fibers may have run since this work began to wait.
        if (isGiven) return resume(Effect.void)
        // A timer, because thousands of calls may wait, and a sleeping fiber for each takes memory (measured).
        const timer = setTimeout(() => resume(Effect.fail(refuse())), Math.min(millis, LONGEST_TIMER))
        onGiven = () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
        return Effect.sync(() => clearTimeout(timer))
      })
      return Effect.onExit(restore(given), (exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        return this.waiting.delete(give) ? Effect.void : this.leave
      })
    })
  }

  /** Leaves a place to the work that has waited for the longest time. */
  private readonly leave = Effect.sync(() => {
    const [next] = this.waiting
    if (next !== undefined) {
      this.waiting.delete(next)
      next()
    } else if (--this.taken === 0) this.onIdle()
  })
}

/**
 * Makes places for each owner, such as an organization, and keeps them in memory while work is in them.
 *
 * @param queueMax the most work of an owner that waits
 */
export const placesByOwner = (count: number, queueMax?: number): ((owner: string) => Places) => {
  const busy = new Map<string, Places>()
  return (owner) => {
    const places = busy.get(owner) ?? new Places(count, queueMax, () => busy.delete(owner))
    busy.set(owner, places)
    return places
  }
}
