import { Effect, Layer } from "effect"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { LexemeIndexes } from "../storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../storage/search/VectorIndexes.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { chunksThatFit, type KnowledgeIndexesSettings, NUMBERS_IN_MEMORY } from "./search/IndexBuilder.ts"

/**
 * The database builds its indexes when a knowledge base reaches this share of the largest that fits an index in memory,
 * so that they are there before they are needed.
 */
const SHARE_INDEXED_AHEAD = 0.5

/**
 * Maintains the search indexes in the database for as long as the layer lives.
 *
 * A database that answers no query while it builds an index (the embedded one) gets no index of vectors, which would
 * take far too long. Its index of words takes as long as a few searches without it, and is built only when it is
 * needed.
 */
export const layer = ({ bytes }: Pick<KnowledgeIndexesSettings, "bytes">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { answersWhileIndexing } = yield* DatabaseTraits
      const share = answersWhileIndexing ? SHARE_INDEXED_AHEAD : 1
      const chunks = Math.floor(share * chunksThatFit(bytes))
      yield* Effect.forkScoped((yield* LexemeIndexes).keep(chunks))
      const { model, isSemantic } = yield* Embeddings
      if (!answersWhileIndexing || !isSemantic) return
      yield* Effect.forkScoped((yield* VectorIndexes).keep(model, { chunks, numbers: share * NUMBERS_IN_MEMORY }))
    }),
  )
