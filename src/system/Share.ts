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

/** The places of one organization. It exists while one of them is held. */
interface Occupancy {
  held: number
  readonly heldBy: Map<string, number>
  /** The places that are waited for, oldest first. None of them fits within the limits. */
  waiting: Array<Place>
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

  /**
   * Asks for a place, which has to be left later. It is held at once where it fits within the limits, and waited for
   * otherwise. Returns undefined when too many are waited for.
   */
  ask(organization: string, key: string): Place | undefined {
    let occupancy = this.occupancies.get(organization)
    if (occupancy === undefined) {
      occupancy = { held: 0, heldBy: new Map(), waiting: [] }
      this.occupancies.set(organization, occupancy)
    }
    const place: Place = { organization, key, isHeld: false, onHeld: () => {} }
    if (this.fits(occupancy, key)) this.give(occupancy, place)
    else if (occupancy.waiting.length < this.limits.queue) occupancy.waiting.push(place)
    else return this.forget(organization, occupancy)
    return place
  }

  /** Leaves a place. One that was held goes to those that wait. */
  leave(place: Place): void {
    const occupancy = this.occupancies.get(place.organization)
    if (occupancy === undefined) return
    if (!place.isHeld) {
      occupancy.waiting = occupancy.waiting.filter((other) => other !== place)
    } else {
      place.isHeld = false
      occupancy.held--
      const left = (occupancy.heldBy.get(place.key) ?? 0) - 1
      if (left > 0) occupancy.heldBy.set(place.key, left)
      else occupancy.heldBy.delete(place.key)
      // One place has become free, so at most one place fits that did not fit before.
      const next = occupancy.waiting.find(({ key }) => this.fits(occupancy, key))
      if (next !== undefined) {
        occupancy.waiting = occupancy.waiting.filter((other) => other !== next)
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
    if (held === 0 && waiting.length === 0) this.occupancies.delete(organization)
  }
}
