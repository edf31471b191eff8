import { createHash } from "node:crypto"
import { Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { regularly } from "../../system/Background.ts"
import { makeChunkIndexes } from "./ChunkIndexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/** An HNSW index over the vectors of one model and dimension, of all chatbots. */
export interface VectorIndex {
  readonly model: string
  readonly dimensions: number
  /** What the vectors are indexed as: halves of a float where whole ones do not fit a page. */
  readonly type: "vector" | "halfvec"
}

export interface VectorIndexesSettings {
  /** Chunks of a chatbot from which on its nearest vectors are looked up in an index rather than compared one by one. */
  readonly leastChunks: number
}

/**
 * Below it an exact search takes about as long as one by index, and finds all; and a chatbot with a small share of a
 * large table makes an index search look at too many vectors of others.
 */
export const defaultVectorIndexesSettings: VectorIndexesSettings = { leastChunks: 5_000 }

/** What pgvector can index. */
const DIMENSIONS_MAX = { vector: 2_000, halfvec: 4_000 }
/** pgvector 0.8 goes on searching until it has found enough that is the chatbot's; older ones stop short. */
const OLDEST_PGVECTOR = [0, 8] as const
/** How often it is looked whether a chatbot has grown. */
const LOOK_EVERY = Duration.minutes(1)

/** Indexes for the search of nearest vectors, made when they are worth it. */
export class VectorIndexes extends Context.Service<
  VectorIndexes,
  {
    /** The index that serves such a search, if there is one by now and the chatbot is large enough to want it. */
    readonly find: (wanted: {
      readonly model: string
      readonly dimensions: number
      readonly chunks: number
    }) => VectorIndex | undefined
    /** Looks whether a chatbot is large enough, and makes the index for the model's vectors. Takes as long as that takes. */
    readonly build: (model: string) => Effect.Effect<void, SqlError.SqlError>
    /** Does so again and again. */
    readonly keep: (model: string) => Effect.Effect<never>
  }
>()("parley/storage/search/VectorIndexes") {
  static readonly layer = (settings: VectorIndexesSettings = defaultVectorIndexesSettings) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const indexes = makeChunkIndexes(sql)
        const ready = new Map<string, VectorIndex>()

        const isPossible = Effect.gen(function* () {
          const [row] = yield* sql<{ version: string }>`
            select extversion as version from pg_extension where extname = 'vector'`
          const [major = 0, minor = 0] = (row?.version ?? "").split(".").map(Number)
          return major > OLDEST_PGVECTOR[0] || minor >= OLDEST_PGVECTOR[1]
        })

        /** Dimensions of the model's vectors in chatbots that are large enough. */
        const wanted = Effect.fnUntraced(function* (model: string) {
          const rows = yield* sql<{ dimensions: number }>`
            select distinct (
              select c.embedding_dimensions from chunks c
              where c.chatbot_id = large.chatbot_id and c.embedding_model = ${model} limit 1
            ) as dimensions
            from (
              select chatbot_id from documents where embedding_model = ${model}
              group by chatbot_id having sum(chunk_count) >= ${settings.leastChunks}
            ) large`
          return rows.flatMap(({ dimensions }) => indexOf(model, dimensions) ?? [])
        })

        const build = Effect.fn("VectorIndexes.build")(function* (model: string) {
          if (!(yield* isPossible)) return
          for (const index of yield* wanted(model)) {
            const { dimensions, type } = index
            const isReady = yield* indexes.ensure({
              name: nameOf(index),
              definition: `using hnsw ((embedding::${type}(${dimensions})) ${type}_cosine_ops) where ${conditionOf(index)}`,
            })
            if (isReady) ready.set(nameOf(index), index)
          }
        }, withoutTimeLimit)

        const keep = (model: string) => regularly(LOOK_EVERY, "A vector index was not made", build(model))

        return {
          find: ({ model, dimensions, chunks }) => {
            const index = chunks < settings.leastChunks ? undefined : indexOf(model, dimensions)
            return index === undefined ? undefined : ready.get(nameOf(index))
          },
          build,
          keep,
        }
      }),
    )
}

/** As it would be; undefined when no index takes so many dimensions. */
const indexOf = (model: string, dimensions: number): VectorIndex | undefined => {
  if (dimensions <= DIMENSIONS_MAX.vector) return { model, dimensions, type: "vector" }
  return dimensions <= DIMENSIONS_MAX.halfvec ? { model, dimensions, type: "halfvec" } : undefined
}

const nameOf = ({ model, dimensions }: VectorIndex): string =>
  `chunks_nearest_${createHash("sha256").update(`${dimensions} ${model}`).digest("hex").slice(0, 16)}`

/**
 * What makes a row one of the index's. A query has to say the same, with constants: only then does the planner see that
 * the index serves.
 *
 * @param table with its point, as the query names it
 */
export const conditionOf = ({ model, dimensions }: VectorIndex, table = ""): string =>
  `${table}embedding_model = '${model.replaceAll("'", "''")}' and ${table}embedding_dimensions = ${dimensions}`
