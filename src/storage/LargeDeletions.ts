import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { type ChatbotId, SessionId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { emptyDrafts } from "./conversations/UnfinishedReplies.ts"
import { decodeRows } from "./Rows.ts"
import { uuids } from "./sql/SqlValues.ts"
import { retryConflicts } from "./sql/SqlErrors.ts"

/** Deletes about this many rows in one statement, dependent rows included: on the embedded database, others wait. */
export const ROWS_AT_ONCE = 1_000

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

const decodeDeleted = decodeRows(Schema.Struct({ id: SessionId, messages: Schema.Finite }))

/**
 * Deletes conversations with their messages, and the contents of replies that are being made in them, within the
 * transaction that is open: some of those that `from` selects as `id` and `size`, but at least one if there is any.
 *
 * @param still a condition that has to hold at the moment of the deletion
 */
export const deleteSomeSessions = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { from, still = sql`true` }: { readonly from: Statement.Fragment; readonly still?: Statement.Fragment },
) {
  const organization = yield* CurrentOrganization
  const gone = yield* decodeDeleted(sql`
    with found as (${from}), counted as (
      select id, size, sum(size) over (rows unbounded preceding) as upto from found
    )
    delete from sessions where id in (select id from counted where upto - size < ${ROWS_AT_ONCE})
      and organization_id = ${organization} and ${still}
    returning id, message_count as messages`)
  const ids = gone.map(({ id }) => id)
  // A statement of its own, so that it sees what was stored before the sessions were locked.
  if (ids.length > 0) {
    yield* emptyDrafts(sql, sql`session_id = any(${uuids(ids)}) and organization_id = ${organization}`)
  }
  return { conversations: ids.length, messages: gone.reduce((sum, { messages }) => sum + messages, 0) }
})

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
