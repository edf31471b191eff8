import { Service } from "../../domain/Service.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"
import type { ConversationFilter } from "../../domain/chat/ConversationFilter.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import { SessionId } from "../../domain/Ids.ts"
import { type ConversationGroups, ConversationCounts, ConversationUsage } from "../../domain/organizations/Usage.ts"
import { offset, type Page, type Place } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { SESSION_COLUMNS, SessionRow, toSession } from "./Conversations.ts"
import { afterPlace, placeColumn } from "../sql/Listing.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { sqlState, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { uuids, within } from "../sql/SqlValues.ts"

/** Bounds of a scan, which ends at the first that it reaches. It looks through one conversation at least. */
export interface ScanBounds {
  readonly conversations: number
  /** The most messages of these conversations together. */
  readonly messages: number
}

/** A conversation that was looked through. */
export const Scanned = Schema.Struct({
  at: Schema.String,
  id: SessionId,
  /** The time of its latest activity. */
  updated_at: Schema.Date,
  message_count: Schema.Finite,
  /** Whether it meets those conditions of the filter that have no index: `search`, `platform` and `state`. */
  is_match: Schema.Boolean,
})
export type Scanned = typeof Scanned.Type

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

const groupColumns: Record<ConversationGroups, ReadonlyArray<string>> = {
  day: ["day"],
  chatbot: ["chatbot_id"],
  "day,chatbot": ["day", "chatbot_id"],
  language: ["language"],
  platform: ["platform"],
  page: ["page"],
  hour: ["hour"],
  topic: ["topic_id", "chatbot_id"],
}

/** The groups of which there may be many that matter little: those with the most conversations come first. */
const largestFirst: ReadonlySet<ConversationGroups> = new Set(["page", "platform", "topic"])

const counts = ["conversations", "questions", "unanswered", "rated_up", "rated_down", "resolved"]

/** Every row has the totals of all pages. There is one row without a group when the page is empty. */
const totals = { count: Schema.Int, total: ConversationCounts }
const decodeCounts = decodeRows(
  Schema.Union([
    Schema.Struct({ ...totals, ...ConversationUsage.fields }),
    Schema.Struct({ ...totals, conversations: Schema.Null }),
  ]),
)

const decodeScanned = decodeRows(Schema.Struct({ ...Scanned.fields, candidates: Schema.Finite }))
const decodeSessions = decodeRows(SessionRow)

/** The conversations of all chatbots of the current organization. */
export class ConversationLists extends Service<ConversationLists>()(
  "parley/storage/conversations/ConversationLists",
  function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /**
       * Looks through conversations after a position, the latest activity first: all that meet the indexed conditions of
       * the filter. `isComplete` says whether it has reached the last one.
       */
      scan: Effect.fnUntraced(function* (filter: ConversationFilter, after: Place | undefined, bounds: ScanBounds) {
        const organization = yield* CurrentOrganization
        const {
          assignee,
          chatbots,
          email,
          from,
          isUnanswered,
          isWaiting,
          owner,
          platform,
          rating,
          search,
          state,
          tag,
          to,
        } = filter
        const indexed = sql`
          s.organization_id = ${organization}
          ${within(sql, chatbots, "s.chatbot_id")}
          ${afterPlace(sql, after, "<", "s.updated_at, s.id")}
          ${from === undefined ? sql`` : sql`and s.updated_at >= ${from}`}
          ${to === undefined ? sql`` : sql`and s.updated_at < ${to}`}
          ${isUnanswered ? sql`and s.unanswered_replies > 0` : sql``}
          ${rating === "up" ? sql`and s.rated_up > 0` : sql``}
          ${rating === "down" ? sql`and s.rated_down > 0` : sql``}
          ${owner === undefined ? sql`` : sql`and s.owner = ${sql.literal(owner === "bot" ? "'bot'" : "'people'")}`}
          ${assignee === undefined ? sql`` : assignee === null ? sql`and s.owner = 'people' and s.assignee is null` : sql`and s.assignee = ${assignee}`}
          ${isWaiting ? sql`and s.waiting_since is not null` : sql``}
          ${tag === undefined ? sql`` : sql`and s.tags @> array[${tag}::text]`}`
        const newestFirst = sql`order by s.updated_at desc, s.id desc limit ${bounds.conversations + 1}`
        const columns = sql.literal("s.id, s.updated_at, s.platform, s.state, s.message_count, s.user_info")
        const candidates = sql`
          select ${columns} from sessions s
          where ${email === undefined ? sql`true` : sql`s.id = any(array(select sessions_with_email(${email}::text)))`} and ${indexed}
          ${newestFirst}`
        const holds = (text: string) => {
          const contains = (column: "m.content" | "s.user_info->>'email'" | "s.user_info->>'name'") =>
            sql.or(spellings(text).map((form) => sql`strpos(lower(${sql.literal(column)}), lower(${form}::text)) > 0`))
          return sql`(${contains("s.user_info->>'email'")} or ${contains("s.user_info->>'name'")} or exists (
            select from messages m where m.session_id = s.id and m.organization_id = ${organization}
              and ${contains("m.content")}
          ))`
        }
        const rows = yield* decodeScanned(sql`
          with candidates as materialized (${candidates}), counted as (
            select *, count(*) over ()::int as candidates,
              coalesce(sum(message_count) over (order by updated_at desc, id desc
                rows between unbounded preceding and 1 preceding), 0) as before
            from candidates
          )
          select s.id, s.updated_at, s.message_count, s.candidates,
            ${sql.literal(placeColumn("s.updated_at"))},
            ${platform === undefined ? sql`true` : sql`s.platform = ${platform}`}
              and ${state === undefined ? sql`true` : sql`s.state = ${state}`}
              and ${search === undefined ? sql`true` : sql`coalesce(${holds(search)}, false)`} as is_match
          from (
            select * from counted where before < ${bounds.messages}
            order by updated_at desc, id desc limit ${bounds.conversations}
          ) s
          order by s.updated_at desc, s.id desc`)
        const isComplete = rows.length === (rows[0]?.candidates ?? 0)
        return { scanned: rows.map(({ candidates: _, ...row }) => row), isComplete }
      }, withoutSqlErrors),

      /**
       * Counts the conversations whose latest activity was on these days, UTC, by groups: a page. By topic, it counts the
       * questions of these days for which something was searched, and a conversation for each of its topics.
       */
      count: Effect.fnUntraced(function* ({ from, groups, page, reach, timeZone, to }: ConversationReport) {
        const organization = yield* CurrentOrganization
        const columns = groupColumns[groups]
        const by = sql.literal(columns.join(", "))
        const order = largestFirst.has(groups) ? sql`conversations desc, ${by}` : by
        const during = (
          time: "g.created_at" | "updated_at",
        ) => sql`${sql.literal(time)} >= ${from}::text::date::timestamp at time zone 'utc'
            and ${sql.literal(time)} < (${to}::text::date + 1)::timestamp at time zone 'utc'
            ${within(sql, reach, "chatbot_id")}`
        const made: Readonly<Record<string, Statement.Fragment>> = {
          day: sql`(updated_at at time zone 'utc')::date as day`,
          page: sql`page->>'url' as page`,
          hour: sql`extract(hour from created_at at time zone ${timeZone}::text)::int as hour`,
        }
        const counted =
          groups === "topic"
            ? sql`
            select topic_id, chatbot_id, null::int[] as word, 1 as conversations, count(*) as questions,
              count(*) filter (where unanswered) as unanswered, count(*) filter (where feedback->>'rating' = 'up') as rated_up,
              count(*) filter (where feedback->>'rating' = 'down') as rated_down,
              (not bool_or(unanswered or coalesce(feedback->>'rating' = 'down', false)))::int as resolved
            from reply_grounds g join messages m on m.id = g.message_id and m.organization_id = g.organization_id
            where g.organization_id = ${organization} and question is not null and ${during("g.created_at")}
            group by topic_id, chatbot_id, session_id`
            : sql`
            select ${sql.csv(columns.map((column) => made[column] ?? sql.literal(column)))}, first_words, 1 as conversations,
              (message_count + 1) / 2 as questions, unanswered_replies as unanswered, rated_up, rated_down,
              (message_count > 1 and unanswered_replies = 0 and rated_down = 0)::int as resolved
            from sessions
            where organization_id = ${organization} and ${during("updated_at")}`
        const names = columns.flatMap((column) => nameColumns[column] ?? [])
        const sums = sql.literal(
          [
            ...counts.map((column) => `coalesce(sum(${column})::float8, 0) as ${column}`),
            "case when max(word) is not null then jsonb_build_object('median', (max(word))[1], 'p95', (max(word))[2]) end as first_word_ms",
          ].join(", "),
        )
        const [own, nothing] = [counts.join(", "), counts.map(() => "0").join(", ")]
        // The times are put in order apart from the conversations: together, all columns would be sorted with them.
        const parts =
          groups === "topic"
            ? sql`counted`
            : sql`(
            select ${by}, ${sql.literal(own)}, null::int[] as word from counted
            union all
            select ${by}, ${sql.literal(nothing)}, ${sql.literal(PERCENTILES)} from counted, unnest(first_words) word group by ${by}
          ) parts`
        const words =
          groups === "topic"
            ? sql`null`
            : sql`(select ${sql.literal(PERCENTILES)} from counted, unnest(first_words) word)`
        const found = yield* decodeCounts(sql`
          with counted as (${counted}), groups as materialized (
            select ${by}, ${sums} from ${parts} group by ${by}
          ), page as (
            select ${sql.csv(["*", ...names].map((column) => sql.literal(column)))}
            from groups order by ${order} limit ${page.limit} offset ${offset(page)}
          )
          select page.*, to_jsonb(total) as total, number.count
          from (select count(*)::int as count from groups) number, (
            select ${sums} from (
              select ${sql.literal(own)}, null::int[] as word from groups union all select ${sql.literal(nothing)}, ${words}
            ) parts
          ) total left join page on true order by ${order}`).pipe(
          Effect.catchIf(isOfUnknownZone, () => Effect.fail(unknownZone)),
        )
        const { count, total } = yield* onlyRow(found)
        const rows = found.flatMap(({ count: _, total: __, ...row }) => (row.conversations === null ? [] : [row]))
        return { rows, count, total }
      }, withoutSqlErrors),

      /** Returns the sessions with these ids, in the same order, without those that do not exist. */
      getMany: Effect.fnUntraced(function* (ids: ReadonlyArray<SessionId>) {
        const rows = yield* decodeSessions(sql`
          select ${sql.literal(SESSION_COLUMNS)}
          from unnest(${uuids(ids)}) with ordinality as wanted (wanted_id, number)
          join sessions s on s.id = wanted_id where s.organization_id = ${yield* CurrentOrganization} order by number`)
        return rows.map(toSession)
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

/** The median and the 95th percentile of times to the first word, from one sort. */
const PERCENTILES = "percentile_disc(array[0.5, 0.95]) within group (order by word)"

/**
 * The spellings of a text that are looked for in lower-cased texts. A database whose locale is `C` lower-cases the letters
 * of ASCII alone: there, others are found in lower case, in upper case, and as the first letter in upper case.
 */
const spellings = (text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  const [first = "", ...rest] = lower
  return [...new Set([lower, text.toUpperCase(), first.toUpperCase() + rest.join("")].map(asciiLower))]
}

const asciiLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
