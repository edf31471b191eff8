import { Context, type Duration, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Unavailable } from "../domain/Errors.ts"
import { SystemSql } from "./sql/Database.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { interval } from "./sql/SqlValues.ts"

/**
 * Keys of blobs that nobody owns, or not yet. A key is announced before its blob is written. The transaction that gives
 * it an owner takes it off again, and the transaction that drops its owner puts it back: triggers of the owners' tables
 * see to both. So no crash leaves a blob behind for ever, and no deletion forgets one.
 */
export class BlobGarbage extends Context.Service<
  BlobGarbage,
  {
    /** These blobs are about to be written; each is garbage unless somebody owns it before `grace` has passed. */
    readonly announce: (keys: ReadonlyArray<string>, grace: Duration.Duration) => Effect.Effect<void, Unavailable>
    /** Keys whose blobs are to be deleted now. */
    readonly due: (limit: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Their blobs cannot be deleted now: not due again before `delay` has passed. */
    readonly postpone: (keys: ReadonlyArray<string>, delay: Duration.Duration) => Effect.Effect<void, Unavailable>
    /** Their blobs are gone. */
    readonly forget: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("parley/storage/BlobGarbage") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const announce = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, grace: Duration.Duration) {
        yield* sql`insert into blob_garbage (key, due_at)
          select key, now() + ${interval(grace)}
          from unnest(${keys}::text[]) key`
      }, withoutSqlErrors)

      const due = Effect.fnUntraced(function* (limit: number) {
        const rows = yield* sql<{ key: string }>`
          select key from blob_garbage where due_at <= now() order by due_at limit ${limit}`
        return rows.map((row) => row.key)
      }, withoutSqlErrors)

      const forget = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
        if (keys.length > 0) yield* sql`delete from blob_garbage where key = any(${keys}::text[])`
      }, withoutSqlErrors)

      const postpone = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, delay: Duration.Duration) {
        if (keys.length === 0) return
        yield* sql`update blob_garbage set due_at = now() + ${interval(delay)}
          where key = any(${keys}::text[])`
      }, withoutSqlErrors)

      return { announce, due, postpone, forget }
    }),
  )
}

/** Within a transaction that gives an announced blob no owner after all: it is garbage from its commit on. */
export const discardBlob = (sql: SqlClient.SqlClient, key: string) =>
  sql`insert into blob_garbage (key, due_at) values (${key}, now())
    on conflict (key) do update set due_at = excluded.due_at`
