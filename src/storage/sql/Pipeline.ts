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
  private readonly limit: number
  private lent: Connection | undefined
  /** The scope for which the connection is lent. */
  private scope: Scope.Closeable | undefined
  private hasAbandoned = false
  /** Whether a statement may join. Once false, it stays so. */
  private isOpen = true
  /** Whether one of the statements is borrowing the connection. */
  private isBorrowing = false
  private openedAt = 0
  private movedAt = 0
  private size = 1
  private readonly waiting = new Set<(borrowed: Exit.Exit<void, SqlError.SqlError>) => void>()

  /** The statement that makes the pipeline has joined it. */
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
   * The connection, for a statement that has joined. It is borrowed by `lend`, unless another statement is doing so. When
   * that one is interrupted, the next one borrows it.
   */
  connection(
    lend: () => Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>,
    now: () => number,
  ): Effect.Effect<Connection, SqlError.SqlError> {
    return Effect.uninterruptibleMask((restore) => {
      const lent: Effect.Effect<Connection, SqlError.SqlError> = Effect.suspend(() => {
        if (this.lent !== undefined) return Effect.succeed(this.lent)
        if (this.isBorrowing) return Effect.andThen(restore(this.borrowed), lent)
        this.isBorrowing = true
        const scope = Scope.makeUnsafe()
        return Effect.onExit(restore(Scope.provide(lend(), scope)), (exit) => {
          const closed = Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)
          return Effect.map(closed, () => this.opened(exit, scope, now()))
        })
      })
      return lent
    })
  }

  /** Leaves with the exit of the statement. The last one returns the connection. */
  leave(exit: Exit.Exit<unknown, unknown>, now: number): Effect.Effect<void> {
    this.movedAt = now
    if (Exit.isFailure(exit) && this.lent !== undefined) {
      // The connection may be lost.
      this.isOpen = false
      this.hasAbandoned ||= Exit.hasInterrupts(exit)
    }
    this.size--
    if (this.size > 0) return Effect.void
    this.isOpen = false
    return this.scope === undefined ? Effect.void : Scope.close(this.scope, Exit.void)
  }

  /** Waits until no statement is borrowing the connection any more. */
  private readonly borrowed: Effect.Effect<void, SqlError.SqlError> = Effect.callback((resume) => {
    if (!this.isBorrowing) return resume(Effect.void)
    this.waiting.add(resume)
    return Effect.sync(() => this.waiting.delete(resume))
  })

  /** Records the result of borrowing the connection, and resumes the statements that wait for it. */
  private opened(exit: Exit.Exit<Connection, SqlError.SqlError>, scope: Scope.Closeable, now: number): void {
    this.isBorrowing = false
    const isInterrupted = Exit.hasInterrupts(exit)
    if (!isInterrupted) this.openedAt = this.movedAt = now
    if (Exit.isSuccess(exit)) {
      this.lent = exit.value
      this.scope = scope
    } else if (!isInterrupted) this.isOpen = false
    const waiting = Array.from(this.waiting)
    this.waiting.clear()
    for (const resume of waiting) resume(isInterrupted ? Exit.void : Exit.asVoid(exit))
  }
}
