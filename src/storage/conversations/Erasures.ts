import { Array, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Erased, Visitor, VisitorNaming } from "../../domain/chat/Erasure.ts"
import { onlyOne, type Reach } from "../../domain/Caller.ts"
import { SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { deleteSomeSessions, ROWS_AT_ONCE } from "../LargeDeletions.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { uuids, within } from "../sql/SqlValues.ts"

const decodeIds = decodeRows(Schema.Struct({ id: SessionId }))

/** Deletes what the tables hold about visitors, always within the current organization. */
export class Erasures extends Service<Erasures>()("parley/storage/conversations/Erasures", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const auditing = yield* Auditing

  const isOf: Record<VisitorNaming, (name: string) => Statement.Fragment> = {
    email: (email) =>
      system`(s.user_info->>'email') is not null and lower(s.user_info->>'email') = lower(${email}::text)`,
    session_token: (token) => system`s.session_token = ${token}`,
    visitor_id: (id) => system`s.visitor = ${id}`,
  }

  /**
   * Finds some of the visitor's sessions. As the owner of the tables: for a tenant, Postgres would not look for an
   * address in the index before it has applied the policy to every row, because `lower` is not leakproof.
   */
  const findSome = Effect.fnUntraced(function* (visitor: Visitor, reach: Reach) {
    const rows = yield* decodeIds(system`
      select s.id from chatbots c join sessions s on s.chatbot_id = c.id and s.organization_id = c.organization_id
      where c.organization_id = ${yield* CurrentOrganization} ${within(system, reach, "c.id")}
        and ${isOf[visitor.by](visitor.name)}
      limit ${ROWS_AT_ONCE}`)
    return rows.map(({ id }) => id)
  })

  const eraseSome = Effect.fnUntraced(function* (ids: ReadonlyArray<SessionId>, visitor: Visitor, reach: Reach) {
    const organization = yield* CurrentOrganization
    const chatbot = onlyOne(reach)
    const erased = yield* deleteSomeSessions(sql, {
      from: sql`select id, 1 + message_count as size from sessions
        where id = any(${uuids(ids)}) and organization_id = ${organization}`,
    })
    yield* auditing.record(sql, {
      organization,
      action: "conversation.erased",
      ...(chatbot !== undefined && { chatbot }),
      after: { by: visitor.by, ...erased },
    })
    return erased
  }, transaction(sql))

  return {
    /**
     * Deletes the conversations of a visitor, with the chatbots within reach, some at a time. Each transaction adds an
     * entry to the audit log, which does not identify the visitor.
     */
    erase: Effect.fnUntraced(function* (visitor: Visitor, reach: Reach) {
      let total: Erased = { conversations: 0, messages: 0 }
      for (let ids = yield* findSome(visitor, reach), isFirst = true; isFirst || ids.length > 0; isFirst = false) {
        const erased = yield* eraseSome(ids, visitor, reach)
        total = {
          conversations: total.conversations + erased.conversations,
          messages: total.messages + erased.messages,
        }
        const left = ids.length === 0 ? [] : yield* findSome(visitor, reach)
        // A session that is found and not deleted is none of this tenant's, although the filter let it pass.
        ids = erased.conversations > 0 ? left : Array.difference(left, ids)
      }
      return total
    }, withoutSqlErrors),
  }
}) {}
