import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Puts work off until the tenant's open transaction is committed; without one, it runs at once. It is for what others
 * see of a change, such as waking workers, and for statements of the system, which may not run inside the transaction.
 * Work of a transaction that is rolled back is dropped.
 */
export class AfterCommit extends Context.Service<
  AfterCommit,
  { readonly run: <R>(work: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R> }
>()("parley/storage/sql/AfterCommit") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, ({ afterCommit }) => ({ run: afterCommit })),
  )
}
