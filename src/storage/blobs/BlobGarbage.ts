import { type Duration, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"
import { Service } from "../../domain/Service.ts"

const decodeKeys = decodeRows(Schema.Struct({ key: Schema.String }))

/**
 * The table `blob_garbage`: the keys of blobs that have no owner, or not yet. A key is inserted before its blob is
 * written. The transaction that gives the blob an owner deletes the key, and the one that deletes the owner inserts it
 * again; triggers on the owners' tables do both. So neither a crash nor a deletion leaves a blob behind for ever.
 */
export class BlobGarbage extends Service<BlobGarbage>()("parley/storage/blobs/BlobGarbage", function* () {
  const sql = yield* SystemSql

  return {
    /**
     * Announces blobs that are about to be written. Each is garbage unless it has an owner before `grace` has passed.
     */
    announce: Effect.fnUntraced(function* (keys: ReadonlyArray<string>, grace: Duration.Duration) {
      yield* sql`insert into blob_garbage (key, due_at)
        select key, now() + ${interval(grace)}
        from unnest(${keys}::text[]) key`
    }, withoutSqlErrors),

    /** Returns keys of garbage whose blobs are due to be deleted, the longest due first; none while a backup runs. */
    due: Effect.fnUntraced(function* (limit: number) {
      const rows = yield* decodeKeys(
        sql`select key from blob_garbage
          where due_at <= now() and not exists (select from backups where holds_until > now())
          order by due_at limit ${limit}`,
      )
      return rows.map((row) => row.key)
    }, withoutSqlErrors),

    /** Puts off keys whose blobs could not be deleted: they are due again after `delay`. */
    postpone: Effect.fnUntraced(function* (keys: ReadonlyArray<string>, delay: Duration.Duration) {
      if (keys.length === 0) return
      yield* sql`update blob_garbage set due_at = now() + ${interval(delay)}
        where key = any(${keys}::text[])`
    }, withoutSqlErrors),

    /** Deletes the keys of blobs that were deleted. */
    forget: Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      if (keys.length > 0) yield* sql`delete from blob_garbage where key = any(${keys}::text[])`
    }, withoutSqlErrors),
  }
}) {}

/** A statement that makes an announced blob garbage at once, for a transaction that gives it no owner after all. */
export const discardBlob = (sql: SqlClient.SqlClient, key: string) =>
  sql`insert into blob_garbage (key, due_at) values (${key}, now())
    on conflict (key) do update set due_at = excluded.due_at`
