import { Context, Duration, Effect, Latch, Layer } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { ChatbotId } from "../../domain/Ids.ts"
import { regularly } from "../../system/Background.ts"
import { makeChunkIndexes } from "./ChunkIndexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/** How often it is looked whether one is missing that could not be made, or is left of a chatbot that is gone. */
const LOOK_EVERY = Duration.minutes(1)
/** What was added since the index was last sorted is looked through by every search. In kB. */
const PENDING_MAX = 512

/** Before the chatbot's id, without its hyphens. */
export const LEXEME_INDEX = "chunks_lexemes_"

export const lexemeIndexName = (chatbotId: ChatbotId): string => `${LEXEME_INDEX}${chatbotId.replaceAll("-", "")}`

/** A row if there is such an index, and its making was finished. */
export const isWhole = (sql: SqlClient.SqlClient, name: string): Statement.Fragment =>
  sql`select from pg_index where indexrelid = to_regclass(${name}) and indisvalid`

const MAKING =
  "An index of words is being made; until it is there, searches without an index in memory look through the newest documents only"

/**
 * Indexes of words in the database, each of one chatbot whose knowledge is too large for an index in memory, or about to
 * be: smaller ones have no use for theirs, and would be ingested more slowly. Without it the newest documents are
 * read by each search, see `ChunkMatching.ts`.
 */
export class LexemeIndexes extends Context.Service<
  LexemeIndexes,
  {
    /** Has the chatbot's index made by whoever tends them, if it is not there yet. Waits for nothing. */
    readonly want: (chatbotId: ChatbotId) => Effect.Effect<void>
    /**
     * Makes the indexes that are wanted, and those of chatbots with at least so many chunks, which need not ask; drops the
     * indexes of chatbots that are gone. Takes as long as that takes.
     */
    readonly tend: (leastChunks: number) => Effect.Effect<void, SqlError.SqlError>
    /** Tends the indexes whenever one is wanted, and regularly. */
    readonly keep: (leastChunks: number) => Effect.Effect<never>
  }
>()("parley/storage/search/LexemeIndexes") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const indexes = makeChunkIndexes(sql)
      const wanted = new Set<ChatbotId>()
      const told = new Set<ChatbotId>()
      const bell = yield* Latch.make(false)

      const tend = Effect.fn("LexemeIndexes.tend")(function* (leastChunks: number) {
        const large = yield* sql<{ id: ChatbotId }>`
          select chatbot_id as id from documents where revision > 0
          group by chatbot_id having sum(chunk_count) >= ${leastChunks}::bigint`
        for (const { id } of large) wanted.add(id)
        for (const chatbotId of wanted) {
          const [chatbot] = yield* sql`select from chatbots where id = ${chatbotId}`
          if (chatbot !== undefined && !told.has(chatbotId)) {
            told.add(chatbotId)
            const [index] = yield* sql`${isWhole(sql, lexemeIndexName(chatbotId))}`
            if (index === undefined) yield* Effect.logInfo(MAKING, { chatbot: chatbotId })
          }
          const isDone = chatbot === undefined || (yield* indexes.ensure(indexOf(chatbotId)))
          if (isDone) wanted.delete(chatbotId)
        }
        const orphans = yield* sql<{ name: string }>`
          select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
          where indrelid = 'chunks'::regclass and starts_with(relname, ${LEXEME_INDEX})
            and not exists (select from chatbots where relname = ${LEXEME_INDEX} || replace(id::text, '-', ''))`
        for (const { name } of orphans) yield* indexes.drop(name)
      }, withoutTimeLimit)

      const keep = (leastChunks: number) =>
        regularly(LOOK_EVERY, "An index of words was not made", tend(leastChunks), bell)

      return {
        want: (chatbotId) =>
          Effect.suspend(() => {
            wanted.add(chatbotId)
            return Effect.asVoid(bell.open)
          }),
        tend,
        keep,
      }
    }),
  )
}

const indexOf = (chatbotId: ChatbotId) => ({
  name: lexemeIndexName(chatbotId),
  definition: `using gin (lexemes) with (gin_pending_list_limit = ${PENDING_MAX}) where chatbot_id = '${chatbotId}'`,
})
