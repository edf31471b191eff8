import { Context, Effect, Layer } from "effect"
import type { ApiKey, ApiKeyPatch, Scope } from "../domain/ApiKey.ts"
import type { Budget } from "../domain/Budget.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { ApiKeyId, ChatbotId, OrganizationId } from "../domain/Ids.ts"
import type { Listed, Range } from "../domain/Page.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import { SystemSql } from "./sql/Database.ts"
import { beyond, listed, type Placed, placeColumn, readLimit } from "./sql/Listing.ts"
import { transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json } from "./sql/SqlValues.ts"

const keyNotFound = new NotFound({ detail: "There is no such API key." })

interface Row {
  readonly id: ApiKeyId
  readonly organization_id: OrganizationId
  readonly chatbot_id: ChatbotId | null
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly scopes: ReadonlyArray<Scope>
  readonly budget: Budget
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

export interface NewApiKey {
  readonly id: ApiKeyId
  readonly organization_id: OrganizationId
  readonly chatbot_id: ChatbotId | null
  readonly name: string
  /** SHA-256 of the secret. */
  readonly hash: Uint8Array
  readonly prefix: string
  readonly last_four: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expires_at: Date | null
}

/** What a request needs to know of its key. */
export interface LiveKey {
  readonly id: ApiKeyId
  readonly organization_id: OrganizationId
  readonly chatbot_id: ChatbotId | null
  readonly scopes: ReadonlyArray<Scope>
  /** How long it still lives by the database's clock, in milliseconds; null: until it is revoked. */
  readonly expires_in: number | null
  readonly is_operator: boolean
  readonly budgets: { readonly organization: Budget; readonly key: Budget }
}

/**
 * The table `api_keys`, across organizations: a key says which organization a request belongs to, so nothing is known
 * before it is found.
 */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** `NotFound` when the chatbot it is bound to is not one of the organization, or there is no such organization. */
    readonly insert: (key: NewApiKey) => Effect.Effect<ApiKey, NotFound | Unavailable>
    /** Makes the key unless there is one with this hash already. */
    readonly ensure: (key: Omit<NewApiKey, "chatbot_id" | "expires_at">) => Effect.Effect<void, Unavailable>
    /** The key with this hash, unless it is revoked or expired. Notes that it was used. */
    readonly findLive: (hash: Uint8Array) => Effect.Effect<LiveKey | undefined, Unavailable>
    /** Newest first. */
    readonly list: (organization: OrganizationId, range: Range) => Effect.Effect<Listed<ApiKey>, Unavailable>
    /** Of any organization, or only of this one. Revoking again keeps the first time. */
    readonly revoke: (
      id: ApiKeyId,
      organization: OrganizationId | undefined,
    ) => Effect.Effect<ApiKey, NotFound | Unavailable>
    /**
     * Changes the row under its lock, of any organization, or only of this one. What the change leaves out stays.
     */
    readonly modify: <E>(
      id: ApiKeyId,
      organization: OrganizationId | undefined,
      change: (key: ApiKey) => Effect.Effect<ApiKeyPatch, E>,
    ) => Effect.Effect<ApiKey, E | NotFound | Unavailable>
  }
>()("parley/storage/ApiKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const columns = sql.literal(
        `id, organization_id, chatbot_id, name, prefix, last_four, scopes, budget, created_at,
         last_used_at, expires_at, revoked_at`,
      )

      const insert = Effect.fnUntraced(function* (key: NewApiKey) {
        const [row] = yield* sql<Row>`
          insert into api_keys (id, organization_id, chatbot_id, name, hash, prefix, last_four, scopes, expires_at)
          select ${key.id}::uuid, id, ${key.chatbot_id}::uuid, ${key.name}::text, ${key.hash}::bytea, ${key.prefix}::text,
            ${key.last_four}::text, ${key.scopes}::text[], ${key.expires_at}::timestamptz
          from organizations
          where id = ${key.organization_id} and deleted_at is null and (${key.chatbot_id}::uuid is null or exists (
            select from chatbots where id = ${key.chatbot_id}::uuid and organization_id = ${key.organization_id}))
          returning ${columns}`
        return row === undefined
          ? yield* new NotFound({
              detail: "There is no such organization, or it has no such chatbot.",
            })
          : toApiKey(row)
      }, withoutSqlErrors)

      const ensure = Effect.fnUntraced(function* (key: Omit<NewApiKey, "chatbot_id" | "expires_at">) {
        yield* sql`insert into api_keys ${sql.insert(key)} on conflict (hash) do nothing`
      }, withoutSqlErrors)

      const findLive = Effect.fnUntraced(function* (hash: Uint8Array) {
        // `last_used_at` is to the minute, so that a busy key does not write a row every second.
        const [row] = yield* sql<LiveKey & { readonly stale: boolean }>`
          select k.id, k.organization_id, k.chatbot_id, k.scopes, o.is_operator,
            (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in,
            jsonb_build_object('organization', o.budget, 'key', k.budget) as budgets,
            k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale
          from api_keys k join organizations o on o.id = k.organization_id and o.deleted_at is null
          where k.hash = ${hash} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`
        if (row?.stale) yield* sql`update api_keys set last_used_at = now() where id = ${row.id}`
        return row
      }, withoutSqlErrors)

      const list = Effect.fnUntraced(function* (organization: OrganizationId, range: Range) {
        const rows = yield* sql<Row & Placed>`
          select ${columns}, ${sql.literal(placeColumn)} from api_keys
          where organization_id = ${organization} ${beyond(sql, range.after, "<")}
          order by created_at desc, id desc limit ${readLimit(range)}`
        return listed(rows, range, toApiKey)
      }, withoutSqlErrors)

      const only = <E, R>(rows: Effect.Effect<ReadonlyArray<Row>, E, R>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(keyNotFound) : Effect.succeed(toApiKey(row))))

      const matching = (id: ApiKeyId, organization: OrganizationId | undefined) =>
        sql`id = ${id} ${organization === undefined ? sql`` : sql`and organization_id = ${organization}`}`

      const revoke = Effect.fnUntraced(function* (id: ApiKeyId, organization: OrganizationId | undefined) {
        return yield* only(
          sql<Row>`update api_keys set revoked_at = coalesce(revoked_at, now())
            where ${matching(id, organization)} returning ${columns}`,
        )
      }, withoutSqlErrors)

      const modify = <E>(
        id: ApiKeyId,
        organization: OrganizationId | undefined,
        change: (key: ApiKey) => Effect.Effect<ApiKeyPatch, E>,
      ) =>
        Effect.gen(function* () {
          const { budget = {} } = yield* change(
            yield* only(sql<Row>`select ${columns} from api_keys where ${matching(id, organization)} for update`),
          )
          return yield* only(
            sql<Row>`update api_keys set budget = budget || ${json(budget)} where id = ${id} returning ${columns}`,
          )
        }).pipe(transaction(sql), withoutSqlErrors)

      return { insert, ensure, findLive, list, revoke, modify }
    }),
  )
}

const orNull = (date: Date | null) => (date === null ? null : timestamp(date))

const toApiKey = (row: Row): ApiKey => ({
  ...row,
  created_at: timestamp(row.created_at),
  last_used_at: orNull(row.last_used_at),
  expires_at: orNull(row.expires_at),
  revoked_at: orNull(row.revoked_at),
})
