import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChunkId } from "../../domain/knowledge/Chunk.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { vector } from "../sql/SqlValues.ts"
import { conditionOf, type VectorIndex } from "./VectorIndexes.ts"

/** The chunks whose vectors are compared with that of a question. */
export interface Comparison {
  readonly chatbotId: ChatbotId
  /** Chunks to compare, wherever they are. */
  readonly chunks: ReadonlyArray<ChunkId>
  readonly embedding: Float32Array
  /** The model of the embedding: only its vectors are compared. */
  readonly embeddingModel: string
  /** This many chunks nearest to the embedding are found too. With 0, they are not searched. */
  readonly nearest: number
  /** The index in which they are searched; undefined to compare each of the chatbot's vectors. */
  readonly index: VectorIndex | undefined
}

const decodeCosines = decodeRows(Schema.Struct({ id: ChunkId, cosine: Schema.Finite }))

export const makeCosines = (sql: SqlClient.SqlClient) => {
  const isComparable = ({ index, embedding, embeddingModel }: Comparison) =>
    index === undefined
      ? sql`c.embedding_model = ${embeddingModel} and c.embedding_dimensions = ${embedding.length}`
      : sql.literal(conditionOf(index, "c."))

  const distance = (index: VectorIndex | undefined, embedding: Statement.Fragment) => {
    if (index === undefined) return sql`c.embedding <=> ${embedding}`
    const indexed = sql.literal(`${index.type}(${index.dimensions})`)
    return sql`(c.embedding::${indexed}) <=> ${embedding}::${indexed}`
  }

  return Effect.fnUntraced(function* (comparison: Comparison) {
    const organization = yield* CurrentOrganization
    const { chatbotId, chunks, index, nearest } = comparison
    const embedding = vector(comparison.embedding)
    const comparable = isComparable(comparison)
    // The conditions on documents follow from those on chunks. Without them, Postgres expects a few documents of the
    // organization, and reads the chunks of all of its chatbots.
    const nearestChunks =
      nearest === 0
        ? sql``
        : sql`union all (
          select c.id, c.embedding from chunks c join documents d on d.id = c.document_id and d.revision = c.revision
          where c.chatbot_id = ${chatbotId} and c.organization_id = ${organization} and ${comparable}
            and d.chatbot_id = ${chatbotId} and d.organization_id = ${organization}
          order by ${distance(index, embedding)} limit ${nearest})`
    // A prepared statement gets one plan for all chatbots after a few executions: that for one of average size, which
    // takes minutes where one chatbot has hundreds of thousands of chunks beside thousands that have a few.
    const rows = yield* decodeCosines(
      sql`
      select id, 1 - (embedding <=> ${embedding}) as cosine from (
        select c.id, c.embedding from chunks c
        where c.id = any(${chunks}::uuid[]) and c.chatbot_id = ${chatbotId} and c.organization_id = ${organization}
          and ${comparable} ${nearestChunks}) found`.unprepared,
    )
    return new Map(rows.map(({ id, cosine }) => [id, cosine]))
  }, withoutSqlErrors)
}
