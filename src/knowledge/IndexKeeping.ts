import { Effect, Layer } from "effect"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { LexemeIndexes } from "../storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../storage/search/VectorIndexes.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { chunksThatFit, type KnowledgeIndexesSettings } from "./search/KnowledgeIndexes.ts"
import { Snapshots } from "./segments/Snapshots.ts"

/**
 * A knowledge base that has come so far is soon too large for an index in memory, and the database's takes its time. A
 * database that answers nobody meanwhile does not make it before it is needed.
 */
const SHARE_INDEXED_AHEAD = 0.5

/**
 * Keeps the indexes of passages, on disk and in the database, as long as the layer lives. A database that answers nobody
 * while it builds an index gets none of vectors, which would take far too long; one of words takes as long as a few searches
 * without it.
 */
export const layer = ({ bytes }: Pick<KnowledgeIndexesSettings, "bytes">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { answersWhileIndexing } = yield* DatabaseTraits
      const share = answersWhileIndexing ? SHARE_INDEXED_AHEAD : 1
      yield* Effect.forkScoped((yield* LexemeIndexes).keep(Math.floor(share * chunksThatFit(bytes))))
      yield* Effect.forkScoped((yield* Snapshots).keep)
      const { model, isSemantic } = yield* Embeddings
      if (answersWhileIndexing && isSemantic) yield* Effect.forkScoped((yield* VectorIndexes).keep(model))
    }),
  )
