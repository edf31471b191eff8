import { Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { deleteSomeSessions, ROWS_AT_ONCE } from "../LargeDeletions.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { committing, lengthy } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"

/** Time for which a run belongs to its server after its last step; then another server may go on with it. */
const LEASE = Duration.minutes(1)

const decodeOrganizations = decodeRows(Schema.Struct({ id: OrganizationId }))

/**
 * Deletes conversations whose retention is over: those without activity for more days than their organization says, or
 * `fallback` where it says nothing; undefined keeps them for ever.
 */
export class Retention extends Service<Retention>()("parley/storage/conversations/Retention", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const auditing = yield* Auditing

  /** The moment before which the last activity of a conversation of the organization `o` has to be. */
  const cutoff = (fallback: number | undefined) =>
    sql`now() - make_interval(days => coalesce(o.retention_days, ${fallback ?? null}::int))`

  return {
    /**
     * Begins a run in every organization that has such conversations and in which no other server is at work, and
     * returns these organizations.
     */
    begin: Effect.fnUntraced(function* (fallback: number | undefined) {
      const rows = yield* decodeOrganizations(system`
        insert into retention_runs (organization_id, expires_at)
        select o.id, now() + ${interval(LEASE)} from organizations o
        where o.deleted_at is null and (
          exists (
            select from chatbots c where c.organization_id = o.id and exists (
              select from sessions s where s.organization_id = o.id and s.chatbot_id = c.id
                and s.updated_at < ${cutoff(fallback)}
            )
          )
          -- A server died before the end of its run.
          or exists (select from retention_runs r where r.organization_id = o.id)
        )
        on conflict (organization_id) do update set expires_at = excluded.expires_at
          where retention_runs.expires_at < now()
        returning organization_id as id`)
      return rows.map(({ id }) => id)
    }, lengthy),

    /**
     * Deletes some conversations of the current organization. Returns false when none is left; then the run has ended,
     * and the audit log has an entry with what all of its steps have deleted.
     */
    step: Effect.fnUntraced(function* (fallback: number | undefined) {
      const organization = yield* CurrentOrganization
      const end = sql`(select ${cutoff(fallback)} from organizations o where o.id = ${organization})`
      const { conversations, messages } = yield* deleteSomeSessions(sql, {
        from: sql`
          select s.id, s.size from chatbots c cross join lateral (
            select id, 1 + message_count as size from sessions
            where organization_id = ${organization} and chatbot_id = c.id and updated_at < ${end}
            order by updated_at limit ${ROWS_AT_ONCE}
          ) s
          where c.organization_id = ${organization} limit ${ROWS_AT_ONCE}`,
        // A visitor may have come back since the conversation was found.
        still: sql`updated_at < ${end}`,
      })
      if (conversations > 0) {
        yield* sql`
          update retention_runs set conversations = conversations + ${conversations}::int,
            messages = messages + ${messages}::int, expires_at = now() + ${interval(LEASE)}
          where organization_id = ${organization}`
        return true
      }
      const audited = yield* auditing.entry(
        sql,
        {
          organization,
          action: "conversation.expired",
          after: sql`
            select jsonb_build_object('conversations', ended.conversations, 'messages', ended.messages,
              'retention_days', coalesce(o.retention_days, ${fallback ?? null}::int))
            from ended, organizations o where o.id = ${organization}`,
        },
        sql`exists (select from ended where conversations > 0)`,
      )
      yield* sql`
        with ended as (
          delete from retention_runs where organization_id = ${organization} returning conversations, messages
        )
        ${audited}`
      return false
    }, committing(sql)),
  }
}) {}
