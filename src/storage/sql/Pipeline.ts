import { Effect, Exit, Scope } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"

type Connection = SqlConnection.Connection
type Opened = Exit.Exit<Connection | undefined, SqlError.SqlError>

/** When nothing has come to an end for so long, whoever joined would wait for one long statement. In milliseconds. */
const STALLED = 3
/** After so long, others who wait for a connection come first. In milliseconds. */
const OPEN_FOR = 50

/**
 * Statements of one identity that are under way in one connection, because then they reach the server in one write. One
 * of them gets the connection for all; the last gives it back. Times are in milliseconds.
 */
export class Pipeline {
  /** The connection is lent to this one. */
  readonly scope = Scope.makeUnsafe()
  readonly #most: number
  #connection: Connection | undefined
  /** Whether the next may join; never again once it is not. */
  #isOpen = true
  /** Whether somebody is getting the connection, or was told to. */
  #isOpening = true
  #isTold = false
  #openedAt = 0
  #movedAt = 0
  #inside = 1
  readonly #waiting: Array<(opened: Opened) => void> = []

  /** Whoever makes it is inside, and is to get the connection. */
  constructor(most: number) {
    this.#most = most
  }

  /** Nobody is inside, and nobody will be. */
  get isOver(): boolean {
    return this.#inside === 0
  }

  /** When the connection was got, or a statement in it came to an end last, while others are still under way. */
  get waitingSince(): number | undefined {
    return this.#inside > 0 && this.#connection !== undefined ? Math.max(this.#openedAt, this.#movedAt) : undefined
  }

  /** Enters if that is wise. Whoever is inside leaves. */
  tryJoin(now: number): boolean {
    if (!this.#isOpen || this.#inside >= this.#most) return false
    const isMoving = now - this.#movedAt < STALLED && now - this.#openedAt < OPEN_FOR
    if (this.#connection !== undefined && !isMoving) return false
    this.#inside++
    return true
  }

  /** For who has joined. Undefined: whoever was to get it has given up, and it is for this one to get it. */
  readonly connection: Effect.Effect<Connection | undefined, SqlError.SqlError> = Effect.callback((resume) => {
    if (this.#connection !== undefined) return resume(Exit.succeed(this.#connection))
    this.#waiting.push(resume)
    this.#passOn()
    return Effect.sync(() => {
      const place = this.#waiting.indexOf(resume)
      if (place >= 0) this.#waiting.splice(place, 1)
    })
  })

  /** By who goes to get the connection, */
  opening(): void {
    this.#isTold = false
  }

  /** and has got one or not. */
  opened(exit: Exit.Exit<Connection, SqlError.SqlError>, now: number): void {
    this.#isOpening = false
    if (Exit.hasInterrupts(exit)) return this.#passOn()
    this.#openedAt = this.#movedAt = now
    if (Exit.isSuccess(exit)) this.#connection = exit.value
    else this.#isOpen = false
    for (const resume of this.#waiting.splice(0)) resume(exit)
  }

  leave(exit: Exit.Exit<unknown, unknown>, now: number): Effect.Effect<void> {
    this.#movedAt = now
    if (Exit.isFailure(exit)) {
      // The connection may be gone, or who was told to get one.
      if (this.#connection !== undefined) this.#isOpen = false
      else if (this.#isTold) this.#isOpening = this.#isTold = false
      this.#passOn()
    }
    this.#inside--
    if (this.#inside > 0) return Effect.void
    this.#isOpen = false
    return Scope.close(this.scope, Exit.void)
  }

  #passOn(): void {
    if (this.#isOpening || this.#connection !== undefined) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#isOpening = this.#isTold = true
    next(Exit.succeed(undefined))
  }
}
