import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Caller } from "../../domain/Caller.ts"
import type { PersonId } from "../../domain/Ids.ts"
import type { HandoverReason } from "../../domain/inbox/Handover.ts"
import { rolesWith } from "../../domain/people/Role.ts"
import { decodeRows } from "../Rows.ts"
import { texts } from "../sql/SqlValues.ts"

/*
 * Who answers in a conversation, and which person looks after it. Each change is one statement, with its event and its
 * deliveries to webhooks.
 */

/** The person behind the request; undefined for a program. */
export type Acting = Caller["Service"]["person"]

/** Sessions that are changed, and who changes them; absent: the visitor, the bot or the server. */
interface Change {
  /** A query of the ids of the sessions. Those whose owner is another one already stay as they are. */
  readonly sessions: Statement.Fragment
  readonly by?: Acting
}

/** Of people who may answer in a conversation, those who were seen for as long as this are there. */
const SEEN = "interval '2 minutes'"

/** A condition: whether a person may answer in the conversations of a chatbot. */
export const mayAnswer = (
  sql: SqlClient.SqlClient,
  person: Statement.Fragment,
  chatbot: Statement.Fragment,
): Statement.Fragment => sql`exists (
  select from people a join person_roles r on r.person_id = a.id and r.organization_id = a.organization_id
  where a.id = ${person} and a.state = 'active' and r.role = any(${texts(rolesWith("conversations:write"))})
    and (r.chatbot_id is null or r.chatbot_id = ${chatbot})
)`

/** A value: a person as events of conversations name them; null for nobody. */
export const personNamed = (sql: SqlClient.SqlClient, person: Statement.Fragment): Statement.Fragment =>
  sql`(select jsonb_build_object('id', p.id, 'name', p.name) from people p where p.id = ${person})`

/**
 * A value: who gets the session `s` next, where its chatbot assigns in turn: of the people who may answer in it and were
 * seen a moment ago, the one with the fewest open conversations.
 */
const personInTurn = (sql: SqlClient.SqlClient): Statement.Fragment => sql`(
  select p.id
  from chatbots c join people p on p.organization_id = c.organization_id and p.state = 'active'
    and p.last_seen_at > clock_timestamp() - ${sql.literal(SEEN)}
  where c.id = s.chatbot_id and c.organization_id = s.organization_id
    and c.settings->'handover'->>'assign' = 'in_turn' and ${mayAnswer(sql, sql`p.id`, sql`c.id`)}
  order by (
    select count(*) from sessions o
    where o.organization_id = p.organization_id and o.assignee = p.id and o.owner = 'people' and o.state = 'open'
  ), p.last_seen_at desc, p.id
  limit 1
)`

const decodeIds = decodeRows(Schema.Struct({ id: Schema.String }))

/** Changes sessions, stores an event of each and tells webhooks. Returns how many it has changed. */
const change = (
  sql: SqlClient.SqlClient,
  { by, sessions }: Change,
  parts: {
    /** Assignments to columns of `sessions`. */
    readonly set: Statement.Fragment
    /** A condition on the session `s` as it is. */
    readonly where: Statement.Fragment
    readonly event: "assigned" | "closed" | "handover" | "returned"
    /** The detail of the event, of the session `c` as it has become. */
    readonly detail: Statement.Fragment
    /** Rows of `(type, detail)`: what webhooks are told of the session `c`. */
    readonly told: Statement.Fragment
  },
) =>
  Effect.map(
    decodeIds(sql`
      with due as (${sessions}), changed as (
        update sessions s set ${parts.set}, updated_at = clock_timestamp() from due
        where s.id = due.id and ${parts.where}
        returning s.id, s.organization_id, s.chatbot_id, s.assignee
      ), event as (
        insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
        select gen_random_uuid(), c.organization_id, c.id, ${parts.event}::text, ${by?.id ?? null}::uuid,
          ${by?.name ?? null}::text, ${parts.detail}
        from changed c
      ), told as (
        select announce_event(c.organization_id, c.chatbot_id, t.type, c.id, c.id, t.detail)::text as done
        from changed c cross join lateral (${parts.told}) t (type, detail)
      )
      select id::text from changed cross join (select count(done) from told) told`),
    ({ length }) => length,
  )

/**
 * Hands sessions over to people, where the bot has them. The visitor waits, unless people take them for themselves.
 * Without an assignee, programs and the bot leave it to the chatbot who gets them.
 */
export const handOver = (
  sql: SqlClient.SqlClient,
  reason: HandoverReason,
  { assignee = null, by, sessions }: Change & { readonly assignee?: PersonId | null },
) => {
  const person = sql`${by?.id ?? null}::uuid`
  const isOwn = by !== undefined && assignee === by.id
  return change(
    sql,
    { sessions, by },
    {
      set: sql`owner = 'people', owner_since = clock_timestamp(), state = 'open',
        assignee = ${assignee === null && by === undefined ? personInTurn(sql) : sql`${assignee}::uuid`},
        waiting_since = ${isOwn ? sql`null` : sql`clock_timestamp()`}`,
      where: sql`s.owner = 'bot'`,
      event: "handover",
      detail: sql`jsonb_build_object('reason', ${reason}::text, 'assignee', ${personNamed(sql, sql`c.assignee`)})`,
      told: sql`
        select 'conversation.handover',
          jsonb_build_object('reason', ${reason}::text, 'person', ${person}, 'assignee', c.assignee)
        union all
        select 'conversation.assigned', jsonb_build_object('person', ${person}, 'assignee', c.assignee)
        where c.assignee is not null`,
    },
  )
}

/**
 * Hands sessions back to the bot, where people have them. A visitor who has written meanwhile goes on waiting, until the
 * bot or a person has answered; not in one that is closed.
 */
export const handBack = (
  sql: SqlClient.SqlClient,
  reason: Extract<HandoverReason, "by_hand" | "closed" | "silence">,
  { by, sessions }: Change,
) =>
  change(
    sql,
    { sessions, by },
    {
      set: sql`owner = 'bot', owner_since = clock_timestamp(), assignee = null
        ${reason === "closed" ? sql`, waiting_since = null` : sql``}`,
      where: sql`s.owner = 'people'`,
      event: reason === "closed" ? "closed" : "returned",
      detail: sql`jsonb_build_object('reason', ${reason}::text)`,
      told: sql`
        select 'conversation.returned',
          jsonb_build_object('reason', ${reason}::text, 'person', ${by?.id ?? null}::uuid)`,
    },
  )

/** Assigns sessions of people to one of them, or to nobody. */
export const assign = (sql: SqlClient.SqlClient, assignee: PersonId | null, { by, sessions }: Change) =>
  change(
    sql,
    { sessions, by },
    {
      set: sql`assignee = ${assignee}::uuid`,
      where: sql`s.owner = 'people' and s.assignee is distinct from ${assignee}::uuid`,
      event: "assigned",
      detail: sql`jsonb_build_object('assignee', ${personNamed(sql, sql`c.assignee`)})`,
      told: sql`
        select 'conversation.assigned',
          jsonb_build_object('person', ${by?.id ?? null}::uuid, 'assignee', c.assignee)`,
    },
  )
