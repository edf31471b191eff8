import { Effect } from "effect"
import type { SqlConnection } from "effect/sql"

interface Waiter {
  readonly identity: string
  readonly isAlone: boolean
  readonly admit: () => void
}

/**
 * A physical connection, whom it acts for, and who is in it. Statements of one identity may be under way in it together,
 * because then they reach the server in one write; the identity changes only while one is in it alone, and a transaction
 * is alone all the time. Who has to wait, waits in order, so that nobody is kept out by those who share.
 */
export class Session {
  readonly connection: SqlConnection.Connection
  /** Unknown while new, while it changes, and after a change that failed. */
  identity: string | undefined
  #inside = 0
  #isAlone = false
  readonly #waiting: Array<Waiter> = []

  constructor(connection: SqlConnection.Connection) {
    this.connection = connection
  }

  /** Enters if that is possible at once. Whoever has entered leaves. */
  tryShare(identity: string): boolean {
    if (this.#waiting.length > 0 || !this.#isOpen(identity, false)) return false
    this.#take(identity, false)
    return true
  }

  /** Enters when it is possible. */
  enter(identity: string, isAlone: boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const waiter = { identity, isAlone, admit: () => resume(Effect.void) }
      this.#waiting.push(waiter)
      this.#admit()
      return Effect.sync(() => {
        const place = this.#waiting.indexOf(waiter)
        if (place >= 0) this.#waiting.splice(place, 1)
        this.#admit()
      })
    })
  }

  readonly leave: Effect.Effect<void> = Effect.sync(() => {
    this.#inside--
    if (this.#inside === 0) this.#isAlone = false
    this.#admit()
  })

  /** It acts for this one from now on, so others of the same may come in. */
  is(identity: string): void {
    this.identity = identity
    this.#admit()
  }

  #isOpen(identity: string, isAlone: boolean): boolean {
    return this.#inside === 0 || (!isAlone && !this.#isAlone && this.identity === identity)
  }

  /** From here on nobody of another identity comes in, also while this one has still to be assumed. */
  #take(identity: string, isAlone: boolean): void {
    this.#inside++
    this.#isAlone = isAlone
    if (this.identity !== identity) this.identity = undefined
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!this.#isOpen(first.identity, first.isAlone)) return
      this.#waiting.shift()
      this.#take(first.identity, first.isAlone)
      first.admit()
    }
  }
}
