import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodePacks, packedWords, packOf } from "./ChunkPacks.ts"
import { type LexemeQuery, tsqueryOf } from "./LexemeQuery.ts"
import { lexemeIndexName, validIndex } from "./LexemeIndexes.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Selection of the chunks that a search by words takes from the database. */
export interface MatchQuery {
  /** All chunks that match this are returned; about `room` of them are expected at most. */
  readonly best: LexemeQuery | undefined
  /** Query whose other matches fill the room when next to none match `best`: those that Postgres ranks highest. */
  readonly next: LexemeQuery | undefined
  /**
   * Whether so many chunks match the next query that it takes longer to list them than to read some chunks, enough of
   * which will match. Defaults to false.
   */
  readonly isNextCommon?: boolean
  readonly room: number
  /** While the chatbot has no index of words, about this many chunks are scanned, those of the newest documents. */
  readonly scannedMax: number
}

/** The best matches may be more than expected: at most this many times the room are returned. */
const BEST_MAX = 2
/** This many times the room are ranked to find the next matches. Ranking one reads a page. */
const NEXT_MAX = 3
/** So many best matches suffice, which hold rarer words than all others: the first results are the same (measured). */
const ENOUGH = 50

export const makeMatch = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    chatbotId: ChatbotId,
    { best, next, isNextCommon = false, room, scannedMax }: MatchQuery,
  ) {
    const organization = yield* CurrentOrganization
    const bestQuery = best === undefined ? null : tsqueryOf(best)
    const nextQuery = next === undefined ? null : tsqueryOf(next)
    // Read once for both queries, from the newest document on. `offset 0` keeps the planner from reading all documents.
    const scanned = sql`
      select c.* from (
        select id, revision, sum(chunk_count) over (order by created_at desc, id desc) - chunk_count as newer
        from documents
        where chatbot_id = ${chatbotId} and organization_id = ${organization} and revision > 0
      ) d cross join lateral (
        select id, document_id, revision, language, lexemes from chunks
        where document_id = d.id and revision = d.revision and ordinal <= ${scannedMax}::bigint - d.newer
          and chatbot_id = ${chatbotId} and organization_id = ${organization}
          and (lexemes @@ ${bestQuery}::tsquery or lexemes @@ ${nextQuery}::tsquery)
        offset 0
      ) c
      where d.newer < ${scannedMax}::bigint and not (select is_indexed from state)`
    const rows = yield* decodePacks(sql`
      with state as materialized (
        select exists(${validIndex(sql, lexemeIndexName(chatbotId))}) as is_indexed
      ), scanned as materialized (${scanned}), best as materialized (
        select * from stored_matches(
          ${chatbotId}, ${bestQuery}::tsquery, null, case when (select is_indexed from state) then ${BEST_MAX * room}::int end,
          false
        )
        union all (select * from scanned where lexemes @@ ${bestQuery}::tsquery limit ${BEST_MAX * room})
      ), rest as materialized (
        select case when count(*) < ${Math.min(ENOUGH, room)}::int then ${room}::int - count(*)::int else 0 end as room from best
      ), next as (
        select * from (
          select * from stored_matches(
            ${chatbotId}, ${nextQuery}::tsquery, ${bestQuery}::tsquery,
            case when (select is_indexed from state) and (select room from rest) > 0 then ${NEXT_MAX * room}::int end,
            ${isNextCommon}
          )
          union all (
            select * from scanned
            where (select room from rest) > 0 and (lexemes @@ ${bestQuery}::tsquery) is not true limit ${NEXT_MAX * room}
          )
        ) as others
        order by ts_rank(lexemes, ${nextQuery}::tsquery, 1) desc, id limit (select room from rest)
      )
      ${packedWords(sql, sql`table best union all table next`)}`)
    return packOf(rows)
  }, withoutSqlErrors)
