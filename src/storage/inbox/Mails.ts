import { Context, Effect, Layer, Schema } from "effect"
import { ChatbotId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import { VisitedPage } from "../../domain/chat/Conversation.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

const MAILS_AT_ONCE = 20
/** The most characters of a title, and of each message, that are read. */
const TITLE_LENGTH = 100
const TEXT_LENGTH = 10_000

const shared = {
  id: SessionId,
  organization_id: OrganizationId,
  chatbot_id: ChatbotId,
  chatbot: Schema.String,
  title: Schema.NullOr(Schema.String),
}

const decodeWaiting = decodeRows(Schema.Struct({ ...shared, emails: Schema.NullOr(Schema.Array(Schema.String)) }))
const decodeUnseen = decodeRows(
  Schema.Struct({
    ...shared,
    email: Schema.String,
    page: Schema.NullOr(VisitedPage),
    /** Until when the visitor was mailed before, as the database writes it. */
    mailed_before: Schema.NullOr(Schema.String),
    messages: Schema.Array(Schema.Struct({ name: Schema.NullOr(Schema.String), content: Schema.String })),
  }),
)

/** What somebody is to be told of by e-mail, in the tables `sessions` and `messages` of all organizations. */
export class Mails extends Context.Service<Mails>()("parley/storage/inbox/Mails", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql

    const title = sql`(
      select left(m.content, ${TITLE_LENGTH}) from messages m
      where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'user'
      order by m.created_at, m.id limit 1
    ) as title`

    return {
      /**
       * Takes some conversations whose visitors have waited for more than a minute, with the addresses of the people who may
       * answer and are not at the console: the assigned person, or else all. Another server takes none of them.
       */
      takeWaiting: withoutSqlErrors(
        decodeWaiting(sql`
          with due as (
            select id from sessions
            where owner = 'people' and waiting_since < now() - interval '1 minute'
              and (people_mailed_at is null or people_mailed_at < waiting_since)
            order by waiting_since limit ${MAILS_AT_ONCE} for update skip locked
          ), taken as (
            update sessions s set people_mailed_at = clock_timestamp() from due where s.id = due.id
            returning s.id, s.organization_id, s.chatbot_id, s.assignee
          )
          select s.id, s.organization_id, s.chatbot_id, c.name as chatbot, ${title}, (
            select array_agg(p.email) from people p
            where p.organization_id = s.organization_id and p.state = 'active' and p.email is not null
              and coalesce(p.last_seen_at < now() - interval '2 minutes', true)
              and (p.id = s.assignee or (s.assignee is null and may_answer(p.id, s.chatbot_id)))
          ) as emails
          from taken s join chatbots c on c.id = s.chatbot_id and c.organization_id = s.organization_id`),
      ),

      /**
       * Takes some conversations in which people have written what the visitor has not seen for two minutes, and whose
       * visitor has left an e-mail address, with these messages, oldest first.
       */
      takeUnseen: withoutSqlErrors(
        decodeUnseen(sql`
          with said as (
            select session_id, max(created_at) as last_at from messages
            where sender_type = 'agent' and created_at between now() - interval '1 day' and now() - interval '2 minutes'
            group by session_id
          ), due as (
            select s.id, said.last_at, coalesce(greatest(s.visitor_read_at, s.visitor_mailed_at), '-infinity') as seen_at,
              s.visitor_mailed_at::text as mailed_before
            from said join sessions s on s.id = said.session_id
            where s.user_info ? 'email'
              and said.last_at > coalesce(greatest(s.visitor_read_at, s.visitor_mailed_at), '-infinity')
              and not exists (
                select from conversation_presence p
                where p.session_id = s.id and p.who = 'visitor' and p.until > now()
              )
            order by said.last_at limit ${MAILS_AT_ONCE} for update of s skip locked
          ), taken as (
            update sessions s set visitor_mailed_at = due.last_at from due where s.id = due.id
            returning s.id, s.organization_id, s.chatbot_id, s.user_info, s.page, due.seen_at, due.last_at, due.mailed_before
          )
          select s.id, s.organization_id, s.chatbot_id, c.name as chatbot, s.user_info->>'email' as email, s.page, s.mailed_before, ${title}, (
            select jsonb_agg(jsonb_build_object('name', m.person_name, 'content', left(m.content, ${TEXT_LENGTH}))
              order by m.created_at, m.id)
            from messages m
            where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'agent'
              and m.created_at > s.seen_at and m.created_at <= s.last_at
          ) as messages
          from taken s join chatbots c on c.id = s.chatbot_id and c.organization_id = s.organization_id`),
      ),

      /** Puts back a conversation whose mail to people could not be sent, so that it is taken again. */
      putBackWaiting: (session: SessionId) =>
        withoutSqlErrors(sql`update sessions set people_mailed_at = null where id = ${session}`),

      /** Puts back a conversation whose mail to the visitor could not be sent. It is taken again for a day. */
      putBackUnseen: (session: SessionId, mailedBefore: string | null) =>
        withoutSqlErrors(
          sql`update sessions set visitor_mailed_at = ${mailedBefore}::text::timestamptz where id = ${session}`,
        ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
