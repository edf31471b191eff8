import { Effect, Exit, Scope } from "effect"
import type { SqlError } from "effect/sql"

/** No statement joins when none has ended for this long, because it would wait for a long one. In milliseconds. */
const STALLED = 3
/** No statement joins after this long, so that others who wait for a connection get it. In milliseconds. */
const OPEN_FOR = 50

/**
 * Statements of one identity that are under way in one connection, so that they reach the server in one write. One of
 * them borrows the connection for all, and the last one returns it. Times are in milliseconds.
 */
export class Pipeline<Connection> {
  /** The scope for which the connection is lent. */
  readonly scope = Scope.makeUnsafe()
  private readonly limit: number
  private lent: Connection | undefined
  private hasAbandoned = false
  /** Whether a statement may join. Once false, it stays so. */
  private isOpen = true
  /** Whether one of the statements is borrowing the connection, or is about to. */
  private isOpening = true
  /** Whether a statement was chosen to borrow the connection and has not begun to. */
  private isAssigned = false
  private openedAt = 0
  private movedAt = 0
  private size = 1
  private readonly waiting: Array<(opened: Exit.Exit<Connection | undefined, SqlError.SqlError>) => void> = []

  /** The statement that makes the pipeline has joined it, and has to borrow the connection. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Whether all statements have left; none can join any more. */
  get isOver(): boolean {
    return this.size === 0
  }

  /** The lent connection if a statement was interrupted that may still run in it; undefined otherwise. */
  get abandoned(): Connection | undefined {
    return this.hasAbandoned ? this.lent : undefined
  }

  /** The time at which the connection was lent, or a statement in it ended last; undefined when none is under way. */
  get waitingSince(): number | undefined {
    return this.size > 0 && this.lent !== undefined ? Math.max(this.openedAt, this.movedAt) : undefined
  }

  /** Joins if the connection will soon be free for another statement. A statement that has joined must leave. */
  tryJoin(now: number): boolean {
    if (!this.isOpen || this.size >= this.limit) return false
    const isMoving = now - this.movedAt < STALLED && now - this.openedAt < OPEN_FOR
    if (this.lent !== undefined && !isMoving) return false
    this.size++
    return true
  }

  /**
   * Waits for the connection, for a statement that has joined. Returns undefined when the statement that was to borrow
   * it was interrupted, so that this one has to.
   */
  readonly connection: Effect.Effect<Connection | undefined, SqlError.SqlError> = Effect.callback((resume) => {
    if (this.lent !== undefined) return resume(Exit.succeed(this.lent))
    this.waiting.push(resume)
    this.passOn()
    return Effect.sync(() => {
      const place = this.waiting.indexOf(resume)
      if (place >= 0) this.waiting.splice(place, 1)
    })
  })

  /** Records that the statement which has to borrow the connection begins to. */
  opening(): void {
    this.isAssigned = false
  }

  /** Records the result of borrowing the connection, and resumes the statements that wait for it. */
  opened(exit: Exit.Exit<Connection, SqlError.SqlError>, now: number): void {
    this.isOpening = false
    if (Exit.hasInterrupts(exit)) return this.passOn()
    this.openedAt = this.movedAt = now
    if (Exit.isSuccess(exit)) this.lent = exit.value
    else this.isOpen = false
    for (const resume of this.waiting.splice(0)) resume(exit)
  }

  /** Leaves with the exit of the statement. The last one returns the connection. */
  leave(exit: Exit.Exit<unknown, unknown>, now: number): Effect.Effect<void> {
    this.movedAt = now
    if (Exit.isFailure(exit)) {
      // The connection may be lost; or the statement that was chosen to borrow one has failed.
      if (this.lent !== undefined) {
        this.isOpen = false
        this.hasAbandoned ||= Exit.hasInterrupts(exit)
      } else if (this.isAssigned) this.isOpening = this.isAssigned = false
      this.passOn()
    }
    this.size--
    if (this.size > 0) return Effect.void
    this.isOpen = false
    return Scope.close(this.scope, Exit.void)
  }

  /** Chooses the next waiting statement to borrow the connection, unless another one is doing so. */
  private passOn(): void {
    if (this.isOpening || this.lent !== undefined) return
    const next = this.waiting.shift()
    if (next === undefined) return
    this.isOpening = this.isAssigned = true
    next(Exit.succeed(undefined))
  }
}
