import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"

/** Time after a change until the tests of its chatbot run, unless something else changes meanwhile. */
const QUIET = "30 seconds"
/** Time after the first of many changes until they run, whatever changes meanwhile. */
const LATEST = "5 minutes"

/** A run of the plan that nobody has begun. */
const PLANNED = "q.trigger = 'schedule' and q.run_id is null and q.lease_id is null"

/**
 * A statement that queues the tests of chatbots because something has changed; `changed` selects the `id` and the
 * `organization_id` of these. A planned run becomes the one after the change. A run that has begun, or that somebody has
 * started, is followed by another. Where the plan has turned runs after changes off, everything stays as it is.
 */
export const queueTests = (sql: SqlClient.SqlClient, changed: Statement.Fragment): Statement.Fragment => {
  const isPlanned = sql.literal(PLANNED)
  return sql`
    insert into test_queue as q (chatbot_id, organization_id, trigger, run_at)
    select c.id, c.organization_id, 'change', now() + ${QUIET}::interval
    from (${changed}) c join organizations o on o.id = c.organization_id and o.deleted_at is null
      left join test_plans p on p.chatbot_id = c.id and p.organization_id = c.organization_id
    where coalesce((p.plan->>'on_change')::boolean, true)
      and exists (select from tests t where t.chatbot_id = c.id and t.organization_id = c.organization_id)
    on conflict (chatbot_id) do update set
      trigger = case when ${isPlanned} then excluded.trigger else q.trigger end,
      created_at = case when ${isPlanned} then excluded.created_at else q.created_at end,
      is_again = q.is_again or q.run_id is not null or q.lease_id is not null,
      run_at = case
        when ${isPlanned} then excluded.run_at
        when q.trigger = 'change' and q.run_id is null and q.lease_id is null
          then greatest(q.run_at, least(excluded.run_at, q.created_at + ${LATEST}::interval))
        else q.run_at
      end`
}

/** Queues the tests of a chatbot because it, or one of its tests, has changed. */
export const queueTestsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, chatbot: ChatbotId) {
  const own = sql`id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`
  yield* sql`${queueTests(sql, sql`select id, organization_id from chatbots where ${own}`)}`
})

/** Queues the next run of a chatbot's plan, instead of the one that was planned, where no other run waits. */
export const planTests = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, chatbot: ChatbotId) {
  const own = sql`chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`
  yield* sql`delete from test_queue q where ${own} and ${sql.literal(PLANNED)}`
  yield* sql`
    insert into test_queue (chatbot_id, organization_id, trigger, run_at)
    select chatbot_id, organization_id, 'schedule', greatest(now(),
      coalesce((select max(created_at) from test_runs where ${own} and trigger = 'schedule'), now())
        + case plan->>'schedule' when 'daily' then interval '1 day' else interval '7 days' end)
    from test_plans where ${own} and plan->>'schedule' in ('daily', 'weekly')
    on conflict (chatbot_id) do nothing`
})
