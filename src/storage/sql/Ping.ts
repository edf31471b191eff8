import { Context, Effect, Layer, Schema } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { SystemSql } from "./Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "./SqlErrors.ts"

const decodeIsReadOnly = decodeRows(Schema.Struct({ isReadOnly: Schema.Boolean }))

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
      decodeIsReadOnly(sql`select current_setting('transaction_read_only')::boolean as "isReadOnly"`).pipe(
        Effect.map(([row]) => ({ isReadOnly: row?.isReadOnly === true })),
        withoutSqlErrors,
      ),
    ),
  )
}
