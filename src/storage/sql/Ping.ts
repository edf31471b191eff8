import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { SystemSql } from "./Database.ts"
import { withoutSqlErrors } from "./SqlErrors.ts"

/** Makes one round trip to the database, to learn whether it answers. */
export class Ping extends Context.Service<Ping, Effect.Effect<void, Unavailable>>()("parley/storage/sql/Ping") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(SystemSql, (sql) => withoutSqlErrors(Effect.asVoid(sql`select 1`))),
  )
}
