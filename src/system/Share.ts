import { Effect, Exit, type Scope } from "effect"

export interface ShareLimits {
  /** The most places that one organization holds. */
  readonly organization: number
  /** The most places that one API key holds. */
  readonly key: number
  /** The most places that one organization waits for. */
  readonly queue: number
}

/** A place in a share, held or waited for. */
export interface Place {
  readonly organization: string
  readonly key: string
  isHeld: boolean
  /** Called when a place that is waited for becomes held. */
  onHeld: () => void
}

/** What becomes of work for which no place is free. */
export interface ShareWait<E> {
  /** The longest wait for a place, in milliseconds; infinite for no limit. */
  readonly millis: number
  /** Makes the failure of work that has waited for so long, or for which too many places are waited for already. */
  readonly refuse: () => E
}

/** The longest time that a timer of the engine can have, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The places of one organization. It exists while one of them is held. */
interface Occupancy {
  held: number
  readonly heldBy: Map<string, number>
  /** The places that are waited for, oldest first. None of them fits within the limits. */
  readonly waiting: Set<Place>
}

/** The places for one kind of work, counted by organization and API key. */
export class Share {
  private readonly limits: ShareLimits
  private readonly occupancies = new Map<string, Occupancy>()

  constructor(limits: ShareLimits) {
    this.limits = limits
  }

  /** The number of organizations of which something is remembered. */
  get size(): number {
    return this.occupancies.size
  }

  /** Runs work in a place of an organization and a key. */
  within<E>(organization: string, key: string, wait: ShareWait<E>) {
    return <A, E2, R>(work: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(this.take(organization, key, wait, restore), (place) =>
          Effect.onExit(restore(work), () => Effect.sync(() => this.leave(place))),
        ),
      )
  }

  /** Takes a place of an organization and a key until the scope closes. */
  hold<E>(organization: string, key: string, wait: ShareWait<E>): Effect.Effect<void, E, Scope.Scope> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.take(organization, key, wait, restore), (place) =>
        Effect.addFinalizer(() => Effect.sync(() => this.leave(place))),
      ),
    )
  }

  /**
   * Takes a place. Only uninterruptible effects may call this, and `restore` makes the wait interruptible, because a
   * place that is given at the moment of an interruption would otherwise be lost.
   */
  private take<E>(
    organization: string,
    key: string,
    { millis, refuse }: ShareWait<E>,
    restore: Restore,
  ): Effect.Effect<Place, E> {
    return Effect.suspend(() => {
      const place = this.ask(organization, key)
      if (place === undefined) return Effect.fail(refuse())
      if (place.isHeld) return Effect.succeed(place)
      const held = Effect.callback<void, E>((resume) => {
        // Other fibers may have run since the place was asked for.
        if (place.isHeld) return resume(Effect.void)
        // A timer, because thousands of calls may wait, and a sleeping fiber for each takes memory (measured).
        const timer = setTimeout(() => resume(Effect.fail(refuse())), Math.min(millis, LONGEST_TIMER))
        place.onHeld = () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
        return Effect.sync(() => clearTimeout(timer))
      })
      return Effect.onExit(restore(held), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.leave(place)),
      ).pipe(Effect.as(place))
    })
  }

  /**
   * Asks for a place, which has to be left later. It is held at once where it fits within the limits, and waited for
   * otherwise. Returns undefined when too many are waited for.
   */
  ask(organization: string, key: string): Place | undefined {
    let occupancy = this.occupancies.get(organization)
    if (occupancy === undefined) {
      occupancy = { held: 0, heldBy: new Map(), waiting: new Set() }
      this.occupancies.set(organization, occupancy)
    }
    const place: Place = { organization, key, isHeld: false, onHeld: () => {} }
    if (this.fits(occupancy, key)) this.give(occupancy, place)
    else if (occupancy.waiting.size < this.limits.queue) occupancy.waiting.add(place)
    else return this.forget(organization, occupancy)
    return place
  }

  /** Leaves a place. One that was held goes to those that wait. */
  leave(place: Place): void {
    const occupancy = this.occupancies.get(place.organization)
    if (occupancy === undefined) return
    if (!place.isHeld) {
      occupancy.waiting.delete(place)
    } else {
      place.isHeld = false
      occupancy.held--
      const left = (occupancy.heldBy.get(place.key) ?? 0) - 1
      if (left > 0) occupancy.heldBy.set(place.key, left)
      else occupancy.heldBy.delete(place.key)
      // One place has become free, so at most one place fits that did not fit before.
      const next = occupancy.waiting.values().find(({ key }) => this.fits(occupancy, key))
      if (next !== undefined) {
        occupancy.waiting.delete(next)
        this.give(occupancy, next)
        next.onHeld()
      }
    }
    this.forget(place.organization, occupancy)
  }

  /** The limit that keeps an organization from another place. */
  limitFor(organization: string): { readonly whose: "organization" | "API key"; readonly most: number } {
    const isFull = (this.occupancies.get(organization)?.held ?? 0) >= this.limits.organization
    return isFull
      ? { whose: "organization", most: this.limits.organization }
      : { whose: "API key", most: this.limits.key }
  }

  private fits({ held, heldBy }: Occupancy, key: string): boolean {
    return held < this.limits.organization && (heldBy.get(key) ?? 0) < this.limits.key
  }

  private give(occupancy: Occupancy, place: Place): void {
    occupancy.held++
    occupancy.heldBy.set(place.key, (occupancy.heldBy.get(place.key) ?? 0) + 1)
    place.isHeld = true
  }

  private forget(organization: string, { held, waiting }: Occupancy): undefined {
    if (held === 0 && waiting.size === 0) this.occupancies.delete(organization)
  }
}
