import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { SenderType, Session, VisitedPage } from "../../domain/chat/Conversation.ts"
import type { SessionName } from "../../domain/chat/SessionToken.ts"
import type { Explanation } from "../../domain/Failure.ts"
import { type ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import { Handover } from "../../domain/inbox/Handover.ts"
import { PersonName } from "../../domain/inbox/PersonName.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { makeAppend, makeReply, NEXT_INSTANT } from "./ConversationWrites.ts"
import { personColumns, sessionNamed, sessionNotFound } from "./Messages.ts"
import { emptyDrafts } from "./UnfinishedReplies.ts"
import { decodeRows, TimestampColumn, decodeRow, decodeRowOr } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/** A message of a session, as the history of a chat needs it. */
export const HistoryMessage = Schema.Struct({
  id: MessageId,
  sender_type: SenderType,
  content: Schema.String,
  model: Schema.NullOr(Schema.String),
  /** Null for messages of the user. */
  finish_reason: Schema.NullOr(Schema.String),
  /** The id that the client gave the message. */
  mid: Schema.NullOr(Schema.String),
  /** The name of the person who wrote it; null unless a person did. */
  person: Schema.NullOr(Schema.String),
  /** Whether files were sent with it. */
  has_files: Schema.Boolean,
})
export type HistoryMessage = typeof HistoryMessage.Type

/** A session as a chat that goes on in it needs it. */
export const OpenSession = Schema.Struct({
  id: SessionId,
  user_info: Session.fields.user_info,
  /** Whether the chatbot may still ask for the user's e-mail address. */
  may_ask_email: Schema.Boolean,
  /** The latest messages, oldest first. */
  history: Schema.Array(HistoryMessage),
})
export type OpenSession = typeof OpenSession.Type

/** Bounds of a history: the latest messages are read, as many as keep all of these. */
export interface HistoryBounds {
  readonly messages: number
  /** The most bytes of their texts together, as far as the texts are read. */
  readonly bytes: number
  /** The most characters of one text; the rest of it is not read. */
  readonly characters: number
}

export const SessionRow = Schema.Struct({
  ...Struct.omit(Session.fields, ["handover", "language", "page", "ratings", "title", "unanswered", "visitor_id"]),
  tags: Schema.Array(Schema.String),
  owner: Handover.fields.owner,
  owner_since: Schema.NullOr(TimestampColumn),
  waiting_since: Schema.NullOr(TimestampColumn),
  assignee: Schema.NullOr(PersonName),
  title: Schema.NullOr(Schema.String),
  page: Schema.NullOr(VisitedPage),
  language: Schema.NullOr(Schema.String),
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
  visitor: Schema.NullOr(Schema.String),
  unanswered_replies: Schema.Finite,
  rated_up: Schema.Finite,
  rated_down: Schema.Finite,
})
export type SessionRow = typeof SessionRow.Type

/** Characters of the first message that a title has. */
const TITLE_LENGTH = 200

/** The columns of a `SessionRow`, of the session `s`. */
export const SESSION_COLUMNS = `s.id, s.chatbot_id, s.session_token, s.platform, s.state, s.user_info, s.message_count,
  s.visitor, s.page, s.language, s.created_at, s.updated_at, s.unanswered_replies, s.rated_up, s.rated_down,
  s.tags, s.owner, s.owner_since, s.waiting_since, (
    select ${personColumns("people.id", "people.name")} from people where people.id = s.assignee
  ) as assignee, (
    select jsonb_build_object('id', m.id, 'content', m.content, 'sender_type', m.sender_type)
    from messages m where m.session_id = s.id and m.organization_id = s.organization_id
    order by m.created_at desc, m.id desc limit 1
  ) as last_message, (
    select left(m.content, ${TITLE_LENGTH})
    from messages m where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'user'
    order by m.created_at, m.id limit 1
  ) as title`

const decodeSession = decodeRowOr(SessionRow, sessionNotFound)
const decodeOpen = decodeRow(OpenSession)
const decodePage = decodeRows(
  Schema.Union([
    Schema.Struct({ total: Schema.Int, ...SessionRow.fields }),
    Schema.Struct({ total: Schema.Int, id: Schema.Null }),
  ]),
)
const decodeId = decodeRowOr(Schema.Struct({ id: SessionId }), sessionNotFound)

/** The tables `sessions` and `messages`, always within the current organization. */
export class Conversations extends Service<Conversations>()("parley/storage/conversations/Conversations", function* () {
  const sql = yield* SqlClient.SqlClient

  const auditing = yield* Auditing

  const named = sessionNamed(sql)

  const sessionColumns = sql.literal(SESSION_COLUMNS)

  const get = Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName) {
    const organization = yield* CurrentOrganization
    return toSession(
      yield* decodeSession(sql`
        select ${sessionColumns} from sessions s where ${named(chatbot, name, organization)}`),
    )
  }, withoutSqlErrors)

  return {
    /** Finds a session, with its history within the bounds. */
    find: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName, bounds: HistoryBounds) {
      const organization = yield* CurrentOrganization
      // The database knows the length of a text without reading it, so that texts which do not fit are never read.
      return yield* decodeOpen(sql`
        select s.id, s.user_info, s.may_ask_email, coalesce((
          select jsonb_agg(jsonb_build_object('id', id, 'sender_type', sender_type,
            'content', left(content, ${bounds.characters}::int), 'model', model, 'finish_reason', finish_reason, 'mid', metadata->>'mid', 'person', person_name, 'has_files', attachments is not null)
            order by created_at, id)
          from (
            select id, sender_type, content, model, finish_reason, metadata, person_name, attachments, created_at,
              sum(least(octet_length(content), ${bounds.characters}::int))
                over (order by created_at desc, id desc rows unbounded preceding) as bytes
            from messages
            where session_id = s.id and organization_id = ${organization}
            order by created_at desc, id desc limit ${bounds.messages}
          ) last where bytes <= ${bounds.bytes}::int
        ), '[]') as history
        from sessions s where ${named(chatbot, name, organization)}`)
    }, withoutSqlErrors),

    /**
     * Appends messages to a session, which is opened if it does not exist, and stores the answer. Returns its id, and who
     * answers in it.
     */
    append: makeAppend(sql),

    /**
     * Stores a reply and counts its usage. When the session was deleted meanwhile, only the usage is counted. Where
     * people have taken it over meanwhile, what was seen of the reply is stored as cut off, before they came, and of
     * another nothing. Returns who answers in the session from now on.
     *
     * @param isUnfinished whether `UnfinishedReplies` may have a part of the reply. The whole reply replaces it; and
     * where another server has turned it into a message already, it replaces the message, and usage is not counted
     * again
     */
    reply: makeReply(sql),

    /** Records that the reply to a question has failed before there was anything of it to store, and why. */
    failed: Effect.fnUntraced(function* (session: SessionId, question?: MessageId, failure?: Explanation) {
      const organization = yield* CurrentOrganization
      yield* sql`with explained as (
          update messages set metadata = metadata || ${json(failure === undefined ? {} : { failure })}
          where id = ${question ?? null}::uuid and session_id = ${session} and organization_id = ${organization}
        )
        update sessions set unanswered_replies = unanswered_replies + 1, updated_at = ${sql.literal(NEXT_INSTANT)}
        where id = ${session} and organization_id = ${organization}`
    }, withoutSqlErrors),

    /** Returns a page of the sessions of a chatbot, the latest activity first. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId, page: Page) {
      const organization = yield* CurrentOrganization
      const own = sql`s.chatbot_id = ${chatbot} and s.organization_id = ${organization}`
      // The rows before the page are skipped in the index alone. Those of the page are found by their ids: with the
      // chatbot as a condition as well, Postgres reads all of its sessions for each of them. The total is returned for
      // an empty page too.
      const rows = yield* decodePage(sql`
        with page as (
          select s.id, s.updated_at from sessions s where ${own}
          order by s.updated_at desc, s.id desc limit ${page.limit} offset ${offset(page)}
        )
        select counted.total, ${sessionColumns}
        from (select count(*)::int as total from sessions s where ${own}) counted
        left join (page join sessions s on s.id = page.id and s.organization_id = ${organization}) on true
        order by page.updated_at desc, page.id desc`)
      return {
        sessions: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [toSession(row)])),
        total: rows[0]?.total ?? 0,
      }
    }, withoutSqlErrors),

    get,

    /** Returns a session whose messages are about to be exported, and records that in the audit log. */
    exported: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName) {
      const session = yield* get(chatbot, name)
      yield* auditing.mention(sql, {
        organization: yield* CurrentOrganization,
        action: "conversation.exported",
        target: session.id,
        chatbot,
      })
      return session
    }),

    /** Deletes a session with its messages, and the contents of a reply that is being made in it. */
    remove: Effect.fnUntraced(
      function* (chatbot: ChatbotId, name: SessionName) {
        const organization = yield* CurrentOrganization
        const gone = yield* decodeId(sql`
          delete from sessions s where ${named(chatbot, name, organization)} returning s.id`)
        // A statement of its own, so that it sees what was stored before the session was locked.
        yield* emptyDrafts(sql, sql`session_id = ${gone.id} and organization_id = ${organization}`)
        yield* auditing.record(sql, { organization, action: "conversation.deleted", target: gone.id, chatbot })
      },
      committing(sql, withoutTimeLimit),
    ),
  }
}) {}

export const toSession = ({
  assignee,
  language,
  owner,
  owner_since,
  page,
  rated_down,
  rated_up,
  tags,
  title,
  unanswered_replies,
  visitor,
  waiting_since,
  ...row
}: SessionRow): Session => ({
  ...row,
  ...(title !== null && { title: title.trim().replaceAll(/\s+/g, " ") }),
  ...(visitor !== null && { visitor_id: visitor }),
  ...(page !== null && { page }),
  ...(language !== null && { language }),
  ...(owner_since !== null && { handover: { owner, since: owner_since, assignee, waiting_since } }),
  ...(tags.length > 0 && { tags }),
  ...(unanswered_replies > 0 && { unanswered: true }),
  ...(rated_up + rated_down > 0 && { ratings: { up: rated_up, down: rated_down } }),
})
