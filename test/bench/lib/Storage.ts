import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Indexer } from "../../../src/knowledge/Indexer.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { VectorIndexes } from "../../../src/storage/search/VectorIndexes.ts"
import { layerPostgres } from "../../../src/storage/sql/Database.ts"
import { defaults } from "../../lib/Defaults.ts"
import type { BenchEmbeddings } from "./BenchEmbeddings.ts"

/** The parts of the server with which `Filling` stores passages in the database at this address. */
export const storage = (url: string, embeddings: BenchEmbeddings, providerUrl: string) =>
  Indexer.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Chunks.layer, VectorIndexes.layer(), embeddings.layer(providerUrl), SecureRandom.layerWebCrypto),
    ),
    Layer.provideMerge(layerPostgres({ ...defaults.database, url: Redacted.make(url) })),
    Layer.provide(fileSystem),
  )
