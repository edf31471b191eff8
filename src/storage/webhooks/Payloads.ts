import type { SqlClient, Statement } from "effect/sql"
import { RULES_PROVIDER } from "../../domain/chat/WrittenBy.ts"
import { personNamed } from "../conversations/Handovers.ts"

/** A time as `domain/schema/Timestamp.ts` writes it. */
const written = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"')`

/**
 * An expression for the data of the delivery `d`, as `domain/webhook/WebhookEvent.ts` describes it, read from the rows
 * that the event is about. It is null when they are deleted. Its `written_by` is that of `domain/chat/WrittenBy.ts`.
 *
 * @param textLimit the most characters of a message's text
 */
export const payloadData = (sql: SqlClient.SqlClient, textLimit: number): Statement.Fragment => sql`case d.type
  when 'message.created' then (
    select jsonb_build_object('id', m.id, 'session_id', s.id, 'chatbot_id', s.chatbot_id, 'visitor_id', s.visitor,
      'sender_type', m.sender_type, 'content', left(m.content, ${textLimit}::int),
      'content_is_cut', length(m.content) > ${textLimit}::int, 'model', m.model, 'finish_reason', m.finish_reason,
      'unanswered', m.unanswered, 'person', case m.sender_type
        when 'agent' then jsonb_build_object('id', m.person_id, 'name', m.person_name) end,
      'written_by', case when m.sender_type = 'agent' then 'person' when m.provider = ${RULES_PROVIDER} then 'rule'
        when m.provider is not null then 'model' end, 'created_at', ${sql.literal(written("m.created_at"))})
    from messages m join sessions s on s.id = m.session_id and s.organization_id = m.organization_id
    where m.id = d.target and m.organization_id = d.organization_id
  )
  when 'feedback.created' then (
    select jsonb_build_object('message_id', m.id, 'session_id', s.id, 'chatbot_id', s.chatbot_id,
      'visitor_id', s.visitor, 'feedback', m.feedback)
    from messages m join sessions s on s.id = m.session_id and s.organization_id = m.organization_id
    where m.id = d.target and m.organization_id = d.organization_id and m.feedback is not null
  )
  when 'conversation.created' then (
    select jsonb_build_object('id', s.id, 'chatbot_id', s.chatbot_id, 'session_token', s.session_token,
      'visitor_id', s.visitor, 'platform', s.platform, 'user_info', s.user_info,
      'created_at', ${sql.literal(written("s.created_at"))})
    from sessions s where s.id = d.target and s.organization_id = d.organization_id
  )
  when 'conversation.handover' then ${ownerData(sql)}
  when 'conversation.assigned' then ${ownerData(sql)}
  when 'conversation.returned' then ${ownerData(sql)}
  when 'chatbot.updated' then (
    select jsonb_build_object('id', c.id, 'name', c.name, 'slug', c.slug, 'active', c.active, 'is_public', c.is_public,
      'updated_at', ${sql.literal(written("c.updated_at"))})
    from chatbots c where c.id = d.target and c.organization_id = d.organization_id
  )
  when 'budget.spent' then d.detail || jsonb_build_object('organization_id', d.organization_id,
    'api_key_id', case when d.detail->>'whose' = 'key' then d.target end)
  when 'tests.worse' then (
    select d.detail || jsonb_build_object('run_id', d.target, 'chatbot_id', c.id, 'name', c.name)
    from chatbots c where c.id = d.subject and c.organization_id = d.organization_id
  )
  when 'source.finished' then ${sourceData(sql)}
  when 'source.failed' then ${sourceData(sql)}
  else (
    select d.detail || jsonb_build_object('id', f.id, 'chatbot_id', f.chatbot_id, 'name', f.name)
    from documents f where f.id = d.target and f.organization_id = d.organization_id
  )
end`

const ownerData = (sql: SqlClient.SqlClient): Statement.Fragment => sql`(
    select jsonb_build_object('id', s.id, 'chatbot_id', s.chatbot_id, 'visitor_id', s.visitor, 'reason', d.detail->'reason',
      'person', ${personNamed(sql, sql`(d.detail->>'person')::uuid`)},
      'assignee', ${personNamed(sql, sql`(d.detail->>'assignee')::uuid`)})
    from sessions s where s.id = d.target and s.organization_id = d.organization_id
  )`

const sourceData = (sql: SqlClient.SqlClient): Statement.Fragment => sql`(
    select d.detail || jsonb_build_object('id', s.id, 'chatbot_id', s.chatbot_id, 'name', s.name, 'kind', s.kind,
      'run_id', d.target)
    from sources s where s.id = d.subject and s.organization_id = d.organization_id
  )`
