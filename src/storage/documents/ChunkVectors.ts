import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ChunkId } from "../../domain/knowledge/Chunk.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type VectorOids, vectors } from "../sql/SqlValues.ts"

/** The model of chunks that have no vector yet, which no search compares. */
export const NO_MODEL = "none"

export interface EmbeddedChunk {
  readonly id: ChunkId
  readonly embedding: Float32Array
  /** Sketch that an index in memory compares in place of the embedding; null where no index does. */
  readonly sketch: Uint8Array | null
}

/** Makes the statement that replaces the embeddings of chunks of a document, all by those of one model and dimension. */
export const makeReplaceVectors = (sql: SqlClient.SqlClient, types: VectorOids) =>
  Effect.fnUntraced(function* (document: DocumentId, model: string, embedded: ReadonlyArray<EmbeddedChunk>) {
    const organization = yield* CurrentOrganization
    yield* sql`
      update chunks c set embedding_model = ${model}, sketch = nullif(decode(embedded.sketch, 'base64'), ''),
        embedding = (${vectors(
          types,
          embedded.map(({ embedding }) => embedding),
        )})[number]
      from unnest(
        ${embedded.map(({ id }) => id)}::uuid[],
        ${embedded.map(({ sketch }) => sketch?.toBase64() ?? "")}::text[]
      ) with ordinality as embedded (id, sketch, number)
      where c.id = embedded.id and c.document_id = ${document} and c.organization_id = ${organization}`
  })
