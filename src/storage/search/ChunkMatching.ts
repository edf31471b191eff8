import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { packedWords, packOf, type PackRow } from "./ChunkPacks.ts"
import { type LexemeQuery, tsqueryOf } from "./LexemeQuery.ts"
import { isWhole, lexemeIndexName } from "./LexemeIndexes.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

export interface Matching {
  /** Those that hold this are all wanted, and expected to be about `room` at most. */
  readonly best: LexemeQuery | undefined
  /** If half of the room is left, others that hold this: of as many as can be looked at, those that Postgres ranks highest. */
  readonly next: LexemeQuery | undefined
  readonly room: number
  /** While there is no index of words, about so many chunks are looked through, those of the newest documents. */
  readonly scannedMax: number
}

/** An expectation may be wrong: so many times as many are taken. */
const BEST_MAX = 2
/** So many times as many are ranked: each is a page to read. */
const NEXT_MAX = 3
/** Best ones that take this share of the room suffice: the first results are the same without others (measured). */
const ENOUGH = 0.5

/** Chunks of serving documents that hold what is asked for, in order of their ids. */
export const makeMatching = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chatbotId: ChatbotId, { best, next, room, scannedMax }: Matching) {
    const organization = yield* CurrentOrganization
    const wanted = best === undefined ? null : tsqueryOf(best)
    const more = next === undefined ? null : tsqueryOf(next)
    // Read once for both, in turn from the newest document on: the planner cannot choose to read all instead.
    const scanned = sql`
      select c.* from (
        select id, revision, sum(chunk_count) over (order by created_at desc, id desc) - chunk_count as newer
        from documents
        where chatbot_id = ${chatbotId} and organization_id = ${organization} and revision > 0
      ) d cross join lateral (
        select id, document_id, revision, language, lexemes from chunks
        where document_id = d.id and revision = d.revision and ordinal <= ${scannedMax}::bigint - d.newer
          and chatbot_id = ${chatbotId} and organization_id = ${organization}
          and (lexemes @@ ${wanted}::tsquery or lexemes @@ ${more}::tsquery)
        offset 0
      ) c
      where d.newer < ${scannedMax}::bigint and not (select is_indexed from state)`
    const rows = yield* sql<PackRow>`
      with state as materialized (
        select exists(${isWhole(sql, lexemeIndexName(chatbotId))}) as is_indexed
      ), scanned as materialized (${scanned}), best as materialized (
        select * from matching_chunks(
          ${chatbotId}, ${wanted}::tsquery, null, case when (select is_indexed from state) then ${BEST_MAX * room}::int end
        )
        union all (select * from scanned where lexemes @@ ${wanted}::tsquery limit ${BEST_MAX * room})
      ), rest as materialized (
        select case when count(*) < ${ENOUGH * room}::float8 then ${room}::int - count(*)::int else 0 end as room from best
      ), next as (
        select * from (
          select * from matching_chunks(
            ${chatbotId}, ${more}::tsquery, ${wanted}::tsquery,
            case when (select is_indexed from state) and (select room from rest) > 0 then ${NEXT_MAX * room}::int end
          )
          union all (
            select * from scanned
            where (select room from rest) > 0 and (lexemes @@ ${wanted}::tsquery) is not true limit ${NEXT_MAX * room}
          )
        ) as others
        order by ts_rank(lexemes, ${more}::tsquery, 1) desc, id limit (select room from rest)
      )
      ${packedWords(sql, sql`table best union all table next`)}`
    return packOf(rows)
  }, withoutSqlErrors)
