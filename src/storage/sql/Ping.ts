import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { SystemSql } from "./Database.ts"
import { withoutSqlErrors } from "./SqlErrors.ts"

/**
 * Makes one round trip to the database, to learn whether it answers, and whether it can only be read: because its disk
 * is nearly full, or because it is a standby.
 */
export class Ping extends Context.Service<Ping, Effect.Effect<{ readonly isReadOnly: boolean }, Unavailable>>()(
  "parley/storage/sql/Ping",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(SystemSql, (sql) =>
      sql<{ isReadOnly: boolean }>`select current_setting('transaction_read_only')::boolean as "isReadOnly"`.pipe(
        Effect.map(([row]) => ({ isReadOnly: row?.isReadOnly === true })),
        withoutSqlErrors,
      ),
    ),
  )
}
