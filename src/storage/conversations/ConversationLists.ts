import { Service } from "../../domain/Service.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ConversationFilter } from "../../domain/chat/ConversationFilter.ts"
import { SessionId } from "../../domain/Ids.ts"
import type { Place } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { SESSION_COLUMNS, SessionRow, toSession } from "./Conversations.ts"
import { afterPlace, placeColumn } from "../sql/Listing.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
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
