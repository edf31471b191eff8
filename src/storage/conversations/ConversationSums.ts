import { Duration, Effect, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import {
  type ConversationGroups,
  ConversationCounts,
  ConversationUsage,
  Day,
} from "../../domain/organizations/Usage.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { sqlState, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, within } from "../sql/SqlValues.ts"

/** Days, groups, chatbot and page of a report on conversations. */
export interface ConversationReport {
  /** The first day, such as `2026-11-20`, and the last one. */
  readonly from: string
  readonly to: string
  readonly groups: ConversationGroups
  /** The time zone whose hours are the groups of `hour`. */
  readonly timeZone: string
  /** The chatbots whose conversations count. */
  readonly reach: Reach
  readonly page: Page
}

/** The columns of each group, and the kind of sums in `conversation_days` of which it is made. Topics have none. */
const groupings: Record<ConversationGroups, { readonly columns: ReadonlyArray<string>; readonly kind: string }> = {
  day: { columns: ["day"], kind: "platform" },
  chatbot: { columns: ["chatbot_id"], kind: "platform" },
  "day,chatbot": { columns: ["day", "chatbot_id"], kind: "platform" },
  language: { columns: ["language"], kind: "language" },
  platform: { columns: ["platform"], kind: "platform" },
  page: { columns: ["page"], kind: "page" },
  hour: { columns: ["hour"], kind: "created" },
  topic: { columns: ["topic_id", "chatbot_id"], kind: "topic" },
}

/** The groups of which there may be many that matter little: those with the most conversations come first. */
const largestFirst: ReadonlySet<ConversationGroups> = new Set(["page", "platform", "topic"])

/**
 * The time from the end of a day on which its sums are made. By then, everything is committed that was written on that day:
 * no transaction of a chat is open for as long.
 */
const FINISHED_AFTER = Duration.hours(1)

/**
 * The longest time that a report makes sums. It counts the days that are left all the same, and the next report goes on with
 * them: a connection on which nothing is sent for half a minute is closed.
 */
const FOLDING_MAX = Duration.seconds(10)

const counts = ["conversations", "questions", "unanswered", "rated_up", "rated_down", "resolved"]

/** Every row has the totals of all pages. There is one row without a group when the page is empty. */
const { first_word_ms: _, ...totalCounts } = ConversationCounts.fields
const { first_word_ms: __, ...groupFields } = ConversationUsage.fields
const words = Schema.NullOr(Schema.Uint8Array)
const totals = { count: Schema.Int, total: Schema.Struct(totalCounts), all_words: words }
const decodeCounts = decodeRows(
  Schema.Union([
    Schema.Struct({ ...totals, ...groupFields, words }),
    Schema.Struct({ ...totals, conversations: Schema.Null }),
  ]),
)
const decodeDays = decodeRows(Schema.Struct({ day: Day }))

/**
 * Reports on the conversations of the current organization. The tables `folded_days` and `conversation_days` have the sums
 * of days that are over. A report makes those that it needs and that are missing; what changes a conversation of such a
 * day deletes them, see `sql/functions/conversation_days.sql`.
 */
export class ConversationSums extends Service<ConversationSums>()(
  "parley/storage/conversations/ConversationSums",
  function* () {
    const sql = yield* SqlClient.SqlClient

    const sums = sql.literal(counts.map((column) => `coalesce(sum(${column})::float8, 0) as ${column}`).join(", "))
    const quoted = (text: string) => sql.literal(`'${text}'`)

    /** Makes the sums of days that are over and have none. A day for which that fails is counted all the same. */
    const fold = Effect.fnUntraced(function* (organization: OrganizationId, { from, to }: ConversationReport) {
      const last = sql`(now() at time zone 'utc' - ${interval(FINISHED_AFTER)})::date - 1`
      const missing = yield* decodeDays(sql`
        select day from unfolded_days(${organization}::uuid, ${from}::text::date, least(${to}::text::date, ${last})) day
        where not current_setting('transaction_read_only')::boolean`)
      const end = (yield* currentMonotonicMillis) + Duration.toMillis(FOLDING_MAX)
      for (const { day } of missing) {
        if ((yield* currentMonotonicMillis) > end) return
        yield* Effect.catch(sql`select fold_conversations(${organization}::uuid, ${day}::text::date)`, (error) =>
          Effect.logDebug(`The conversations of ${day} could not be summed up:`, error),
        )
      }
    })

    /** The sums of all days, those of today among them. `is_total` has each conversation once, whatever the kind. */
    const ofDays = (organization: OrganizationId, { from, groups, reach, timeZone, to }: ConversationReport) => {
      const { kind } = groupings[groups]
      const hour = sql`extract(hour from to_timestamp(value::bigint * 900) at time zone ${timeZone}::text)::int`
      const made =
        groups === "hour" ? sql`case kind when 'created' then ${hour} end as hour` : sql`value as ${sql(kind)}`
      return sql`
        select *, ${made} from (
          select *, kind = 'platform' as is_total from conversation_days
          where organization_id = ${organization} and kind in (${quoted(kind)}, 'platform')
            and day between ${from}::text::date and ${to}::text::date
          union all
          select live.*, true from unfolded_days(${organization}::uuid, ${from}::text::date, ${to}::text::date) day,
            count_conversations(${organization}::uuid, day, array[${quoted(kind)}]) live
        ) sums where true ${within(sql, reach, "chatbot_id")}`
    }

    /** A row for each topic of each conversation. */
    const ofTopics = (organization: OrganizationId, { from, reach, to }: ConversationReport) => sql`
      select topic_id, chatbot_id, 'topic' as kind, true as is_total, 1 as conversations, count(*) as questions,
        count(*) filter (where unanswered) as unanswered, count(*) filter (where feedback->>'rating' = 'up') as rated_up,
        count(*) filter (where feedback->>'rating' = 'down') as rated_down,
        (not bool_or(unanswered or coalesce(feedback->>'rating' = 'down', false)))::int as resolved,
        null::bytea as first_words
      from reply_grounds g join messages m on m.id = g.message_id and m.organization_id = g.organization_id
      where g.organization_id = ${organization} and question is not null
        and g.created_at >= ${from}::text::date::timestamp at time zone 'utc'
        and g.created_at < (${to}::text::date + 1)::timestamp at time zone 'utc' ${within(sql, reach, "chatbot_id")}
      group by topic_id, chatbot_id, session_id`

    return {
      /**
       * Counts the conversations whose latest activity was on these days, UTC, by groups: a page. By topic, it counts the
       * questions of these days for which something was searched, and a conversation for each of its topics.
       */
      count: Effect.fnUntraced(function* (report: ConversationReport) {
        const { groups, page } = report
        const organization = yield* CurrentOrganization
        if (groups !== "topic") yield* fold(organization, report)
        const { columns, kind } = groupings[groups]
        const by = sql.literal(columns.join(", "))
        const order = largestFirst.has(groups) ? sql`conversations desc, ${by}` : by
        const names = columns.flatMap((column) => nameColumns[column] ?? [])
        const words = sql.literal("string_agg(first_words, '')")
        const found = yield* decodeCounts(sql`
          with summed as materialized (
            select ${by}, kind = ${quoted(kind)} as is_group, ${sums}, ${words} as words,
              ${words} filter (where is_total) as total_words
            from (${(groups === "topic" ? ofTopics : ofDays)(organization, report)}) counted group by ${by}, is_group
          ), groups as (
            select ${by}, ${sql.literal(counts.join(", "))}, words from summed where is_group
          ), page as (
            select ${sql.csv(["*", ...names].map((column) => sql.literal(column)))}
            from groups order by ${order} limit ${page.limit} offset ${offset(page)}
          )
          select page.*, to_jsonb(total) as total, number.count,
            -- In one row alone: a report of a day may have some megabytes of them.
            case when row_number() over () = 1 then (select string_agg(total_words, '') from summed) end as all_words
          from (select count(*)::int as count from groups) number, (select ${sums} from groups) total
            left join page on true
          order by ${order}`).pipe(Effect.catchIf(isOfUnknownZone, () => Effect.fail(unknownZone)))
        const { count, total } = yield* onlyRow(found)
        const allWords = found.find(({ all_words }) => all_words !== null)?.all_words ?? null
        const rows = found.flatMap((row) => {
          if (row.conversations === null) return []
          const { all_words: _, count: __, total: ___, words, ...group } = row
          return [{ ...group, first_word_ms: firstWordOf(words) }]
        })
        return { rows, count, total: { ...total, first_word_ms: firstWordOf(allWords) } }
      }, withoutSqlErrors),
    }
  },
) {}

/** The names of what the ids of groups stand for. */
const nameColumns: Readonly<Record<string, string>> = {
  chatbot_id: "(select name from chatbots where id = groups.chatbot_id) as chatbot_name",
  topic_id: "(select name from topics where id = groups.topic_id) as topic_name",
}

/** Whether the database does not know a time zone: its list may be older than that of this process. */
const isOfUnknownZone = (error: unknown): boolean => SqlError.isSqlError(error) && sqlState(error) === "22023"
const unknownZone = InvalidRequest.at("query.time_zone", "Expected a time zone that the database knows")

/** Factor between the steps to which times to the first word are rounded, as in `count_conversations`. */
const STEP = 1.04
/** The bytes of a step and of its number of replies, see `conversation_days.first_words`. */
const STEP_BYTES = 6

/** The median and the 95th percentile of times to the first word: those of several rows, one after the other. */
const firstWordOf = (words: Uint8Array | null): ConversationCounts["first_word_ms"] => {
  const view = new DataView(words?.buffer ?? new ArrayBuffer(0), words?.byteOffset, words?.byteLength)
  const replies: Array<number> = []
  let total = 0
  for (let at = 0; at < view.byteLength; at += STEP_BYTES) {
    const [step, count] = [view.getInt16(at), view.getInt32(at + 2)]
    replies[step] = (replies[step] ?? 0) + count
    total += count
  }
  const percentile = (part: number): number => {
    let upto = 0
    return Math.round(STEP ** replies.findIndex((count = 0) => (upto += count) >= part * total))
  }
  return total === 0 ? null : { median: percentile(0.5), p95: percentile(0.95) }
}
