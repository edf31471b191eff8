import { Layer } from "effect"
import { Extract, type ExtractSettings } from "./Extract.ts"
import { Indexer } from "./Indexer.ts"
import * as IndexKeeping from "./IndexKeeping.ts"
import { Retriever, type RetrieverSettings } from "./Retriever.ts"
import { KnowledgeIndexes, type KnowledgeIndexesSettings } from "./search/KnowledgeIndexes.ts"
import { Snapshots, type SnapshotsSettings } from "./segments/Snapshots.ts"

export interface KnowledgeSettings {
  readonly extract: ExtractSettings
  readonly knowledgeIndexes: KnowledgeIndexesSettings
  readonly retriever: RetrieverSettings
  readonly snapshots: SnapshotsSettings
}

/** How files become passages, and how passages are found. */
export const layer = (settings: KnowledgeSettings) =>
  Layer.mergeAll(
    Extract.layer(settings.extract),
    Indexer.layer,
    IndexKeeping.layer(settings.knowledgeIndexes),
    Retriever.layer(settings.retriever).pipe(Layer.provide(KnowledgeIndexes.layer(settings.knowledgeIndexes))),
  ).pipe(Layer.provideMerge(Snapshots.layer(settings.snapshots)))
