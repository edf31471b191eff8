import { Cause, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"

/** Runs an effect in a transaction that is rolled back. */
export const undone = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const done: Array<A> = []
    const exit = yield* Effect.exit(
      sql.withTransaction(
        Effect.andThen(
          Effect.map(effect, (value) => done.push(value)),
          Effect.fail("undo"),
        ),
      ),
    )
    const [value] = done
    return value ?? (yield* Effect.die(Exit.isFailure(exit) ? Cause.squash(exit.cause) : "not undone"))
  })
