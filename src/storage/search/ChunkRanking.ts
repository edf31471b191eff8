import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ChunkId } from "../../domain/Chunk.ts"
import { NotFound } from "../../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { floats, vector } from "../sql/SqlValues.ts"
import { conditionOf, type VectorIndex } from "./VectorIndexes.ts"

/** A chunk that the search by words has found, with the score and the similarity that it got there. */
export interface Candidate {
  readonly chunkId: ChunkId
  readonly score: number
  /** From 0 to 1. */
  readonly similarity: number
}

/** How candidates are ranked. */
export interface Ranking {
  readonly chatbotId: ChatbotId
  readonly candidates: ReadonlyArray<Candidate>
  readonly embedding: Float32Array
  readonly embeddingModel: string
  /** The share of the vector score in the fused score, from 0 to 1. */
  readonly vectorWeight: number
  /** This many chunks nearest to the embedding become candidates too. With 0, they are not searched. */
  readonly nearest: number
  /** The index in which they are searched; undefined to compare each of the chatbot's vectors. */
  readonly index: VectorIndex | undefined
  /** Whether the cosine counts as a similarity too; then the higher one of both is used. */
  readonly cosineIsSimilarity: boolean
  /** The cosine that counts as a similarity of 0. */
  readonly unrelatedCosine: number
  /** The lowest similarity of a result. */
  readonly threshold: number
  /** The most results. */
  readonly limit: number
}

/** The content of a chunk, as a result of a search shows it. */
export interface FetchedChunk {
  readonly chunkId: ChunkId
  readonly documentId: DocumentId
  readonly ordinal: number
  readonly title: string
  readonly headings: ReadonlyArray<string>
  readonly content: string
  readonly page: number | null
}

/** Chunks that were fetched by their ids. */
export interface FetchResult {
  /** The version of the chatbot's knowledge. */
  readonly version: bigint
  /** Those of the chunks that still exist. */
  readonly chunks: ReadonlyArray<FetchedChunk>
}

/** The scores of a ranked chunk. */
export interface Scores {
  /** The score of the search by words. */
  readonly lexical: number
  /** The cosine; null when another model embedded the chunk. */
  readonly vector: number | null
  readonly fused: number
}

/** A result of a search. */
export interface RankedChunk extends FetchedChunk {
  /** From 0 to 1. */
  readonly similarity: number
  readonly scores: Scores
}

/** The results of a search. */
export interface RankResult {
  /** The version of the chatbot's knowledge. */
  readonly version: bigint
  readonly chunks: ReadonlyArray<RankedChunk>
  /** False when a candidate no longer exists: its document was replaced or deleted since it was found. */
  readonly isComplete: boolean
}

export const chatbotNotFound = new NotFound({ detail: "There is no such chatbot." })

/** Makes `Chunks.fetch`: one statement reads the chunks and the version that shows whether they are up to date. */
export const makeFetch = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chatbotId: ChatbotId, chunks: ReadonlyArray<ChunkId>) {
    const organization = yield* CurrentOrganization
    const rows = yield* sql<FetchedRow>`
      select b.knowledge_version as version, c.id, c.document_id, c.ordinal, c.title, c.headings, c.content, c.page
      from chatbots b left join chunks c
        on c.id = any(${chunks}::uuid[]) and c.chatbot_id = b.id and c.organization_id = b.organization_id
      where b.id = ${chatbotId} and b.organization_id = ${organization}`
    const [first] = rows
    if (first === undefined) return yield* chatbotNotFound
    return {
      version: first.version,
      chunks: rows.flatMap((row) => (row.id === null ? [] : [toChunk(row)])),
    }
  }, withoutSqlErrors)

/** Makes `Chunks.rank`: one statement scores the candidates' vectors, fuses both scores and fetches the best chunks. */
export const makeRank = (sql: SqlClient.SqlClient) => {
  /** Scales a score: from 0 for the lowest of all candidates to 1 for the highest. */
  const minMax = (column: "lexical" | "cosine") =>
    sql.literal(
      `coalesce((${column} - min(${column}) over ()) / nullif(max(${column}) over () - min(${column}) over (), 0),
      (${column} is not null)::int)`,
    )

  const isComparable = ({ index, embedding, embeddingModel }: Ranking) =>
    index === undefined
      ? sql`c.embedding_model = ${embeddingModel} and c.embedding_dimensions = ${embedding.length}`
      : sql.literal(conditionOf(index, "c."))

  const distance = (index: VectorIndex | undefined, embedding: Statement.Fragment) => {
    if (index === undefined) return sql`c.embedding <=> ${embedding}`
    const indexed = sql.literal(`${index.type}(${index.dimensions})`)
    return sql`(c.embedding::${indexed}) <=> ${embedding}::${indexed}`
  }

  return Effect.fnUntraced(function* (ranking: Ranking) {
    const organization = yield* CurrentOrganization
    const { candidates, chatbotId } = ranking
    const embedding = vector(ranking.embedding)
    const unrelated = sql`${ranking.unrelatedCosine}::float4`
    const nearest =
      ranking.nearest === 0
        ? sql``
        : sql`union all (
          select c.id, 0, 0, false from chunks c join documents d on d.id = c.document_id and d.revision = c.revision
          where c.chatbot_id = ${chatbotId} and c.organization_id = ${organization}
            and ${isComparable(ranking)}
          order by ${distance(ranking.index, embedding)} limit ${ranking.nearest})`
    const rows = yield* sql<RankedRow>`
    with candidates as (
      select id, max(lexical) as lexical, max(similarity) as similarity, bool_or(is_given) as is_given from (
        select *, true as is_given from unnest(
          ${candidates.map((candidate) => candidate.chunkId)}::uuid[],
          ${floats(Float32Array.from(candidates, (candidate) => candidate.score))},
          ${floats(Float32Array.from(candidates, (candidate) => candidate.similarity))}
        ) as given (id, lexical, similarity)
        ${nearest}
      ) found group by id
    ), scored as materialized (
      select id, document_id, ordinal, title, headings, content, page, lexical, similarity, is_given,
        case when embedding_model = ${ranking.embeddingModel}
          and embedding_dimensions = ${ranking.embedding.length} then 1 - (embedding <=> ${embedding}) end as cosine
      from candidates join chunks using (id)
      where chatbot_id = ${chatbotId} and organization_id = ${organization}
    ), fused as (
      select *,
        (1 - ${ranking.vectorWeight}::float4) * ${minMax("lexical")}
          + ${ranking.vectorWeight}::float4 * ${minMax("cosine")} as fused,
        case when ${ranking.cosineIsSimilarity}
          then greatest(similarity, least((cosine - ${unrelated}) / (1 - ${unrelated}), 1)) else similarity end as likeness
      from scored
    )
    select b.knowledge_version as version, counted.given, ranked.* from chatbots b
    cross join (select count(*)::int as given from scored where is_given) counted left join (
      select id, document_id, ordinal, title, headings, content, page, lexical, cosine, fused, likeness from fused
      where likeness >= ${ranking.threshold}::float4 order by fused desc, id limit ${ranking.limit}
    ) ranked on true where b.id = ${chatbotId} and b.organization_id = ${organization} order by fused desc, ranked.id`
    const [first] = rows
    if (first === undefined) return yield* chatbotNotFound
    return {
      version: first.version,
      chunks: rows.flatMap((row) => (row.id === null ? [] : [toRankedChunk(row)])),
      isComplete: first.given === candidates.length,
    }
  }, withoutSqlErrors)
}

/** A ranked chunk; or, where none is, the one row with the version and the number of candidates. */
type RankedRow = { readonly version: bigint; readonly given: number } & (ScoredRow | { readonly id: null })
/** A chunk; or, where none exists, the one row with the version. */
type FetchedRow = { readonly version: bigint } & (ChunkRow | { readonly id: null })

interface ChunkRow {
  readonly id: ChunkId
  readonly document_id: DocumentId
  readonly ordinal: number
  readonly title: string
  readonly headings: ReadonlyArray<string>
  readonly content: string
  readonly page: number | null
}

interface ScoredRow extends ChunkRow {
  readonly lexical: number
  readonly cosine: number | null
  readonly fused: number
  readonly likeness: number
}

const toChunk = (row: ChunkRow): FetchedChunk => ({
  chunkId: row.id,
  documentId: row.document_id,
  ordinal: row.ordinal,
  title: row.title,
  headings: row.headings,
  content: row.content,
  page: row.page,
})

const toRankedChunk = (row: ScoredRow): RankedChunk => ({
  ...toChunk(row),
  similarity: row.likeness,
  scores: { lexical: row.lexical, vector: row.cosine, fused: row.fused },
})
