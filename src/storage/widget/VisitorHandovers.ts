import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MessageId, SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { WidgetHandover, WidgetPerson, type WidgetPresence } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import { Conversations } from "../conversations/Conversations.ts"
import { handOver } from "../conversations/Handovers.ts"
import { decodeRows } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { uuids } from "../sql/SqlValues.ts"
import { HANDOVER_COLUMN, type VisitorName } from "./VisitorConversations.ts"

/** Time for which somebody writes who has said so. */
const PRESENCE_SECONDS = 10

/** State of a conversation whose visitor has it open. */
export const OpenConversation = Schema.Struct({
  id: Schema.String,
  visitor: Schema.NullOr(Schema.String),
  /** Changes with every message. */
  stamp: Schema.String,
  handover: Schema.NullOr(WidgetHandover),
  writing: Schema.NullOr(WidgetPerson),
})
export type OpenConversation = typeof OpenConversation.Type

/** The most pictures of people whose addresses are known to a widget. */
const AVATARS_MAX_COUNT = 100

const decodeAvatars = decodeRows(Schema.Struct({ avatar: Schema.String }))
const decodeOpen = decodeRows(OpenConversation)

/** A visitor's wish to talk to a person. */
export interface AskedHandover {
  /** The conversation, which is opened if the visitor does not have it yet. */
  readonly conversation: SessionId
  readonly isNew: boolean
  readonly message: { readonly id: MessageId; readonly clientId: string; readonly text: string } | undefined
  readonly session: Omit<Parameters<Conversations["Service"]["append"]>[1], "id" | "token" | "tokenKey" | "visitor">
  readonly email: string | undefined
}

/** The part of visitors in conversations of people. */
export class VisitorHandovers extends Service<VisitorHandovers>()(
  "parley/storage/widget/VisitorHandovers",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql
    const conversations = yield* Conversations

    return {
      avatars: Effect.gen(function* () {
        const rows = yield* decodeAvatars(sql`
          select distinct avatar from people
          where organization_id = ${yield* CurrentOrganization} and state = 'active' and avatar is not null
          limit ${AVATARS_MAX_COUNT}`)
        return rows.map(({ avatar }) => avatar)
      }).pipe(withoutSqlErrors),

      /** Stores what the visitor says and hands the conversation over, in one transaction. */
      handOver: Effect.fnUntraced(function* ({ chatbot, visitor }: VisitorName, asked: AskedHandover) {
        const { conversation, email, isNew, message, session } = asked
        if (message !== undefined || email !== undefined) {
          yield* conversations.append(
            chatbot,
            { ...session, id: conversation, token: null, tokenKey: null, visitor, isKnown: !isNew },
            message === undefined
              ? []
              : [{ id: message.id, sender_type: "user", content: message.text, mid: message.clientId }],
            email === undefined ? undefined : { email, mayAskAgain: false },
          )
        }
        yield* handOver(sql, "visitor", {
          sessions: sql`select id from sessions
            where id = ${conversation} and organization_id = ${yield* CurrentOrganization}`,
        })
      }, committing(sql)),

      /** Notes that the visitor writes, and up to when it has read, in a conversation that was handed over. */
      presence: Effect.fnUntraced(function* (
        { chatbot, visitor }: VisitorName,
        conversation: SessionId,
        { read_to, state }: WidgetPresence,
      ) {
        const organization = yield* CurrentOrganization
        const readTo = read_to === undefined ? null : new Date(read_to)
        const seconds = state === "away" ? 0 : PRESENCE_SECONDS
        yield* sql`
          with session as (
            select id, organization_id, owner from sessions
            where id = ${conversation} and organization_id = ${organization} and chatbot_id = ${chatbot}
              and visitor = ${visitor} and owner_since is not null
          ), noted as (
            insert into conversation_presence (session_id, organization_id, who, state, until)
            select id, organization_id, 'visitor', ${state === "away" ? "reading" : state}::text,
              clock_timestamp() + make_interval(secs => ${seconds}::int)
            from session where owner = 'people'
            on conflict (session_id, who) do update set state = excluded.state, until = excluded.until
          )
          update sessions set visitor_read_at = least(${readTo}::timestamptz, clock_timestamp())
          where id = (select id from session) and organization_id = ${organization}
            and ${readTo}::timestamptz > coalesce(visitor_read_at, '-infinity')`
      }, withoutSqlErrors),

      /** Reads the states of open conversations, of all organizations. One that is gone is not among them. */
      look: Effect.fnUntraced(function* (ids: ReadonlyArray<SessionId>) {
        return yield* decodeOpen(system`
          select s.id, s.visitor, ${system.literal(HANDOVER_COLUMN)}, concat(s.message_count, ' ', (
              select m.id from messages m where m.session_id = s.id and m.organization_id = s.organization_id
              order by m.created_at desc, m.id desc limit 1
            )) as stamp, (
              select jsonb_strip_nulls(jsonb_build_object('name', coalesce(p.name, ''), 'avatar', p.avatar))
              from conversation_presence c left join people p
                on p.id = case when c.who <> 'visitor' then c.who::uuid end and p.organization_id = c.organization_id
              where c.session_id = s.id and c.who <> 'visitor' and c.state = 'writing' and c.until > clock_timestamp()
              order by c.who limit 1
            ) as writing
          from sessions s where s.id = any(${uuids(ids)})`)
      }, withoutSqlErrors),
    }
  },
) {}
