import { Context, type Duration, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { SystemSql } from "./sql/Database.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { interval } from "./sql/SqlValues.ts"

/** A blob that a row owns. */
export interface OwnedBlob {
  readonly key: string
  /** The id of the document or chatbot. */
  readonly owner: string
  /** As its owner is called. */
  readonly name: string
}

/** Whose the blobs are, of all organizations. */
export class BlobOwners extends Context.Service<
  BlobOwners,
  {
    /** The blobs that documents and avatars are made of, by key, from the first after `after`. */
    readonly owned: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<OwnedBlob>, Unavailable>
    /** Of these keys, those that nobody owns and that are not on the register of garbage either. */
    readonly strangers: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Puts those of these keys that are strangers on the register: their blobs are to be deleted. */
    readonly condemn: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Whether nobody has begun to compare the store with this database for so long; then the caller has, now. */
    readonly beginCheck: (gap: Duration.Duration) => Effect.Effect<boolean, Unavailable>
    /** Tells this database from others: the id of the operator's organization; undefined before there is one. */
    readonly database: Effect.Effect<OrganizationId | undefined, Unavailable>
  }
>()("parley/storage/BlobOwners") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const owned = Effect.fnUntraced(function* (after: string | undefined, limit: number) {
        return yield* sql<OwnedBlob>`
          (select blob_key as key, id::text as owner, name from documents where blob_key > ${after ?? ""}
            order by blob_key limit ${limit})
          union all
          (select avatar_blob, id::text, name from chatbots where avatar_blob > ${after ?? ""}
            order by avatar_blob limit ${limit})
          order by key limit ${limit}`
      }, withoutSqlErrors)

      /** One statement sees one state: a key is on the register before its blob is written, until it has an owner. */
      const strange = (keys: ReadonlyArray<string>) => sql`select key from unnest(${keys}::text[]) key
        where not exists (select from documents where blob_key = key)
          and not exists (select from ingestions where blob_key = key)
          and not exists (select from chatbots where avatar_blob = key)
          and not exists (select from blob_garbage g where g.key = key.key)`

      const strangers = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
        const rows = yield* sql<{ key: string }>`${strange(keys)}`
        return rows.map(({ key }) => key)
      }, withoutSqlErrors)

      const condemn = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
        yield* sql`insert into blob_garbage (key, due_at) select key, now() from (${strange(keys)}) strangers
          on conflict do nothing`
      }, withoutSqlErrors)

      const beginCheck = Effect.fnUntraced(function* (gap: Duration.Duration) {
        const rows = yield* sql`insert into blob_checks default values on conflict (is_only) do update
          set began_at = now()
          where blob_checks.began_at <= now() - ${interval(gap)}
          returning is_only`
        return rows.length > 0
      }, withoutSqlErrors)

      const database = sql<{ id: OrganizationId }>`select id from organizations where is_operator`.pipe(
        Effect.map(([row]) => row?.id),
        withoutSqlErrors,
      )

      return { owned, strangers, condemn, beginCheck, database }
    }),
  )
}
