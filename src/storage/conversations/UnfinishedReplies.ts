import { Service } from "../../domain/Service.ts"
import { type Duration, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type ApiKeyId, type ChatbotId, type MessageId, type OrganizationId, SessionId } from "../../domain/Ids.ts"
import type { ModelCost } from "../../domain/organizations/Usage.ts"
import type { BotMessage } from "./ConversationWrites.ts"
import { decodeRows } from "../Rows.ts"
import { Servers } from "../servers/Servers.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, json, uuids } from "../sql/SqlValues.ts"

/** The part of a reply that exists so far. */
export interface Draft extends Omit<
  BotMessage,
  "finish_reason" | "firstWord" | "id" | "isSeen" | "unanswered" | "unsupported"
> {
  /** One cost for each model. The reply itself counts for the model that it is stored with. */
  readonly costs: ReadonlyArray<ModelCost>
}

/** Identifies a reply that is being made, and what its usage counts for. */
export interface ReplyUnderWay {
  readonly id: MessageId
  readonly organization: OrganizationId
  readonly session: SessionId
  readonly chatbotId: ChatbotId
  readonly apiKeyId: ApiKeyId
  /** Whether the user sees it as it is made. */
  readonly isSeen: boolean
}

/** A reply that is being made, with the part that exists so far. */
export interface UnfinishedReply extends ReplyUnderWay {
  readonly draft: Draft
}

/**
 * Builds the statement that deletes the contents of unfinished replies, whose conversations are deleted. What they have
 * used still counts.
 */
export const emptyDrafts = (sql: SqlClient.SqlClient, condition: Statement.Fragment) =>
  sql`update unfinished_replies set reply = reply || ${json({ content: "", tool_calls: [], tool_results: [], sources: [] })}
    where ${condition}`

const decodeIds = decodeRows(Schema.Struct({ id: SessionId }))

/** Turns at most this many unfinished replies into messages in one statement. */
const RECOVERED_AT_ONCE = 100

/**
 * The table `unfinished_replies`: the parts that exist so far of the replies being made, of all organizations. The
 * statement that stores the whole reply deletes its row, see `Conversations.reply`.
 */
export class UnfinishedReplies extends Service<UnfinishedReplies>()(
  "parley/storage/conversations/UnfinishedReplies",
  function* () {
    const sql = yield* SystemSql
    const servers = yield* Servers

    const recoverSome = (which: Statement.Fragment) =>
      Effect.map(
        sql`
          with dead as (
            delete from unfinished_replies where message_id in (
              select message_id from unfinished_replies
              where ${which}
              limit ${RECOVERED_AT_ONCE} for update skip locked
            ) returning *
          ), stored as (
            insert into messages (id, organization_id, session_id, sender_type, content, model, provider, tokens_used,
              usage, finish_reason, tool_calls, tool_results, sources, created_at)
            select message_id, organization_id, session_id, 'bot', reply->>'content', reply->>'model',
              reply->>'provider', (reply->>'tokens_used')::int, reply->'usage', 'aborted', reply->'tool_calls',
              reply->'tool_results', nullif(reply->'sources', '[]'), created_at
            from dead cross join lateral (
              -- What nobody has seen does not come after people who have taken over.
              select case s.owner when 'bot' then dead.updated_at
                else least(dead.updated_at, s.owner_since - interval '1 microsecond') end as created_at
              from sessions s
              where s.id = dead.session_id and s.organization_id = dead.organization_id
                and (s.owner = 'bot' or (reply->>'isSeen')::boolean)
            ) s
            on conflict (id) do nothing
            returning session_id, created_at
          ), said as (
            select session_id, count(*)::int as count, max(created_at) as last_at from stored group by session_id
          ), sessions_of_them as (
            update sessions set message_count = message_count + said.count,
              updated_at = greatest(updated_at, said.last_at)
            from said where sessions.id = said.session_id
          ), counted as (
            insert into usage_entries (organization_id, message_id, api_key_id, chatbot_id, model, provider, replies,
              input_tokens, output_tokens, cache_read_tokens, cache_write_tokens)
            select organization_id, message_id, api_key_id, chatbot_id, c.model, c.provider,
              (c.model = reply->>'model' and c.provider = reply->>'provider')::int, (c.tokens->>'input')::int,
              (c.tokens->>'output')::int, (c.tokens->>'cacheRead')::int, (c.tokens->>'cacheWrite')::int
            from dead, jsonb_to_recordset(reply->'costs') as c(model text, provider text, tokens jsonb)
            where not exists (select from messages m where m.id = dead.message_id)
            -- An entry that exists already must not keep the other replies from being recovered.
            on conflict do nothing
          )
          select message_id from dead`,
        (rows) => rows.length,
      )

    const recoverWhere = Effect.fnUntraced(function* (which: Statement.Fragment) {
      let count = 0
      for (let some = RECOVERED_AT_ONCE; some === RECOVERED_AT_ONCE; count += some) some = yield* recoverSome(which)
      return count
    }, withoutSqlErrors)

    yield* servers.onDeath(({ id }) => recoverWhere(sql`server_id = ${id}`))

    return {
      /**
       * Stores the parts of these replies, except where the conversation was deleted meanwhile. They expire after `lease`
       * unless their server stores them again.
       */
      store: Effect.fnUntraced(function* (replies: ReadonlyArray<UnfinishedReply>, lease: Duration.Duration) {
        const rows = replies.map(({ apiKeyId, chatbotId, draft, id, isSeen, organization, session }) => ({
          message_id: id,
          organization_id: organization,
          session_id: session,
          chatbot_id: chatbotId,
          api_key_id: apiKeyId,
          reply: { ...draft, isSeen },
        }))
        const sessions = replies.map(({ session }) => session)
        const expiry = sql`clock_timestamp() + ${interval(lease)}`
        yield* sql`
          -- The lock keeps a conversation from being deleted before the commit. One that is being deleted is left out
          -- and not waited for, or the two could wait for each other.
          with alive as (
            select id, organization_id from sessions where id = any(${sessions}::uuid[]) for key share skip locked
          )
          insert into unfinished_replies
            (message_id, organization_id, session_id, chatbot_id, api_key_id, reply, updated_at, expires_at, server_id)
          select message_id, r.organization_id, session_id, chatbot_id, api_key_id, reply, clock_timestamp(), ${expiry},
            ${servers.id ?? null}::uuid
          from jsonb_to_recordset(${json(rows)}) as r(message_id uuid, organization_id uuid, session_id uuid,
            chatbot_id uuid, api_key_id uuid, reply jsonb)
          join alive s on s.id = r.session_id and s.organization_id = r.organization_id
          on conflict (message_id) do update set
            reply = excluded.reply, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
            server_id = excluded.server_id`
      }, withoutSqlErrors),

      /** Returns those of these sessions that people have. */
      taken: Effect.fnUntraced(function* (sessions: ReadonlyArray<SessionId>) {
        const rows = yield* decodeIds(sql`
            select id from sessions where id = any(${uuids(sessions)}) and owner = 'people'`)
        return rows.map(({ id }) => id)
      }, withoutSqlErrors),

      /**
       * Turns the expired replies, or all, into messages with the finish reason `aborted`, and counts their usage.
       * Returns their number.
       */
      recover: (which: "all" | "expired") =>
        recoverWhere(which === "all" ? sql`true` : sql`expires_at < clock_timestamp()`),
    }
  },
) {}
