import { type Duration, Effect, Schema } from "effect"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"
import { Service } from "../../domain/Service.ts"

/** A blob that a document, a chatbot or an attachment owns. */
export const OwnedBlob = Schema.Struct({
  key: Schema.String,
  /** The id of the document, chatbot or attachment. */
  owner: Schema.String,
  name: Schema.String,
  /** The length of the content, if the row has it. */
  bytes: Schema.NullOr(Schema.Finite),
})
export type OwnedBlob = typeof OwnedBlob.Type

const decodeOwned = decodeRows(OwnedBlob)
const decodeKeys = decodeRows(Schema.Struct({ key: Schema.String }))
const decodeIds = decodeRows(Schema.Struct({ id: Schema.String }))

/**
 * The owners of blobs, of all organizations: documents, queued ingestions, chatbots with an avatar, and attachments. A blob is a
 * stranger when it has no owner and its key is not in `blob_garbage` either.
 */
export class BlobOwners extends Service<BlobOwners>()("parley/storage/blobs/BlobOwners", function* () {
  const sql = yield* SystemSql

  // One statement, so that all tables are seen at one moment: a key is garbage from before its blob is written
  // until the blob has an owner.
  const strange = (keys: ReadonlyArray<string>) => sql`select key from unnest(${keys}::text[]) key
    where not exists (select from documents where blob_key = key)
      and not exists (select from ingestions where blob_key = key)
      and not exists (select from chatbots where avatar_blob = key)
      and not exists (select from attachments where blob_key = key)
      and not exists (select from blob_garbage g where g.key = key.key)`

  return {
    /** Lists the blobs of documents, avatars and attachments, ordered by key, from the first key after `after`. */
    owned: Effect.fnUntraced(function* (after: string | undefined, limit: number) {
      return yield* decodeOwned(sql`
        (select blob_key as key, id::text as owner, name, size_bytes::float8 as bytes from documents where blob_key > ${after ?? ""}
          order by blob_key limit ${limit})
        union all
        (select avatar_blob, id::text, name, null from chatbots where avatar_blob > ${after ?? ""}
          order by avatar_blob limit ${limit})
        union all
        (select blob_key, id::text, name, size::float8 from attachments where blob_key > ${after ?? ""}
          order by blob_key limit ${limit})
        order by key limit ${limit}`)
    }, withoutSqlErrors),

    strangers: Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      const rows = yield* decodeKeys(strange(keys))
      return rows.map(({ key }) => key)
    }, withoutSqlErrors),

    /** Makes the strangers among these keys garbage, so that their blobs are deleted. */
    discardStrangers: Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      yield* sql`insert into blob_garbage (key, due_at) select key, now() from (${strange(keys)}) strangers
        on conflict do nothing`
    }, withoutSqlErrors),

    /**
     * Returns true when no process has begun to compare the blob store with this database for as long as `gap`. The
     * caller then counts as having begun.
     */
    beginCheck: Effect.fnUntraced(function* (gap: Duration.Duration) {
      const rows = yield* sql`insert into blob_checks default values on conflict (is_only) do update
        set began_at = now()
        where blob_checks.began_at <= now() - ${interval(gap)}
        returning is_only`
      return rows.length > 0
    }, withoutSqlErrors),

    /**
     * The id of this database: that of its restoration, if it was restored from a backup, and otherwise that of the
     * operator's organization; undefined before there is one.
     */
    database: decodeIds(
      sql`select coalesce((select id from restorations), id) as id from organizations where is_operator`,
    ).pipe(
      Effect.map(([row]) => row?.id),
      withoutSqlErrors,
    ),
  }
}) {}
