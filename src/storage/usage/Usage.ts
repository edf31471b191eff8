import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"
import { type ApiKeyId, type ChatbotId, type MessageId, OrganizationId } from "../../domain/Ids.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type ModelCost, UsageCounts, type UsageGroup, UsageRow } from "../../domain/organizations/Usage.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { lengthy, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { within } from "../sql/SqlValues.ts"

/** The tokens that a reply used, with the key and the chatbot that they count for. */
export interface ReplyUsage {
  readonly apiKeyId: ApiKeyId
  readonly chatbotId: ChatbotId
  /** One cost for each model. The reply itself counts for the model that it is stored with. */
  readonly costs: ReadonlyArray<ModelCost>
}

/** Days, groups, chatbot and page of a usage report. */
export interface UsageQuery {
  /** The first day, such as `2026-11-20`. */
  readonly from: string
  /** The last day, which the report includes. */
  readonly to: string
  readonly groups: ReadonlyArray<UsageGroup>
  /** The chatbots whose usage counts. */
  readonly reach: Reach
  readonly page: Page
}

const totals = { count: Schema.Int, total: UsageCounts }
/** Every row has the totals of all pages. There is one row, without any other column, when the page is empty. */
const decodeRead = decodeRows(
  Schema.Union([Schema.Struct({ ...totals, ...UsageRow.fields }), Schema.Struct({ ...totals, replies: Schema.Null })]),
)
const decodeIds = decodeRows(Schema.Struct({ id: OrganizationId }))

const columns = {
  day: "day",
  chatbot: "chatbot_id",
  model: "model",
  provider: "provider",
  key: "api_key_id",
} as const satisfies Record<UsageGroup, string>

/**
 * The tables `usage_entries` and `usage_days`: an entry for each model of each reply, and the sums of each day, into
 * which the SQL function `fold_usage` folds entries. The statement that stores a reply inserts
 * its entries, see `Conversations.reply`.
 */
export class Usage extends Service<Usage>()("parley/storage/usage/Usage", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql

  const kinds = sql.literal("input_tokens, output_tokens, cache_read_tokens, cache_write_tokens")
  const sums = sql.literal(
    [
      ...["replies", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"].map(
        (column) => `coalesce(sum(${column}::float8), 0) as ${column}`,
      ),
      `coalesce(sum((input_tokens + output_tokens + cache_read_tokens + cache_write_tokens)::float8), 0) as total_tokens`,
    ].join(", "),
  )

  const fold = Effect.fnUntraced(function* () {
    const waiting = yield* decodeIds(system`select distinct organization_id as id from usage_entries`)
    yield* Effect.forEach(waiting, ({ id }) => system`select fold_usage(${id}::uuid)`, { discard: true })
  }, lengthy)

  return {
    /** Reads a page of a report, whose rows are ordered by the groups; the earliest day comes first. */
    read: Effect.fnUntraced(function* ({ from, to, groups, page, reach }: UsageQuery) {
      const organization = yield* CurrentOrganization
      const condition = sql`organization_id = ${organization} and day between ${from}::text::date and ${to}::text::date
        ${within(sql, reach, "chatbot_id")}`
      const by = sql.literal(groups.map((group) => columns[group]).join(", "))
      const takenIn = (table: "usage_days" | "usage_entries") =>
        sql`select ${by}, replies::bigint, ${kinds} from ${sql(table)} where ${condition}`
      // One statement reads days and entries, so that an entry which is being folded is counted exactly once; and it
      // reads each row once, for its group, its page and the total.
      const found = yield* decodeRead(sql`
        with groups as materialized (
          select ${by}, ${sums} from (${takenIn("usage_days")} union all ${takenIn("usage_entries")}) taken group by ${by}
        ), page as (
          select * from groups order by ${by} limit ${page.limit} offset ${offset(page)}
        )
        select page.*, to_jsonb(total) as total, counted.count
        from (select count(*)::int as count from groups) counted, (select ${sums} from groups) total
          left join page on true order by ${by}`)
      const { count, total } = yield* onlyRow(found)
      const rows = found.flatMap(({ count: _, total: __, ...row }) => (row.replies === null ? [] : [row]))
      return { rows, count, total }
    }, withoutSqlErrors),

    /** Counts usage that no stored reply counts, such as that of a reply without any text, under an id of its own. */
    add: Effect.fnUntraced(function* (reply: MessageId, spent: ReplyUsage) {
      yield* usageEntries(sql, yield* CurrentOrganization, reply, spent)
    }, withoutSqlErrors),

    /** Folds the entries of all organizations into days. Reports stay the same. */
    fold: fold(),

    /** Deletes the days of all organizations that are more than this many days ago. */
    forget: Effect.fnUntraced(function* (days: number) {
      yield* system`delete from usage_days where day < (now() at time zone 'utc')::date - ${days}::int`
    }, lengthy),
  }
}) {}

/**
 * Builds a statement that inserts an entry for each cost.
 *
 * @param by the model and provider that the reply counts for; absent when there is no reply
 * @param unless a condition under which the entries exist already, so that none is inserted; with it, entries that
 *   another statement inserts at the same moment stay as they are
 */
export const usageEntries = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reply: MessageId,
  { apiKeyId, chatbotId, costs }: ReplyUsage,
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
