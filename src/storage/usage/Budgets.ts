import { type Duration, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Limits } from "../../domain/organizations/Budget.ts"
import type { ApiKeyId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Servers } from "../servers/Servers.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"

/** The place and the tokens that a chat reserves before it begins. */
export interface Reservation {
  readonly id: string
  readonly apiKeyId: ApiKeyId
  readonly tokens: number
  /** Time for which the reservation counts. It outlasts every chat, so that only that of a dead server expires. */
  readonly lease: Duration.Duration
  readonly organization: Limits
  readonly key: Limits
}

/** Part of a reservation that its release needs. */
export type MadeReservation = Pick<Reservation, "apiKeyId" | "id" | "key" | "organization">

/** The limit that keeps a chat from beginning. */
export const Refusal = Schema.Struct({
  /**
   * `concurrent_chats`: too many chats are under way. `spent`: the day's tokens are used up. `reserved`: the rest of
   * the day's tokens is reserved by chats under way.
   */
  refusal: Schema.Literals(["concurrent_chats", "spent", "reserved"]),
  /** Whether the limit is that of the organization or that of the key. */
  whose: Schema.Literals(["organization", "key"]),
  /** The time of the refusal by the database's clock. */
  at: Schema.Date,
})
export type Refusal = typeof Refusal.Type

const decodeRefusals = decodeRows(Schema.Union([Refusal, Schema.Struct({ refusal: Schema.Null })]))

/** The table `chat_reservations`: one row for each chat under way whose organization or key has a budget. */
export class Budgets extends Service<Budgets>()("parley/storage/usage/Budgets", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const servers = yield* Servers

  yield* servers.onDeath(({ ids: [first, last] }) =>
    withoutSqlErrors(system`delete from chat_reservations where id between ${first} and ${last}`),
  )

  return {
    /** Makes the id of a reservation of this server from a random one, see `Servers`. */
    idOf: servers.idOf,

    /**
     * Makes a reservation within the limits, or returns the refusal. This is atomic: several servers together cannot
     * exceed a limit.
     */
    reserve: Effect.fnUntraced(function* ({ id, apiKeyId, tokens, lease, organization, key }: Reservation) {
      const owner = yield* CurrentOrganization
      const rows = yield* decodeRefusals(sql`
        select refusal, whose, at, case when refusal = 'spent'
          then ${announced(sql, owner, apiKeyId)}::text end as announced
        from reserve_chat(
          ${id}::uuid, ${owner}::uuid, ${apiKeyId}::uuid, ${tokens}::float8::bigint,
          ${interval(lease)},
          ${orNull(organization.tokensPerDay)}::float8::bigint, ${orNull(organization.concurrentChats)}::float8::bigint,
          ${orNull(key.tokensPerDay)}::float8::bigint, ${orNull(key.concurrentChats)}::float8::bigint
        )`)
      return rows.find((row) => row.refusal !== null)
    }, withoutSqlErrors),

    /** Deletes a reservation, and announces the budgets that the chat has used up. */
    release: Effect.fnUntraced(function* ({ id, apiKeyId, organization, key }: MadeReservation) {
      const owner = yield* CurrentOrganization
      const today = sql`organization_id = ${owner} and day = (clock_timestamp() at time zone 'utc')::date
        -- Mostly nobody wants to know.
        and exists (select from webhooks where organization_id = ${owner} and active and 'budget.spent' = any(events))`
      yield* sql`
        with released as (
          delete from chat_reservations where id = ${id} and organization_id = ${owner}
        ), taken as (
          select api_key_id, input_tokens + output_tokens + cache_read_tokens + cache_write_tokens as tokens
          from usage_days where ${today}
          union all
          select api_key_id, input_tokens + output_tokens + cache_read_tokens + cache_write_tokens
          from usage_entries where ${today}
        ), spent (whose, tokens, most) as (
          select 'organization', sum(tokens), ${orNull(organization.tokensPerDay)}::float8 from taken
          union all
          select 'key', sum(tokens), ${orNull(key.tokensPerDay)}::float8 from taken where api_key_id = ${apiKeyId}
        )
        select ${announced(sql, owner, apiKeyId)}::text from spent where tokens >= most`
    }, withoutSqlErrors),

    /** Deletes the expired reservations, or all, of all organizations. */
    drop: Effect.fnUntraced(function* (which: "expired" | "all") {
      yield* system`delete from chat_reservations where ${which === "all"} or expires_at <= now()`
    }, withoutSqlErrors),
  }
}) {}

/** A value: tells webhooks that a budget is spent, once a day. `whose` is a column: `organization` or `key`. */
const announced = (sql: SqlClient.SqlClient, owner: OrganizationId, key: ApiKeyId): Statement.Fragment => {
  const subject = sql`case whose when 'key' then ${key}::uuid else ${owner}::uuid end`
  return sql`announce_event(
    ${owner}::uuid, case whose when 'key' then (select chatbot_id from api_keys where id = ${key}) end, 'budget.spent',
    ${subject}, ${subject},
    jsonb_build_object('whose', whose, 'day', (clock_timestamp() at time zone 'utc')::date)
  )`
}

const orNull = (limit: number): number | null => (limit === Number.POSITIVE_INFINITY ? null : limit)
