import { Effect, Latch } from "effect"

/** The most events that wait for a slow client. It is then told to read everything anew. */
const PENDING_MAX = 500

/** An event that tells a client to read anew what it shows. */
interface Resync {
  readonly type: "resync"
}

/** The events of one client that are still to be sent. */
export class PendingEvents<Event> {
  private readonly latch = Latch.makeUnsafe(false)
  private pending: ReadonlyArray<Event | Resync> = []
  private isOver = false

  /** Adds events. */
  offer(events: ReadonlyArray<Event | Resync>): void {
    if (events.length === 0 || this.isOver) return
    this.pending =
      this.pending.length + events.length > PENDING_MAX ? [{ type: "resync" }] : [...this.pending, ...events]
    this.latch.openUnsafe()
  }

  /** Ends the events once what is pending is taken. */
  end(): void {
    this.isOver = true
    this.latch.openUnsafe()
  }

  /** Waits for events, and takes all that are pending; undefined at the end. */
  readonly take: Effect.Effect<ReadonlyArray<Event | Resync> | undefined> = Effect.suspend(() =>
    Effect.map(this.latch.await, () => {
      const taken = this.pending
      this.pending = []
      if (taken.length === 0) return undefined
      if (!this.isOver) this.latch.closeUnsafe()
      return taken
    }),
  )
}
