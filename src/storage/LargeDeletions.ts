import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { ChatbotId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { retryConflicts } from "./sql/SqlErrors.ts"

/** Deletes about this many rows in one statement, dependent rows included: on the embedded database, others wait. */
const ROWS_AT_ONCE = 1_000

/*
 * These deletions come before the statement that deletes a chatbot, or all of its documents, so that this last
 * statement is a small one. They delete whole documents or conversations, some at a time, while there are more than one
 * statement may delete; where there are few, they delete none. After a crash the deletion can be repeated.
 */

/** Deletes the oldest documents of a chatbot, with their chunks, until one statement can delete the rest. */
export const deleteMostDocuments = (sql: SqlClient.SqlClient) =>
  leaveFew(sql, (chatbot, organization) => ({
    from: sql`select id, 1 + chunk_count as size from documents
      where chatbot_id = ${chatbot} and organization_id = ${organization} order by created_at, id`,
    // The new version makes every server drop what it knows of the deleted documents.
    remove: (some) => sql`, gone as (delete from documents where id in (${some}) returning id)
      update chatbots set knowledge_version = knowledge_version + 1
      where id = ${chatbot} and organization_id = ${organization} and exists (select from gone) returning id`,
    // The index keeps its entries of the deleted chunks until a scan has met them and marked them as dead; the next
    // search would pay for that. A range of one value makes the planner scan the index.
    after: sql`select id from chunks where chatbot_id between ${chatbot} and ${chatbot} and organization_id = ${organization}
      order by chatbot_id limit 1`,
  }))

/** Deletes the oldest conversations of a chatbot, with their messages, until one statement can delete the rest. */
export const deleteMostSessions = (sql: SqlClient.SqlClient) =>
  leaveFew(sql, (chatbot, organization) => ({
    from: sql`select id, 1 + message_count as size from sessions
      where chatbot_id = ${chatbot} and organization_id = ${organization} order by updated_at, id`,
    remove: (some) => sql`delete from sessions where id in (${some}) returning id`,
    after: Effect.void,
  }))

type Fragment = Statement.Statement<object>

const leaveFew =
  (
    sql: SqlClient.SqlClient,
    of: (
      chatbot: ChatbotId,
      organization: CurrentOrganization["Service"],
    ) => {
      readonly from: Fragment
      readonly remove: (some: Fragment) => Fragment
      readonly after: Effect.Effect<unknown, SqlError.SqlError>
    },
  ) =>
  (chatbot: ChatbotId): Effect.Effect<void, SqlError.SqlError, CurrentOrganization> =>
    Effect.flatMap(CurrentOrganization, (organization) => {
      const { after, from, remove } = of(chatbot, organization)
      // A document or conversation that is larger than the limit is deleted alone.
      const some = sql`select id from counted
        where upto - size < ${ROWS_AT_ONCE} and exists (select from counted where upto > ${ROWS_AT_ONCE})`
      const statement = sql`
        with oldest as (${from} limit ${ROWS_AT_ONCE + 1}), counted as (
          select id, size, sum(size) over (rows unbounded preceding) as upto from oldest
        ) ${remove(some)}`
      return retryConflicts(statement).pipe(
        Effect.tap(after),
        Effect.repeat({ while: (gone) => gone.length > 0 }),
        Effect.asVoid,
      )
    })
