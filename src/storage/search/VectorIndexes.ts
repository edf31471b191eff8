import { createHash } from "node:crypto"
import { Context, Duration, Effect, Latch, Layer, Schema } from "effect"
import { regularly } from "../../system/Background.ts"
import { makeIndexes } from "../sql/Indexes.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutTimeLimit } from "../sql/TimeLimit.ts"

/** An HNSW index over the vectors of one model and dimension, for all chatbots together. */
export interface VectorIndex {
  readonly model: string
  readonly dimensions: number
  /** The type as which the vectors are indexed: `halfvec` where a `vector` does not fit into a page. */
  readonly type: "vector" | "halfvec"
}

export interface VectorIndexesSettings {
  /** A chatbot with at least this many chunks is searched by an index, instead of comparing all of its vectors. */
  readonly leastChunks: number
}

/** The least size of a chatbot for which an index is built: by its chunks, or by the numbers in their vectors. */
export interface LeastSize {
  readonly chunks: number
  readonly numbers: number
}

/**
 * The default settings. With fewer chunks, an exact search takes about as long as one by index; and for a chatbot with
 * a small share of a large table, an index search visits too many vectors of others.
 */
const defaultVectorIndexesSettings: VectorIndexesSettings = { leastChunks: 5_000 }

/** The most dimensions that pgvector can index. */
const DIMENSIONS_MAX = { vector: 2_000, halfvec: 4_000 }
/** The oldest pgvector whose index search goes on until it has found enough vectors of the chatbot. */
const OLDEST_PGVECTOR = [0, 8] as const
/** Time between two checks whether a chatbot has become large enough for an index. */
const LOOK_EVERY = Duration.minutes(1)

const decodeVersion = decodeRows(Schema.Struct({ version: Schema.String }))
const decodeDimensions = decodeRows(Schema.Struct({ dimensions: Schema.Finite }))

/** Indexes for the search of nearest vectors, which are built once a chatbot is large enough. */
export class VectorIndexes extends Context.Service<VectorIndexes>()("parley/storage/search/VectorIndexes", {
  make: (settings: VectorIndexesSettings) =>
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const indexes = makeIndexes(sql)
      const ready = new Map<string, VectorIndex>()
      const bell = yield* Latch.make(false)
      let isRequested = false

      const isPossible = Effect.gen(function* () {
        const [row] = yield* decodeVersion(sql`
          select extversion as version from pg_extension where extname = 'vector'`)
        const [major = 0, minor = 0] = (row?.version ?? "").split(".").map(Number)
        return major > OLDEST_PGVECTOR[0] || minor >= OLDEST_PGVECTOR[1]
      })

      /** Returns the indexes that the model's vectors need in chatbots that are large enough. */
      const neededIndexes = Effect.fnUntraced(function* (model: string, least: LeastSize) {
        const rows = yield* decodeDimensions(sql`
          select distinct dimensions
          from (
            select chatbot_id, sum(chunk_count) as chunks from documents where embedding_model = ${model}
            group by chatbot_id having sum(chunk_count) >= ${settings.leastChunks}
          ) large cross join lateral (
            select c.embedding_dimensions as dimensions from chunks c
            where c.chatbot_id = large.chatbot_id and c.embedding_model = ${model} limit 1
          ) of_chunk
          where ${isRequested} or chunks >= ${least.chunks}::bigint or chunks * dimensions >= ${least.numbers}::bigint`)
        return rows.flatMap(({ dimensions }) => indexOf(model, dimensions) ?? [])
      })

      const build = Effect.fn("VectorIndexes.build")(function* (model: string, least: LeastSize) {
        if (!(yield* isPossible)) return
        for (const index of yield* neededIndexes(model, least)) {
          const { dimensions, type } = index
          const isReady = yield* indexes.ensure({
            name: nameOf(index),
            table: "chunks",
            definition: `using hnsw ((embedding::${type}(${dimensions})) ${type}_cosine_ops) where ${conditionOf(index)}`,
          })
          if (isReady) ready.set(nameOf(index), index)
        }
      }, withoutTimeLimit)

      return {
        /** Finds the index for a search, if it is built and the chatbot, with this many chunks, is large enough for it. */
        find: ({ model, dimensions, chunks }: Omit<VectorIndex, "type"> & { readonly chunks: number }) => {
          const index = chunks < settings.leastChunks ? undefined : indexOf(model, dimensions)
          return index === undefined ? undefined : ready.get(nameOf(index))
        },

        /**
         * Requests an index for each chatbot that would be searched by it, of any size, because vectors do not find
         * room in memory. It returns at once.
         */
        request: Effect.suspend(() => {
          isRequested = true
          return Effect.asVoid(bell.open)
        }),

        /**
         * Builds the indexes of the model's vectors for chatbots of at least this size. The vectors of smaller ones are
         * compared in memory, and an index would slow down the ingestion of all. It returns when that is done.
         */
        build,

        /** Builds such indexes for ever, as chatbots grow, and when they are requested. */
        keep: (model: string, least: LeastSize) =>
          regularly(LOOK_EVERY, "A vector index was not made", build(model, least), bell),
      }
    }),
}) {
  static readonly layer = (settings: VectorIndexesSettings = defaultVectorIndexesSettings) =>
    Layer.effect(this, this.make(settings))
}

/** The index for vectors of a model; undefined when they have too many dimensions for one. */
const indexOf = (model: string, dimensions: number): VectorIndex | undefined => {
  if (dimensions <= DIMENSIONS_MAX.vector) return { model, dimensions, type: "vector" }
  return dimensions <= DIMENSIONS_MAX.halfvec ? { model, dimensions, type: "halfvec" } : undefined
}

const nameOf = ({ model, dimensions }: VectorIndex): string =>
  `chunks_nearest_${createHash("sha256").update(`${dimensions} ${model}`).digest("hex").slice(0, 16)}`

/**
 * The condition of a partial index. A query has to repeat it, with constants, or the planner cannot use the index.
 *
 * @param table the name of the table in the query, with a point
 */
export const conditionOf = ({ model, dimensions }: VectorIndex, table = ""): string =>
  `${table}embedding_model = '${model.replaceAll("'", "''")}' and ${table}embedding_dimensions = ${dimensions}`
