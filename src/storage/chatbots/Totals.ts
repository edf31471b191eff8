import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"
import { ChatbotTotals, CONVERSATIONS_COUNTED } from "../../domain/overview/ChatbotTotals.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { within } from "../sql/SqlValues.ts"

const CHATBOTS_MAX = 1_000

const Row = Schema.Struct({
  chatbot_id: ChatbotId,
  total: Schema.Finite,
  under_way: Schema.Finite,
  failed: Schema.Finite,
  sources: Schema.Struct({ total: Schema.Int, failed: Schema.Int }),
  tests: ChatbotTotals.fields.tests,
  recent: Schema.Finite,
  latest: Schema.NullOr(Schema.Date),
})
type Row = typeof Row.Type

const decodeAll = decodeRows(Row)

/** Counts of what the current organization's chatbots have. */
export class Totals extends Service<Totals>()("parley/storage/chatbots/Totals", function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Counts for the newest chatbots within reach. */
    ofChatbots: Effect.fnUntraced(function* (reach: Reach) {
      const organization = yield* CurrentOrganization
      // Each count reads an index alone. Conversations are counted as far as the bound.
      const rows = yield* decodeAll(sql`
        select c.id as chatbot_id, d.total, d.under_way, d.failed, sources.sources, s.recent,
          coalesce(t.tests, jsonb_build_object('run_id', null, 'passed', 0, 'failed', 0)) as tests, (
            select updated_at from sessions where chatbot_id = c.id and organization_id = ${organization}
            order by updated_at desc, id desc limit 1
          ) as latest
        from (
          select id, created_at from chatbots
          where organization_id = ${organization} ${within(sql, reach, "id")}
          order by created_at desc, id desc limit ${CHATBOTS_MAX}
        ) c
        cross join lateral (
          select count(*)::int as total, count(*) filter (where status = 'failed')::int as failed,
            count(*) filter (where status not in ('ready', 'failed'))::int as under_way
          from documents where chatbot_id = c.id and organization_id = ${organization}
        ) d
        cross join lateral (
          select jsonb_build_object('total', count(*), 'failed', count(*) filter (where last.status in ('failed', 'held')))
            as sources
          from sources o left join lateral (
            select status from source_runs where source_id = o.id and organization_id = ${organization}
            order by created_at desc, id desc limit 1
          ) last on true
          where o.chatbot_id = c.id and o.organization_id = ${organization}
        ) sources
        left join lateral (
          select jsonb_build_object('run_id', id, 'passed', counts->'passed',
            'failed', (counts->>'failed')::int + (counts->>'errors')::int) as tests
          from test_runs where chatbot_id = c.id and organization_id = ${organization} and ended_at is not null
          order by created_at desc, id desc limit 1
        ) t on true
        cross join lateral (
          select count(*)::int as recent from (
            select from sessions where chatbot_id = c.id and organization_id = ${organization}
              and updated_at > now() - interval '7 days' limit ${CONVERSATIONS_COUNTED}
          ) counted
        ) s
        order by c.created_at desc, c.id desc`)
      return rows.map(({ chatbot_id, failed, latest, recent, sources, tests, total, under_way }) => ({
        chatbot_id,
        documents: { total, under_way, failed },
        sources,
        tests,
        conversations: { last_7_days: recent, latest_activity: latest === null ? null : timestamp(latest) },
      }))
    }, withoutSqlErrors),
  }
}) {}
