import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Citation } from "../../domain/chat/Chat.ts"
import { Feedback, Message, SenderType } from "../../domain/chat/Conversation.ts"
import { Unsupported } from "../../domain/chat/Grounding.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { isGuessable, type SessionName } from "../../domain/chat/SessionToken.ts"
import { isUuid, type ChatbotId, type MessageId, type OrganizationId, type SessionId } from "../../domain/Ids.ts"
import { PersonName } from "../../domain/inbox/PersonName.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { GAP } from "./ReplyGrounds.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { handOver } from "./Handovers.ts"
import { transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"

/** The position of a message in its session. */
export interface Place {
  /** The message's time as the database writes it, which is finer than a `Date`. */
  readonly at: string
  readonly id: MessageId
}

/** The columns `MESSAGE_COLUMNS` of a row of `messages`. */
export const MessageRow = Schema.Struct({
  ...Struct.omit(Message.fields, [
    "feedback",
    "migrated_data",
    "sender",
    "session_token",
    "sources",
    "unanswered",
    "unsupported",
  ]),
  created_at: TimestampColumn,
  feedback: Schema.NullOr(Feedback),
  sender: Schema.NullOr(PersonName),
  sources: Schema.NullOr(Schema.Array(Citation)),
  unanswered: Schema.Boolean,
  unsupported: Schema.NullOr(Schema.Array(Unsupported)),
})
export type MessageRow = typeof MessageRow.Type

/** An expression for a `PersonName` of these expressions. The picture is that of `people`, if there is such a person. */
export const personColumns = (id: string, name: string): string => `jsonb_build_object('id', ${id}, 'name', ${name})
  || coalesce((select jsonb_build_object('avatar', a.avatar) from people a where a.id = ${id} and a.avatar is not null), '{}')`

/** The columns of a `MessageRow`, of `messages`. */
export const MESSAGE_COLUMNS = `id, session_id, sender_type, content, attachments, created_at, metadata, model, provider,
  tokens_used, tool_calls, tool_results, sources, feedback, unanswered, unsupported,
  case when sender_type = 'agent' then ${personColumns("messages.person_id", "messages.person_name")} end as sender`

export const toMessage = ({ feedback, sender, sources, unanswered, unsupported, ...row }: MessageRow): Message => ({
  ...row,
  ...(sources !== null && { sources }),
  ...(feedback !== null && { feedback }),
  ...(sender !== null && { sender }),
  ...(unanswered && { unanswered }),
  ...(unsupported !== null && { unsupported }),
  // A reply that a client brought from an earlier conversation has neither.
  tool_calls: row.tool_calls ?? (row.sender_type === "bot" ? [] : null),
  tool_results: row.tool_results ?? (row.sender_type === "bot" ? [] : null),
  migrated_data: false,
  session_token: null,
})

/**
 * A condition on the session `s`: it is the one that `name` names, by its id or its token. A token may look like an id,
 * so that both are compared; a session with that token wins.
 */
export const sessionNamed = (sql: SqlClient.SqlClient) => {
  const claim = ({ apiKeyId, scope, text }: SessionName) => {
    if (scope === "any" || !isGuessable(text)) return sql``
    return scope === "own" ? sql`and token_key = ${apiKeyId}` : sql`and (token_key = ${apiKeyId} or token_key is null)`
  }
  return (chatbot: ChatbotId, name: SessionName, organization: OrganizationId) =>
    name.visitor === undefined
      ? sql`
    s.id = (
      select id from sessions
      where chatbot_id = ${chatbot} and organization_id = ${organization}
        and (session_token = ${name.text} ${claim(name)} ${isUuid(name.text) ? sql`or id = ${name.text}` : sql``})
      order by session_token = ${name.text} desc nulls last,
        coalesce(token_key = ${name.apiKeyId}, false) desc, updated_at desc
      limit 1
    )`
      : sql`s.id = ${name.text} and s.visitor = ${name.visitor} and s.chatbot_id = ${chatbot}
      and s.organization_id = ${organization}`
}

export const sessionNotFound = new NotFound({ detail: "There is no such conversation." })
const messageNotFound = new NotFound({ detail: "There is no such message in this conversation." })
export const replyNotFound = new NotFound({ detail: "There is no such message of this chatbot." })
const onlyReplies = new Conflict({ detail: "Only a reply of the chatbot can be rated; this is the user's message." })

const decodePage = decodeRows(
  Schema.Union([
    Schema.Struct({ total: Schema.Int, ...MessageRow.fields }),
    Schema.Struct({ total: Schema.Int, id: Schema.Null }),
  ]),
)
const decodeMessages = decodeRows(MessageRow)
const decodeContents = decodeRows(Schema.Struct({ content: Schema.String }))
const decodePlaced = decodeRows(Schema.Struct({ ...MessageRow.fields, at: Schema.String }))
const decodeSender = decodeRowOr(Schema.Struct({ sender_type: SenderType, changed: Schema.Int }), messageNotFound)

/**
 * The table `messages`, always within the current organization; see `Conversations` for what concerns their session.
 */
export class Messages extends Service<Messages>()("parley/storage/conversations/Messages", function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Returns a page of the messages of a session, oldest first. */
    page: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName, range: Page) {
      const organization = yield* CurrentOrganization
      // The session is returned for an empty page too, in one row without a message.
      const rows = yield* decodePage(sql`
        select s.message_count as total, m.*
        from sessions s left join lateral (
          select ${sql.literal(MESSAGE_COLUMNS)} from messages where session_id = s.id and organization_id = ${organization}
          order by created_at, id limit ${range.limit} offset ${offset(range)}
        ) m on true
        where ${sessionNamed(sql)(chatbot, name, organization)} order by m.created_at, m.id`)
      const [first] = rows
      if (first === undefined) return yield* sessionNotFound
      return {
        total: first.total,
        messages: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [toMessage(row)])),
      }
    }, withoutSqlErrors),

    /** Returns the messages after a position in the session, oldest first; from the start when it is undefined. */
    after: Effect.fnUntraced(function* (session: SessionId, place: Place | undefined, limit: number) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodePlaced(sql`
        select ${sql.literal(MESSAGE_COLUMNS)}, created_at::text as at from messages
        where session_id = ${session} and organization_id = ${organization}
          ${place === undefined ? sql`` : sql`and (created_at, id) > (${place.at}::text::timestamptz, ${place.id}::uuid)`}
        order by created_at, id limit ${limit}`)
      return { messages: rows.map(({ at: _, ...row }) => toMessage(row)), last: rows.at(-1) }
    }, withoutSqlErrors),

    /** Returns a message of a chatbot, and so many before it in its session, the latest first. */
    upTo: Effect.fnUntraced(function* (chatbot: ChatbotId, message: MessageId, before: number) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeMessages(sql`
        select ${sql.literal(MESSAGE_COLUMNS)} from messages
        where organization_id = ${organization} and (session_id, created_at, id) in (
          select m.session_id, e.created_at, e.id
          from messages m
          join sessions s on s.id = m.session_id and s.organization_id = ${organization} and s.chatbot_id = ${chatbot}
          cross join lateral (
            select created_at, id from messages
            where session_id = m.session_id and organization_id = ${organization}
              and (created_at, id) <= (m.created_at, m.id)
            order by created_at desc, id desc limit ${before + 1}
          ) e
          where m.id = ${message} and m.organization_id = ${organization}
        ) order by created_at desc, id desc`)
      const [found, ...earlier] = rows.map(toMessage)
      return found === undefined ? yield* replyNotFound : { message: found, earlier }
    }, withoutSqlErrors),

    /** Returns the questions of a chatbot's replies that are no answer, the latest first. */
    unanswered: Effect.fnUntraced(function* (chatbot: ChatbotId, limit: number) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodeContents(sql`
        select q.content
        from (
          select r.session_id, r.created_at, r.id
          from (
            select id from sessions
            where organization_id = ${organization} and chatbot_id = ${chatbot} and unanswered_replies > 0
            order by updated_at desc, id desc limit ${limit}
          ) s join messages r on r.session_id = s.id and r.organization_id = ${organization} and r.unanswered
          order by r.created_at desc, r.id desc limit ${limit}
        ) r cross join lateral (
          select left(content, ${MESSAGE_MAX_LENGTH}::int) as content from messages
          where session_id = r.session_id and organization_id = ${organization} and sender_type = 'user'
            and (created_at, id) < (r.created_at, r.id)
          order by created_at desc, id desc limit 1
        ) q
        order by r.created_at desc, r.id desc`)
      return rows.map(({ content }) => content)
    }, withoutSqlErrors),

    /** Stores the feedback on a reply; `null` deletes it. Fails with `Conflict` for a message of the user. */
    rate: Effect.fnUntraced(
      function* (chatbot: ChatbotId, name: SessionName, message: MessageId, feedback: Feedback | null) {
        const organization = yield* CurrentOrganization
        const rating = feedback?.rating ?? null
        // The row's lock is taken before its old rating is read, so that the session's numbers move by the difference.
        const found = yield* decodeSender(sql`
        with found as (
          select m.id, m.session_id, m.sender_type, m.unanswered, m.feedback->>'rating' as old
          from sessions s join messages m on m.session_id = s.id
          where m.id = ${message} and m.organization_id = ${organization} and ${sessionNamed(sql)(chatbot, name, organization)}
          for update of m
        ), rated as (
          update messages set feedback = ${json(feedback)}
          where id in (select id from found where sender_type = 'bot') and organization_id = ${organization}
        ), grounded as (
          update reply_grounds g set gap = ${rating === "down" ? sql`'rated_down'` : sql.literal(GAP)},
            is_rated_up = ${rating === "up"}
          from found where g.message_id = found.id and g.organization_id = ${organization} and sender_type = 'bot'
        ), counted as (
          update sessions s set rated_up = rated_up + ${rating === "up" ? 1 : 0} - (old is not distinct from 'up')::int,
            rated_down = rated_down + ${rating === "down" ? 1 : 0} - (old is not distinct from 'down')::int
          from found where s.id = found.session_id and s.organization_id = ${organization}
            and sender_type = 'bot' and old is distinct from ${rating}::text
          returning s.id
        )
        select sender_type, (select count(*)::int from counted) as changed from found`)
        if (found.sender_type !== "bot") return yield* onlyReplies
        if (rating !== "down" || found.changed === 0) return
        // One of the time before people had the conversation does not bring them back.
        yield* handOver(sql, "rated_down", {
          sessions: sql`
          select s.id
          from messages m join sessions s on s.id = m.session_id
            join chatbots c on c.id = s.chatbot_id and (c.settings->'handover'->>'ratedDown')::boolean
          where m.id = ${message} and s.organization_id = ${organization}
            and (s.owner_since is null or m.created_at > s.owner_since)`,
        })
      },
      (rate, _chatbot, _name, _message, feedback) => (feedback?.rating === "down" ? transaction(sql)(rate) : rate),
      withoutSqlErrors,
    ),
  }
}) {}
