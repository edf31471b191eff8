import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { knowledgeChanged } from "./chatbots/KnowledgeVersion.ts"
import { type ChatbotId, SessionId } from "../domain/Ids.ts"
import type { SourceId } from "../domain/knowledge/Source.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { emptyDrafts } from "./conversations/UnfinishedReplies.ts"
import { decodeRows } from "./Rows.ts"
import { uuids } from "./sql/SqlValues.ts"
import { retryConflicts, transaction } from "./sql/SqlErrors.ts"

/** Deletes about this many rows in one statement, dependent rows included: on the embedded database, others wait. */
export const ROWS_AT_ONCE = 1_000

/*
 * These deletions come before the statement that deletes a chatbot, or all of its documents, so that this last
 * statement is a small one. They delete whole documents or conversations, some at a time. After a crash the deletion can
 * be repeated.
 */

/** The ids of the first of the rows that `from` selects as `id` and `size`: at least one, and about `ROWS_AT_ONCE` together. */
const firstOf = (sql: SqlClient.SqlClient, from: Statement.Fragment) => sql`
  select id from (
    select id, sum(size) over (rows unbounded preceding) - size as before from (${from}) found
  ) counted where before < ${ROWS_AT_ONCE}`

/** Deletes the documents of a chatbot, or of one of its sources, the oldest first, with their chunks. */
export const deleteDocuments = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  chatbot: ChatbotId,
  source?: SourceId,
) {
  const organization = yield* CurrentOrganization
  const own = sql`chatbot_id = ${chatbot} and organization_id = ${organization}
    ${source === undefined ? sql`` : sql`and source_id = ${source}`}`
  const from = sql`select id, 1 + chunk_count as size from documents where ${own}
    order by created_at, id limit ${ROWS_AT_ONCE}`
  // The new version makes every server drop what it knows of the deleted documents.
  const deletion = sql`
    with gone as (delete from documents where id in (${firstOf(sql, from)}) and ${own} returning id),
    ${knowledgeChanged(sql, sql`id = ${chatbot} and organization_id = ${organization} and exists (select from gone)`)}
    select id from gone limit 1`
  // The index keeps its entries of the deleted chunks until a scan has met them and marked them as dead; the next
  // search would pay for that. A range of one value makes the planner scan the index.
  const scan = sql`select id from chunks where chatbot_id between ${chatbot} and ${chatbot}
    and organization_id = ${organization} order by chatbot_id limit 1`
  yield* retryConflicts(deletion).pipe(Effect.tap(scan), Effect.repeat({ while: (gone) => gone.length > 0 }))
})

/** Deletes what is known of the pages of a chatbot's sources, or of one of them. */
export const deletePages = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  chatbot: ChatbotId,
  source?: SourceId,
) {
  const organization = yield* CurrentOrganization
  yield* retryConflicts(sql`
    delete from source_pages where id in (
      select p.id from source_pages p join sources s on s.id = p.source_id
      where s.chatbot_id = ${chatbot} and s.organization_id = ${organization}
        ${source === undefined ? sql`` : sql`and s.id = ${source}`} limit ${ROWS_AT_ONCE}
    ) and organization_id = ${organization} returning id`).pipe(Effect.repeat({ while: (gone) => gone.length > 0 }))
})

/** Deletes the conversations of a chatbot, those without activity for the longest first, with their messages. */
export const deleteSessions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, chatbot: ChatbotId) {
  const from = sql`select id, 1 + message_count as size from sessions
    where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization} order by updated_at, id
    limit ${ROWS_AT_ONCE}`
  yield* transaction(sql)(deleteSomeSessions(sql, { from })).pipe(
    Effect.repeat({ while: ({ conversations }) => conversations > 0 }),
  )
})

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
    delete from sessions where id in (${firstOf(sql, from)}) and organization_id = ${organization} and ${still}
    returning id, message_count as messages`)
  const ids = gone.map(({ id }) => id)
  // A statement of its own, so that it sees what was stored before the sessions were locked.
  if (ids.length > 0) {
    yield* emptyDrafts(sql, sql`session_id = any(${uuids(ids)}) and organization_id = ${organization}`)
  }
  return { conversations: ids.length, messages: gone.reduce((sum, { messages }) => sum + messages, 0) }
})
