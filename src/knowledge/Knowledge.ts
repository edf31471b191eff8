import { Layer } from "effect"
import { Extract, type ExtractSettings } from "../readers/Extract.ts"
import { Indexer } from "./Indexer.ts"
import * as IndexKeeping from "./IndexKeeping.ts"
import { Retriever, type RetrieverSettings } from "./Retriever.ts"
import type { KnowledgeIndexesSettings } from "./search/IndexBuilder.ts"
import { KnowledgeIndexes } from "./search/KnowledgeIndexes.ts"

interface KnowledgeSettings {
  readonly extract: ExtractSettings
  readonly knowledgeIndexes: KnowledgeIndexesSettings
  readonly retriever: RetrieverSettings
}

/** Everything from a file to a passage that a search finds: extraction, indexing, search and its indexes. */
export const layer = (settings: KnowledgeSettings) =>
  Layer.mergeAll(
    Extract.layer(settings.extract),
    Indexer.layer,
    IndexKeeping.layer(settings.knowledgeIndexes),
    Layer.provideMerge(Retriever.layer(settings.retriever), KnowledgeIndexes.layer(settings.knowledgeIndexes)),
  )
