import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Unavailable } from "../domain/Errors.ts"
import type { ApiKeyId, ChatbotId, MessageId, OrganizationId } from "../domain/Ids.ts"
import { offset, type Page } from "../domain/Page.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import type { ModelCost, UsageCounts, UsageGroup, UsageRow } from "../domain/Usage.ts"
import { SystemSql } from "./sql/Database.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { withoutTimeLimit } from "./sql/TimeLimit.ts"

/** What a reply took, and who asked for it. */
export interface Spent {
  readonly apiKeyId: ApiKeyId
  readonly chatbotId: ChatbotId
  /** Of each model once. The reply is one of the model that it is stored with. */
  readonly costs: ReadonlyArray<ModelCost>
}

export interface UsageQuery {
  /** First and last day, such as `2026-11-20`. */
  readonly from: string
  readonly to: string
  readonly groups: ReadonlyArray<UsageGroup>
  /** Only of this one. */
  readonly chatbot: ChatbotId | undefined
  readonly page: Page
}

export interface UsageFound {
  readonly rows: ReadonlyArray<UsageRow>
  /** Of rows, on all pages. */
  readonly count: number
  readonly total: UsageCounts
}

const columns = {
  day: "day",
  chatbot: "chatbot_id",
  model: "model",
  provider: "provider",
  key: "api_key_id",
} as const satisfies Record<UsageGroup, string>

/**
 * The tables `usage_entries` and `usage_days`: an entry for each model of each reply, and days that entries are folded
 * into. Entries of a reply are made by the statement that stores it, see `Conversations.reply`.
 */
export class Usage extends Context.Service<
  Usage,
  {
    /** In the order of the groups: earliest day first. */
    readonly read: (query: UsageQuery) => Effect.Effect<UsageFound, Unavailable, CurrentOrganization>
    /** Counts what was taken for a reply that there is not; it has its id. */
    readonly add: (reply: MessageId, spent: Spent) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Makes days of the entries, of all organizations. What was used stays the same. */
    readonly fold: Effect.Effect<void, Unavailable>
    /** Forgets days, of all organizations, that are longer ago. */
    readonly forget: (days: number) => Effect.Effect<void, Unavailable>
  }
>()("parley/storage/Usage") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const system = yield* SystemSql

      const kinds = sql.literal("input_tokens, output_tokens, cache_read_tokens, cache_write_tokens")
      const everyColumn = sql.literal(Object.values(columns).join(", "))
      const sums = sql.literal(
        [
          ...["replies", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"].map(
            (column) => `coalesce(sum(${column}::float8), 0) as ${column}`,
          ),
          `coalesce(sum((input_tokens + output_tokens + cache_read_tokens + cache_write_tokens)::float8), 0) as total_tokens`,
        ].join(", "),
      )

      const read = Effect.fnUntraced(
        function* ({ from, to, groups, chatbot, page }: UsageQuery) {
          const organization = yield* CurrentOrganization
          const asked = sql`organization_id = ${organization} and day between ${from}::text::date and ${to}::text::date
            ${chatbot === undefined ? sql`` : sql`and chatbot_id = ${chatbot}`}`
          const columnsOf = (prefix: string) => sql.literal(groups.map((group) => prefix + columns[group]).join(", "))
          const by = columnsOf("")
          const groupsIn = (table: "usage_days" | "usage_entries") =>
            sql`select distinct ${by} from ${sql(table)} where ${asked}`
          const takenIn = (table: "usage_days" | "usage_entries") =>
            sql`select ${everyColumn}, replies::bigint, ${kinds} from ${sql(table)} where ${asked}`
          // Days and entries in one statement, so that no reply is missed, or seen twice, because it is just folded. Only
          // the groups of the page are summed up one by one: of the others it matters how many there are, and the total.
          const rows = yield* sql<Found>`
            with keys as (
              select ${by} from (
                (${groupsIn("usage_days")} order by ${by} limit ${offset(page) + page.limit}) union ${groupsIn("usage_entries")}
              ) found order by ${by} limit ${page.limit} offset ${offset(page)}
            ), page as (
              select ${by}, ${sums} from (
                select * from (${takenIn("usage_days")}) days where (${by}) in (table keys)
                union all select * from (${takenIn("usage_entries")}) entries where (${by}) in (table keys)
              ) taken group by ${by}
            ), counted as (
              select ((select count(*) from (${groupsIn("usage_days")}) days) + (
                select count(*) from (${groupsIn("usage_entries")}) e
                where not exists (select from usage_days d where ${asked} and (${columnsOf("d.")}) = (${columnsOf("e.")}))
              ))::int as rows
            )
            select page.*, to_jsonb(total) as counts, counted.rows
            from counted, (
              select ${sums} from (${takenIn("usage_days")} union all ${takenIn("usage_entries")}) taken
            ) total left join page on true order by ${by}`
          const { counts, rows: count } = yield* Effect.fromNullishOr(rows[0])
          return { rows: rows.flatMap(toRow), count, total: counts }
        },
        Effect.catchTag("NoSuchElementError", Effect.die),
        withoutSqlErrors,
      )

      const add = Effect.fnUntraced(function* (reply: MessageId, spent: Spent) {
        yield* usageEntries(sql, yield* CurrentOrganization, reply, spent)
      }, withoutSqlErrors)

      const fold = Effect.fnUntraced(
        function* () {
          const waiting = yield* system<{ id: OrganizationId }>`
          select distinct organization_id as id from usage_entries`
          yield* Effect.forEach(waiting, ({ id }) => system`select fold_usage(${id}::uuid)`, { discard: true })
        },
        withoutTimeLimit,
        withoutSqlErrors,
      )

      const forget = Effect.fnUntraced(
        function* (days: number) {
          yield* system`delete from usage_days where day < (now() at time zone 'utc')::date - ${days}::int`
        },
        withoutTimeLimit,
        withoutSqlErrors,
      )

      return { read, add, fold: fold(), forget }
    }),
  )
}

/**
 * Adds an entry for each cost. `by` is who made the reply, where there is one; `unless` is a condition under which
 * they are there already; those that another statement adds at the same moment stay as they are.
 */
export const usageEntries = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reply: MessageId,
  { apiKeyId, chatbotId, costs }: Spent,
  by?: Pick<ModelCost, "model" | "provider">,
  unless?: Statement.Fragment,
) => {
  const entries = costs.map(({ model, provider, tokens }) => {
    const { input, output, cacheRead, cacheWrite } = tokens
    const replies = model === by?.model && provider === by.provider ? 1 : 0
    return sql`(${organization}::uuid, ${reply}::uuid, ${apiKeyId}::uuid, ${chatbotId}::uuid, ${model}::text,
      ${provider}::text, ${replies}::int, ${input}::int, ${output}::int, ${cacheRead}::int, ${cacheWrite}::int)`
  })
  return sql`insert into usage_entries (organization_id, message_id, api_key_id, chatbot_id, model, provider, replies,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens)
    ${unless === undefined ? sql`values ${sql.csv(entries)}` : sql`select * from (values ${sql.csv(entries)}) e where not ${unless} on conflict do nothing`}`
}

/** A row of the page, or none where the page is empty; and what all pages come to. */
type Found = { readonly counts: UsageCounts; readonly rows: number } & (UsageRow | { readonly replies: null })

const toRow = (found: Found): ReadonlyArray<UsageRow> => {
  if (found.replies === null) return []
  const { counts: _, rows: __, ...row } = found
  return [row]
}
