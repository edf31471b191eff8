import { Service } from "../../domain/Service.ts"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Citation, ToolResult } from "../../domain/chat/Chat.ts"
import { SentAttachment } from "../../domain/chat/Attachment.ts"
import { Feedback, SenderType, type Session } from "../../domain/chat/Conversation.ts"
import { Unsupported } from "../../domain/chat/Grounding.ts"
import { Conflict } from "../../domain/Errors.ts"
import { type ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { WidgetHandover, WidgetPerson } from "../../domain/widget/Widget.ts"
import { Auditing } from "../audit/Auditing.ts"
import { deleteSomeSessions, ROWS_AT_ONCE } from "../LargeDeletions.ts"
import { sessionNotFound } from "../conversations/Messages.ts"
import { afterPlace, placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, decodeRow, decodeRowOr } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText, json } from "../sql/SqlValues.ts"

/** A visitor of the chat widget of a chatbot. */
export interface VisitorName {
  readonly chatbot: ChatbotId
  readonly visitor: string
}

export const VisitorConversation = Schema.Struct({
  id: SessionId,
  /** The beginning of the visitor's first message. */
  title: Schema.String,
  message_count: Schema.Finite,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  handover: Schema.NullOr(WidgetHandover),
})
export type VisitorConversation = typeof VisitorConversation.Type

export const VisitorMessage = Schema.Struct({
  id: MessageId,
  sender_type: SenderType,
  content: Schema.String,
  attachments: Schema.NullOr(Schema.Array(SentAttachment)),
  /** Null for messages of the visitor. */
  finish_reason: Schema.NullOr(Schema.String),
  /** The provider of the model; null for messages of the visitor and of people. */
  provider: Schema.NullOr(Schema.String),
  /** The id that the widget gave the message. */
  mid: Schema.NullOr(Schema.String),
  sources: Schema.NullOr(Schema.Array(Citation)),
  unsupported: Schema.NullOr(Schema.Array(Unsupported)),
  feedback: Schema.NullOr(Feedback),
  /** The person who wrote it; null for other messages. */
  sender: Schema.NullOr(WidgetPerson),
  created_at: Schema.Date,
})
export type VisitorMessage = typeof VisitorMessage.Type

/** A stored message or reply of a chat that a visitor sends again. */
export const SentMessage = Schema.Struct({
  ...Struct.pick(VisitorMessage.fields, ["content", "finish_reason", "id", "provider", "sources", "unsupported"]),
  session_id: SessionId,
})
export type SentMessage = typeof SentMessage.Type

/** The column `handover` of the session `s`, a `WidgetHandover`. What was read is known to the millisecond. */
export const HANDOVER_COLUMN = `case when s.owner_since is not null then jsonb_build_object(
    'owner', s.owner,
    'assignee', (
      select jsonb_strip_nulls(jsonb_build_object('name', p.name, 'avatar', p.avatar))
      from people p where p.id = s.assignee and p.organization_id = s.organization_id
    ),
    'read_at', to_char(s.people_read_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'),
    'unread', (
      select count(*) from messages m
      where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'agent'
        and date_trunc('milliseconds', m.created_at) > coalesce(s.visitor_read_at, '-infinity')
    ),
    'unanswered', case when s.owner = 'bot' and s.state = 'open' then (
      select case when last.sender_type = 'user' and last.created_at < s.owner_since then last.id end from (
        select m.id, m.sender_type, m.created_at from messages m
        where m.session_id = s.id and m.organization_id = s.organization_id
        order by m.created_at desc, m.id desc limit 1
      ) last
    ) end
  ) end as handover`

export type Order = "latest first" | "oldest first"

/** The most characters of a title that are read. */
const TITLE_MAX_LENGTH = 200

const notTheLatest = new Conflict({ detail: "Only the latest reply of a conversation can be made again." })

const decodeMessages = decodeRows(Schema.Struct({ ...VisitorMessage.fields, at: Schema.String }))
const decodeListed = decodeRows(Schema.Struct({ ...VisitorConversation.fields, at: Schema.String }))
const decodeConversation = decodeRowOr(VisitorConversation, sessionNotFound)
const decodeSent = decodeRows(SentMessage)
const decodeQuestion = decodeRowOr(
  Schema.Struct({
    latest: Schema.NullOr(MessageId),
    asked: Schema.NullOr(MessageId),
    content: Schema.String,
    mid: Schema.NullOr(Schema.String),
    is_stored: Schema.Boolean,
  }),
  sessionNotFound,
)
const decodeReply = decodeRow(
  Schema.Struct({
    sources: Schema.NullOr(Schema.Array(Citation)),
    tool_results: Schema.NullOr(Schema.Array(ToolResult)),
  }),
)
const decodePassage = decodeRow(
  Schema.Struct({
    content: Schema.String,
    headings: Schema.Array(Schema.String),
    /** Whether the document has changed since the message was made. */
    has_changed: Schema.Boolean,
  }),
)

/**
 * The conversations of visitors of the chat widget, always within the current organization. Nobody but the visitor
 * reaches them here.
 */
export class VisitorConversations extends Service<VisitorConversations>()(
  "parley/storage/widget/VisitorConversations",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const auditing = yield* Auditing

    /** A condition on the session `s`: it belongs to the visitor. */
    const owned = ({ chatbot, visitor }: VisitorName) =>
      Effect.map(
        CurrentOrganization,
        (organization) =>
          sql`s.organization_id = ${organization} and s.chatbot_id = ${chatbot} and s.visitor = ${visitor}`,
      )

    const columns = sql`s.id, s.message_count, s.created_at, s.updated_at, coalesce((
          select left(m.content, ${TITLE_MAX_LENGTH}::int) from messages m
          where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'user'
          order by m.created_at, m.id limit 1
        ), '') as title, ${sql.literal(HANDOVER_COLUMN)}`

    const messages = Effect.fnUntraced(function* (
      of: VisitorName,
      conversation: SessionId,
      range: Range,
      order: Order = "latest first",
    ) {
      const [sign, direction] = order === "latest first" ? (["<", "desc"] as const) : ([">", "asc"] as const)
      const rows = yield* decodeMessages(sql`
          select m.id, m.sender_type, m.content, m.attachments, m.finish_reason, m.provider, m.metadata->>'mid' as mid, m.sources, m.unsupported, m.feedback,
            m.created_at, ${sql.literal(placeColumn("m.created_at"))}, case when m.sender_type = 'agent' then
              jsonb_strip_nulls(jsonb_build_object('name', coalesce(m.person_name, p.name, ''), 'avatar', p.avatar))
            end as sender
          from sessions s join messages m on m.session_id = s.id and m.organization_id = s.organization_id
            left join people p on p.id = m.person_id and p.organization_id = m.organization_id
          where s.id = ${conversation} and ${yield* owned(of)} ${afterPlace(sql, range.after, sign, "m.created_at, m.id")}
            and (m.sender_type <> 'bot' or coalesce((
              select n.sender_type from messages n
              where n.session_id = m.session_id and n.organization_id = m.organization_id
                and (n.created_at, n.id) > (m.created_at, m.id)
              order by n.created_at, n.id limit 1
            ), 'user') <> 'bot')
          order by m.created_at ${sql.literal(direction)}, m.id ${sql.literal(direction)} limit ${readLimit(range)}`)
      return toListed(rows, range, (row) => row)
    }, withoutSqlErrors)

    const removeSome = Effect.fnUntraced(function* (of: VisitorName) {
      const organization = yield* CurrentOrganization
      const { conversations, messages } = yield* deleteSomeSessions(sql, {
        from: sql`select s.id, 1 + s.message_count as size from sessions s where ${yield* owned(of)}
            limit ${ROWS_AT_ONCE}`,
      })
      if (conversations > 0) {
        yield* auditing.record(sql, {
          organization,
          action: "conversation.erased",
          chatbot: of.chatbot,
          after: { by: "visitor", conversations, messages },
        })
      }
      return conversations
    }, transaction(sql))

    return {
      /** Lists the conversations of a visitor, the latest activity first. */
      list: Effect.fnUntraced(function* (of: VisitorName, range: Range) {
        const rows = yield* decodeListed(sql`
          select ${columns}, ${sql.literal(placeColumn("s.updated_at"))} from sessions s
          where ${yield* owned(of)} ${afterPlace(sql, range.after, "<", "s.updated_at, s.id")}
          order by s.updated_at desc, s.id desc limit ${readLimit(range)}`)
        return toListed(rows, range, (row) => row)
      }, withoutSqlErrors),

      get: Effect.fnUntraced(function* (of: VisitorName, conversation: SessionId) {
        return yield* decodeConversation(sql`
            select ${columns} from sessions s where s.id = ${conversation} and ${yield* owned(of)}`)
      }, withoutSqlErrors),

      /**
       * Lists messages of a conversation, by default the latest first. Of several replies in a row, which were made anew one after
       * the other, only the last is listed. An unknown conversation has none.
       */
      messages,

      /** Finds those of these messages that are stored in conversations of the visitor. */
      sent: Effect.fnUntraced(function* (of: VisitorName, ids: ReadonlyArray<MessageId>) {
        return yield* decodeSent(sql`
          select m.id, m.session_id, m.content, m.finish_reason, m.provider, m.sources, m.unsupported
          from messages m join sessions s on s.id = m.session_id and s.organization_id = m.organization_id
          where m.id = any(${ids}::uuid[]) and ${yield* owned(of)}`)
      }, withoutSqlErrors),

      /**
       * Returns the latest message of the visitor in a conversation, if this is the reply to it. One that failed before
       * anything of it was stored is, when nothing is stored after that message.
       */
      question: Effect.fnUntraced(function* (of: VisitorName, conversation: SessionId, reply: MessageId) {
        const latest = (condition: string) =>
          sql.literal(`lateral (
            select m.id, m.content, m.metadata->>'mid' as mid from messages m
            where m.session_id = s.id and m.organization_id = s.organization_id and ${condition}
            order by m.created_at desc, m.id desc limit 1
          )`)
        const row = yield* decodeQuestion(sql`
          select latest.id as latest, question.id as asked, question.content, question.mid,
            exists (
              select from messages m
              where m.id = ${reply} and m.session_id = s.id and m.organization_id = s.organization_id
            ) as is_stored
          from sessions s
            left join ${latest("true")} latest on true
            left join ${latest("m.sender_type = 'user'")} question on true
          where s.id = ${conversation} and ${yield* owned(of)}`)
        const isLatest = row.is_stored ? row.latest === reply : row.latest === row.asked
        return isLatest && row.asked !== null ? row : yield* notTheLatest
      }, withoutSqlErrors),

      /** Finds a reply with what it cites; undefined when the visitor has no such reply. */
      citing: Effect.fnUntraced(function* (of: VisitorName, conversation: SessionId, reply: MessageId) {
        return yield* decodeReply(sql`
          select m.sources, m.tool_results
          from messages m join sessions s on s.id = m.session_id and s.organization_id = m.organization_id
          where m.id = ${reply} and s.id = ${conversation} and m.sender_type = 'bot' and ${yield* owned(of)}`)
      }, withoutSqlErrors),

      /** Finds the passage at the place of a source in the document as it is now; undefined where there is none. */
      passage: Effect.fnUntraced(function* (chatbot: ChatbotId, reply: MessageId, source: Citation) {
        return yield* decodePassage(sql`
          select c.content, c.headings, d.updated_at > m.created_at as has_changed
          from documents d
            join chunks c on c.document_id = d.id and c.revision = d.revision and c.organization_id = d.organization_id
            join messages m on m.id = ${reply} and m.organization_id = d.organization_id
          where d.id = ${source.document_id}::uuid and d.chatbot_id = ${chatbot}
            and d.organization_id = ${yield* CurrentOrganization} and c.ordinal = ${source.chunk}`)
      }, withoutSqlErrors),

      /** Deletes all conversations of a visitor, with their messages, and returns their number. */
      removeAll: Effect.fnUntraced(function* (of: VisitorName) {
        let total = 0
        for (let some = yield* removeSome(of); some > 0; some = yield* removeSome(of)) total += some
        return total
      }, withoutSqlErrors),

      /**
       * Gives the conversations of these visitors of a chatbot to one of them, who turned out to be all of them, and stores
       * what is known of that one with all that say something else or nothing.
       */
      handOver: Effect.fnUntraced(function* (
        chatbot: ChatbotId,
        visitors: ReadonlyArray<string>,
        visitor: string,
        known: Session["user_info"],
      ) {
        const about = json(known)
        const condition = sql`organization_id = ${yield* CurrentOrganization} and chatbot_id = ${chatbot}
          and visitor = any(${arrayText(visitors)}::text[]) and (visitor <> ${visitor} or user_info || ${about} <> user_info)`
        // Mostly there are none, and then a database that can only be read is asked for no more.
        const [any] = yield* sql`select from sessions where ${condition} limit 1`
        if (any === undefined) return
        yield* sql`update sessions set visitor = ${visitor}, user_info = user_info || ${about} where ${condition}`
      }, withoutSqlErrors),
    }
  },
) {}
