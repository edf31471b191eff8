import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { ChatbotId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { unlessItGivesWay } from "./sql/SqlErrors.ts"

/** Rows that one statement deletes, about, with all that hangs on them: others wait for it on the embedded database. */
const ROWS_AT_ONCE = 1_000

/*
 * What comes before a large deletion, so that its last statement is a small one: whole documents and whole conversations
 * are deleted some at a time, as long as there are more of them than one statement may delete. Where there are few, none
 * is, and all of them go at once. One that is cut short by a crash leaves whole ones, and can be asked for again.
 */

/** Deletes documents of a chatbot with their chunks until few are left. */
export const leaveFewDocuments = (sql: SqlClient.SqlClient) =>
  leaveFew(sql, (chatbot, organization) => ({
    from: sql`select id, 1 + chunk_count as size from documents
      where chatbot_id = ${chatbot} and organization_id = ${organization} order by created_at, id`,
    // Whoever deletes documents tells every server that the chatbot's knowledge has changed.
    remove: (some) => sql`, gone as (delete from documents where id in (${some}) returning id)
      update chatbots set knowledge_version = knowledge_version + 1
      where id = ${chatbot} and organization_id = ${organization} and exists (select from gone) returning id`,
    // Whoever looks for chunks by chatbot afterwards would meet all that were deleted, unless the index was walked
    // meanwhile: then it knows that they are gone. A range of one has it walked, whatever the planner thinks.
    after: sql`select id from chunks where chatbot_id between ${chatbot} and ${chatbot} and organization_id = ${organization}
      order by chatbot_id limit 1`,
  }))

/** Deletes conversations of a chatbot with their messages until few are left. */
export const leaveFewSessions = (sql: SqlClient.SqlClient) =>
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
      // One that is larger than all that may go at once goes alone.
      const some = sql`select id from counted
        where upto - size < ${ROWS_AT_ONCE} and exists (select from counted where upto > ${ROWS_AT_ONCE})`
      const statement = sql`
        with oldest as (${from} limit ${ROWS_AT_ONCE + 1}), counted as (
          select id, size, sum(size) over (rows unbounded preceding) as upto from oldest
        ) ${remove(some)}`
      return unlessItGivesWay(statement).pipe(
        Effect.tap(after),
        Effect.repeat({ while: (gone) => gone.length > 0 }),
        Effect.asVoid,
      )
    })
