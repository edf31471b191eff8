import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Citation, ToolResult } from "../../domain/chat/Chat.ts"
import { SenderType } from "../../domain/chat/Conversation.ts"
import { ReplySearch } from "../../domain/chat/ReplyGround.ts"
import { type ChatbotId, DocumentId, MessageId, SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { ROWS_AT_ONCE } from "../LargeDeletions.ts"
import { SystemSql } from "../sql/Database.ts"
import { lengthy, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { integers, uuids } from "../sql/SqlValues.ts"
import { HistoryMessage } from "./Conversations.ts"
import { replyNotFound } from "./Messages.ts"

/** The most messages before a reply that are read with it, and the most characters of each. */
const HISTORY_MAX = 40
const HISTORY_TEXT_MAX = 32_000

const decodeReply = decodeRowOr(
  Schema.Struct({
    id: MessageId,
    session_id: SessionId,
    sender_type: SenderType,
    content: Schema.String,
    created_at: TimestampColumn,
    model: Schema.NullOr(Schema.String),
    provider: Schema.NullOr(Schema.String),
    sources: Schema.NullOr(Schema.Array(Citation)),
    tool_results: Schema.NullOr(Schema.Array(ToolResult)),
    question: Schema.NullOr(Schema.String),
    searches: Schema.NullOr(Schema.Array(ReplySearch)),
    server_version: Schema.NullOr(Schema.String),
    /** A `ChatbotSetup` of the version that the server had then. */
    setup: Schema.NullOr(Schema.Json),
    /** The messages before it, oldest first. */
    history: Schema.Array(HistoryMessage),
  }),
  replyNotFound,
)

const PassageNow = Schema.Struct({
  id: DocumentId,
  revision: Schema.Int,
  chunk: Schema.Int,
  content: Schema.NullOr(Schema.String),
})
/** A place in a document that is still there, with the passage that it has now; null where it has none any more. */
export type PassageNow = typeof PassageNow.Type

const decodePassages = decodeRows(PassageNow)
const decodeCounts = decodeRows(Schema.Struct({ count: Schema.Int }))

/** The replies in `messages` with what they rest on. */
export class Replies extends Service<Replies>()("parley/storage/conversations/Replies", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql

  return {
    /** Finds a message of a chatbot with what it rests on, as far as that is kept, and with the messages before it. */
    get: Effect.fnUntraced(function* (chatbot: ChatbotId, message: MessageId) {
      const organization = yield* CurrentOrganization
      return yield* decodeReply(sql`
        select m.id, m.session_id, m.sender_type, m.content, m.created_at, m.model, m.provider, m.sources, m.tool_results,
          g.question, g.searches, g.server_version, c.setup, coalesce((
            select jsonb_agg(jsonb_build_object('id', id, 'sender_type', sender_type, 'content', content, 'model', model,
              'finish_reason', finish_reason, 'mid', metadata->>'mid', 'person', person_name,
              'has_files', attachments is not null) order by created_at, id)
            from (
              select id, sender_type, left(content, ${HISTORY_TEXT_MAX}::int) as content, model, finish_reason, metadata,
                person_name, attachments, created_at
              from messages b
              where b.session_id = m.session_id and b.organization_id = ${organization}
                and (b.created_at, b.id) < (m.created_at, m.id)
              order by created_at desc, id desc limit ${HISTORY_MAX}
            ) last
          ), '[]') as history
        from messages m
          join sessions s on s.id = m.session_id and s.organization_id = ${organization} and s.chatbot_id = ${chatbot}
          left join reply_grounds g on g.message_id = m.id and g.organization_id = ${organization}
          left join chatbot_setups c on c.chatbot_id = ${chatbot} and c.setup_hash = g.setup_hash
            and c.organization_id = ${organization}
        where m.id = ${message} and m.organization_id = ${organization}`)
    }, withoutSqlErrors),

    /** Returns which of these places in documents are still there, with what stands there now. */
    passagesNow: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      places: ReadonlyArray<{ readonly document_id: DocumentId; readonly chunk: number }>,
    ) {
      const organization = yield* CurrentOrganization
      return yield* decodePassages(sql`
        select d.id, d.revision, places.chunk, c.content
        from unnest(${uuids(places.map(({ document_id }) => document_id))}, ${integers(places.map(({ chunk }) => chunk))})
            as places (document_id, chunk)
          join documents d on d.id = places.document_id and d.chatbot_id = ${chatbot} and d.organization_id = ${organization}
          left join chunks c on c.document_id = d.id and c.revision = d.revision and c.ordinal = places.chunk
            and c.organization_id = ${organization}`)
    }, withoutSqlErrors),

    /** Deletes what some replies of more than so many days ago rest on, in all organizations. Returns their number. */
    forget: Effect.fnUntraced(function* (days: number) {
      const [forgotten] = yield* decodeCounts(system`
        with forgotten as (
          update reply_grounds set searches = null, setup_hash = null, server_version = null
          where message_id in (
            select message_id from reply_grounds
            where searches is not null and created_at < now() - make_interval(days => ${days}::int)
            order by created_at limit ${ROWS_AT_ONCE} for update skip locked
          ) returning message_id
        )
        select count(*)::int as count from forgotten`)
      return forgotten?.count ?? 0
    }, lengthy),

    /** Deletes the settings of chatbots by which they have last answered more than so many days ago. */
    forgetSetups: (days: number) =>
      lengthy(system`
        delete from chatbot_setups s
        where created_at < now() - make_interval(days => ${days}::int) and not exists (
          select from reply_grounds g
          where g.organization_id = s.organization_id and g.chatbot_id = s.chatbot_id and g.setup_hash = s.setup_hash
            and g.created_at >= now() - make_interval(days => ${days}::int)
        )`),
  }
}) {}
