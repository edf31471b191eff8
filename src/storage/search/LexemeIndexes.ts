import { Duration, Effect, Latch, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChatbotId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { regularly } from "../../system/Background.ts"
import { makeIndexes } from "../sql/Indexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/**
 * The interval of the maintenance, which reads the sizes of all documents. It finds indexes that could not be built and
 * those of deleted chatbots; one that a search misses is requested at once.
 */
const LOOK_EVERY = Duration.minutes(10)
/** The size, in kB, at which new entries are merged into an index: until then every search scans them. */
const PENDING_MAX = 512

/** The beginning of an index's name. The chatbot's id without its hyphens follows. */
export const LEXEME_INDEX = "chunks_lexemes_"

export const lexemeIndexName = (chatbotId: ChatbotId): string => `${LEXEME_INDEX}${chatbotId.replaceAll("-", "")}`

/** A query with one row if there is an index of this name that was built to the end, and with none otherwise. */
export const validIndex = (sql: SqlClient.SqlClient, name: string): Statement.Fragment =>
  sql`select from pg_index where indexrelid = to_regclass(${name}) and indisvalid`

const decodeIds = decodeRows(Schema.Struct({ id: ChatbotId }))
const decodeNames = decodeRows(Schema.Struct({ name: Schema.String }))

/**
 * Indexes of words in the database, one for each chatbot whose knowledge is too large for an index in memory, or soon
 * will be. Smaller chatbots would not use one, and it would slow down their ingestion. Until there is one, each search
 * of such a chatbot scans the newest documents, see `ChunkMatching.ts`.
 */
export class LexemeIndexes extends Service<LexemeIndexes>()("parley/storage/search/LexemeIndexes", function* () {
  const sql = yield* SystemSql
  const indexes = makeIndexes(sql)
  const requested = new Set<ChatbotId>()
  const bell = yield* Latch.make(false)

  const maintain = Effect.fn("LexemeIndexes.maintain")(function* (leastChunks: number) {
    const large = yield* decodeIds(sql`
      select chatbot_id as id from documents where revision > 0
      group by chatbot_id having sum(chunk_count) >= ${leastChunks}::bigint`)
    for (const { id } of large) requested.add(id)
    for (const chatbotId of requested) {
      const [chatbot] = yield* sql`select from chatbots where id = ${chatbotId}`
      if (chatbot === undefined || (yield* indexes.ensure(indexOf(chatbotId)))) requested.delete(chatbotId)
    }
    const orphans = yield* decodeNames(sql`
      select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = 'chunks'::regclass and starts_with(relname, ${LEXEME_INDEX})
        and not exists (select from chatbots where relname = ${LEXEME_INDEX} || replace(id::text, '-', ''))`)
    for (const { name } of orphans) yield* indexes.drop(name)
  }, withoutTimeLimit)

  return {
    /** Requests the chatbot's index from the maintenance, if there is none. It returns at once. */
    request: (chatbotId: ChatbotId) =>
      Effect.suspend(() => {
        requested.add(chatbotId)
        return Effect.asVoid(bell.open)
      }),

    /**
     * Builds the indexes that were requested and those of all chatbots with at least `leastChunks` chunks, and drops
     * the indexes of deleted chatbots. It returns when all of that is done.
     */
    maintain,

    /** Maintains the indexes for ever: regularly, and whenever one is requested. */
    keep: (leastChunks: number) => regularly(LOOK_EVERY, "An index of words was not made", maintain(leastChunks), bell),
  }
}) {}

const indexOf = (chatbotId: ChatbotId) => ({
  name: lexemeIndexName(chatbotId),
  table: "chunks",
  definition: `using gin (lexemes) with (gin_pending_list_limit = ${PENDING_MAX}) where chatbot_id = '${chatbotId}'`,
})
