import { Effect } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { withoutTimeLimit } from "../../src/storage/sql/TimeLimit.ts"
import { tablesWithOrganization, type Tenant } from "./FilledTenant.ts"

/*
 * Copies of all that a tenant has, made by the database in one statement for each table, for tests of how statements
 * behave among many rows. Every id of the copy with a number is the id with the number in place of its first digits, so
 * that the rows of one copy refer to each other as those of the tenant do.
 */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Columns besides ids that tell rows apart, some with their type, with what the copy with the number `n` has in them. */
const distinct: Readonly<Record<string, string>> = {
  // A connection to a server of models has a name of its own, as others need not.
  "model_connections.name": "name || '-' || n",
  "folded_days.day": "day - n",
  "conversation_days.day": "day - n",
  slug: "slug || '-' || n",
  blob_key: "blob_key || '-' || n",
  "hash bytea": "sha256(hash || convert_to(n::text, 'UTF8'))",
  "id text": "id || '-' || n",
  "token_hash bytea": "sha256(token_hash || convert_to(n::text, 'UTF8'))",
  user_info: `case when user_info ? 'email' then jsonb_build_object('email', n || (user_info->>'email')) else user_info end`,
  created_at: "created_at - n * interval '1 second'",
  updated_at: "updated_at - n * interval '1 second'",
}

/** Tables whose rows live for as long as a chat, or until they are added up a moment later: there are never many. */
const passing = new Set([
  "chat_reservations",
  "conversation_presence",
  "holding_entries",
  "unfinished_replies",
  "usage_entries",
])

/**
 * Makes copies of what a tenant has, with numbers from one, in the same organization.
 *
 * @param rows the most rows of each table that a copy has
 */
export const addClones = Effect.fnUntraced(function* (
  { organization }: { readonly organization: string },
  count: number,
  rows = 100,
) {
  const sql = yield* SystemSql
  const copy = Effect.fnUntraced(function* (table: string) {
    const columns = yield* sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' and is_identity = 'NO'`
    // A table that has one row for each organization gets rows of organizations that do not exist.
    const [alone] = yield* sql`select from pg_index where indrelid = ${table}::text::regclass and indisprimary
      and indkey::text = (select attnum::text from pg_attribute where attrelid = indrelid and attname = 'organization_id')`
    const values = columns.map(({ name, type }) =>
      type === "uuid" && (name !== "organization_id" || alone !== undefined)
        ? `(lpad(to_hex(n), 8, '0') || substr(${name}::text, 9))::uuid`
        : (distinct[`${table}.${name}`] ?? distinct[name] ?? distinct[`${name} ${type}`] ?? `"${name}"`),
    )
    yield* sql`insert into ${sql(table)} (${sql.literal(columns.map(({ name }) => `"${name}"`).join(", "))})
      select ${sql.literal(values.join(", "))}
      from (select * from ${sql(table)} where organization_id = ${organization} limit ${rows}) t, generate_series(1, ${count}::int) n`
  })
  // Triggers and references would look up each row.
  yield* sql.withTransaction(
    Effect.andThen(
      sql`set local session_replication_role = replica`,
      Effect.flatMap(tablesWithOrganization, (tables) =>
        Effect.forEach(
          tables.filter((table) => !passing.has(table)),
          copy,
          { discard: true },
        ),
      ),
    ),
  )
}, withoutTimeLimit)

/** Names the rows of the copy with a number, as the tenant names its own. */
export const cloneOf = (tenant: Tenant, number: number): Tenant => {
  function renamed<A>(value: A): A
  function renamed(value: unknown): unknown {
    if (typeof value === "string" && UUID.test(value) && value !== tenant.organization) {
      return number.toString(16).padStart(8, "0") + value.slice(8)
    }
    if (Array.isArray(value)) return value.map(renamed)
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, renamed(part)]))
  }
  return renamed(tenant)
}
