import { Effect, Schema, Struct } from "effect"
import { ChatbotId, SessionId } from "../../domain/Ids.ts"
import { VisitedPage } from "../../domain/chat/Conversation.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease, makeLeaseQueue } from "../sql/LeaseQueue.ts"
import { decodeRow, decodeRows, onlyRow } from "../Rows.ts"
import { mayAnswer } from "../conversations/Handovers.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

const MAILS_AT_ONCE = 20
/** The most characters of a title, and of each message, that are read. */
const TITLE_LENGTH = 100
const TEXT_LENGTH = 10_000

/** An attempt to send an e-mail to one recipient. */
export const MailJob = Schema.Struct({ ...Job.fields, id: Schema.String, session_id: SessionId })
export type MailJob = typeof MailJob.Type

const decodeJob = decodeRow(MailJob)
const decodeCounts = decodeRows(Schema.Struct({ taken: Schema.Int }))
const decodeContent = decodeRow(
  Schema.Struct({
    email: Schema.String,
    chatbot_id: ChatbotId,
    chatbot: Schema.String,
    title: Schema.NullOr(Schema.String),
    page: Schema.NullOr(VisitedPage),
    /** What people have written, of an e-mail to the visitor; null of one to a person. */
    messages: Schema.NullOr(
      Schema.Array(Schema.Struct({ name: Schema.NullOr(Schema.String), content: Schema.String })),
    ),
  }),
)

/**
 * The queue of e-mails, one for each recipient, see `LeaseQueue`, and what they tell of: the tables `sessions` and
 * `messages` of all organizations.
 */
export class Mails extends Service<Mails>()("parley/storage/inbox/Mails", function* () {
  const sql = yield* SystemSql
  const queue = yield* makeLeaseQueue({ table: "mail_queue", key: "id", clock: "mail_clock" })

  /** A condition on `p` of `people`: may answer in the conversation `s`, and is not at the console. */
  const isRecipient = sql`
    p.organization_id = s.organization_id and p.state = 'active' and p.email is not null
      and coalesce(p.last_seen_at < now() - interval '2 minutes', true)
      and (p.id = s.assignee or (s.assignee is null and ${mayAnswer(sql, sql`p.id`, sql`s.chatbot_id`)}))`

  // Both are counted as told in the statement that queues the e-mails, so that another server takes none of them.
  const takeWaiting = sql`
    with due as (
      select s.id from sessions s
      where s.owner = 'people' and s.waiting_since < now() - interval '1 minute'
        and (s.people_mailed_at is null or s.people_mailed_at < s.waiting_since)
        and exists (select from people p where ${isRecipient})
      order by s.waiting_since limit ${MAILS_AT_ONCE} for update skip locked
    ), taken as (
      update sessions s set people_mailed_at = clock_timestamp() from due where s.id = due.id
      returning s.id, s.organization_id, s.chatbot_id, s.assignee
    ), queued as (
      insert into mail_queue (organization_id, session_id, person_id)
      select s.organization_id, s.id, p.id from taken s join people p on ${isRecipient}
      on conflict do nothing
    )
    select count(*)::int as taken from taken`

  const takeUnseen = sql`
    with said as (
      select session_id, max(created_at) as last_at from messages
      where sender_type = 'agent' and created_at between now() - interval '1 day' and now() - interval '2 minutes'
      group by session_id
    ), due as (
      select s.id, said.last_at, coalesce(greatest(s.visitor_read_at, s.visitor_mailed_at), '-infinity') as seen_at
      from said join sessions s on s.id = said.session_id
      where s.user_info ? 'email'
        and said.last_at > coalesce(greatest(s.visitor_read_at, s.visitor_mailed_at), '-infinity')
        and not exists (
          select from conversation_presence p
          where p.session_id = s.id and p.who = 'visitor' and p.until > now()
        )
        -- An e-mail that waits is sent first: it tells of what was written before.
        and not exists (select from mail_queue q where q.session_id = s.id and q.person_id is null)
      order by said.last_at limit ${MAILS_AT_ONCE} for update of s skip locked
    ), taken as (
      update sessions s set visitor_mailed_at = due.last_at from due where s.id = due.id
      returning s.id, s.organization_id, due.seen_at
    ), queued as (
      insert into mail_queue (organization_id, session_id, since)
      select organization_id, id, seen_at from taken
      on conflict do nothing
    )
    select count(*)::int as taken from taken`

  const countOf = Effect.fnUntraced(function* (statement: typeof takeWaiting) {
    return (yield* onlyRow(yield* decodeCounts(statement))).taken
  }, withoutSqlErrors)

  return {
    ...Struct.pick(queue, ["release", "releaseAll", "renew"]),

    /**
     * Queues an e-mail for each of the people who may answer in some of the conversations whose visitors have waited for
     * more than a minute, and who are not at the console: the assigned person, or else all. Returns the number of
     * conversations. One whose people are all at the console remains until one of them leaves.
     */
    takeWaiting: countOf(takeWaiting),

    /**
     * Queues an e-mail to the visitor of some conversations in which people have written what the visitor has not seen
     * for two minutes, and whose visitor has left an e-mail address. Returns their number.
     */
    takeUnseen: countOf(takeUnseen),

    /** Returns what an e-mail says; undefined if there is nothing to tell any more. */
    find: ({ id }: MailJob) =>
      withoutSqlErrors(
        decodeContent(sql`
            select coalesce(p.email, s.user_info->>'email') as email, s.chatbot_id, c.name as chatbot, s.page, (
              select left(m.content, ${TITLE_LENGTH}) from messages m
              where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'user'
              order by m.created_at, m.id limit 1
            ) as title, said.messages
            from mail_queue q
            join sessions s on s.id = q.session_id
            join chatbots c on c.id = s.chatbot_id and c.organization_id = s.organization_id
            left join people p on p.id = q.person_id and p.organization_id = s.organization_id and p.state = 'active'
            left join lateral (
              select jsonb_agg(jsonb_build_object('name', m.person_name, 'content', left(m.content, ${TEXT_LENGTH}))
                order by m.created_at, m.id) as messages
              from messages m
              where m.session_id = s.id and m.organization_id = s.organization_id and m.sender_type = 'agent'
                and m.created_at > greatest(q.since, s.visitor_read_at) and m.created_at <= s.visitor_mailed_at
            ) said on q.person_id is null
            where q.id = ${id} and case when q.person_id is null
              then s.user_info ? 'email' and said.messages is not null
              else p.email is not null and s.owner = 'people' and s.waiting_since is not null end`),
      ),

    claim: (lease: Lease) => withoutSqlErrors(decodeJob(sql`${queue.claim(lease)}`)),
    untilDue: queue.untilDue(),
    /** Ends an e-mail that is sent, or that cannot be. Returns false when the lease is lost. */
    end: (job: MailJob) => withoutSqlErrors(queue.underLease(job, queue.end(job))),
  }
}) {}
