import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ChunkId } from "../../domain/Chunk.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodeRows } from "../Rows.ts"
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

/** Parameters of a ranking of candidates. */
export interface Ranking {
  readonly chatbotId: ChatbotId
  readonly candidates: ReadonlyArray<Candidate>
  readonly embedding: Float32Array
  readonly embeddingModel: string
  /** The share of the vector score in the fused score, from 0 to 1; for a semantic model, where both can be trusted. */
  readonly vectorWeight: number
  /** This many chunks nearest to the embedding become candidates too. With 0, they are not searched. */
  readonly nearest: number
  /** The index in which they are searched; undefined to compare each of the chatbot's vectors. */
  readonly index: VectorIndex | undefined
  /**
   * Whether vectors express meaning. Then the cosine counts as a similarity too, the higher one of both is used, and
   * the share of the vector score depends on how far words and vectors can be trusted for this question.
   */
  readonly isSemantic: boolean
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

const ChunkRow = Schema.Struct({
  id: ChunkId,
  document_id: DocumentId,
  ordinal: Schema.Int,
  title: Schema.String,
  headings: Schema.Array(Schema.String),
  content: Schema.String,
  page: Schema.NullOr(Schema.Int),
})
type ChunkRow = typeof ChunkRow.Type

const ScoredRow = Schema.Struct({
  ...ChunkRow.fields,
  lexical: Schema.Finite,
  cosine: Schema.NullOr(Schema.Finite),
  fused: Schema.Finite,
  likeness: Schema.Finite,
})
type ScoredRow = typeof ScoredRow.Type

/** Decodes chunks; or, where none exists, the one row with the version. */
const decodeFetched = decodeRows(
  Schema.Union([
    Schema.Struct({ version: Schema.BigInt, ...ChunkRow.fields }),
    Schema.Struct({ version: Schema.BigInt, id: Schema.Null }),
  ]),
)
const ranked = { version: Schema.BigInt, given: Schema.Int }
/** Decodes ranked chunks; or, where none is, the one row with the version and the number of candidates. */
const decodeRanked = decodeRows(
  Schema.Union([Schema.Struct({ ...ranked, ...ScoredRow.fields }), Schema.Struct({ ...ranked, id: Schema.Null })]),
)

/** Makes `Chunks.fetch`: one statement reads the chunks and the version that shows whether they are up to date. */
export const makeFetch = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chatbotId: ChatbotId, chunks: ReadonlyArray<ChunkId>) {
    const organization = yield* CurrentOrganization
    const rows = yield* decodeFetched(sql`
      select b.knowledge_version as version, c.id, c.document_id, c.ordinal, c.title, c.headings, c.content, c.page
      from chatbots b left join chunks c
        on c.id = any(${chunks}::uuid[]) and c.chatbot_id = b.id and c.organization_id = b.organization_id
      where b.id = ${chatbotId} and b.organization_id = ${organization}`)
    const [first] = rows
    if (first === undefined) return yield* chatbotNotFound
    return {
      version: first.version,
      chunks: rows.flatMap((row) => (row.id === null ? [] : [toChunk(row)])),
    }
  }, withoutSqlErrors)

/*
 * How far words and vectors can be trusted for a question. Nobody knows a model's quality beforehand: a bad model, or
 * one that does not speak the language of the documents, must not spoil what words find, and words that mean nothing
 * must not spoil what a good model finds. Three things show it, which all come with the candidates:
 *
 * - Agreement: the correlation of the scores of the candidates that words have found with their cosines. A useless
 *   model has none, but for chance.
 * - Standing out: whether the nearest chunk is much nearer than the next ones, while chance makes gradual differences.
 * - The best similarity of the words: when the candidates share next to nothing with the question, words say nothing.
 *
 * The constants were fitted on ten known geometries of vectors over nine pairs of questions and passages; `bun run
 * bench fusion` measures what they reach.
 */

/** The correlation that chance often reaches, and the one that is full agreement. */
const AGREEMENT = { none: 0.1, full: 0.5 }
/** Fewer candidates of words than this have no correlation that means anything, and count as agreement. */
const LEAST_CORRELATED = 5
/** The number of nearest chunks by which the first one is measured. */
const NEIGHBOURS = 30
/** The lead of the first neighbour over the last one, by that of the neighbour at a third: by chance, and clearly. */
const LEAD = { chance: 3.5, clear: 7.5 }
/** Bonus on the weight of vector scores, as a multiple of it, when the nearest chunk stands out clearly. */
const CLEAR_LEAD_BONUS = 1.25
/** The trust in vectors that say nothing. It is not 0, so that they still order chunks which words cannot order. */
const LEAST_TRUST_IN_VECTORS = 0.02
/** The trust in words that say nothing, and the similarity from which on they are trusted fully. */
const LEAST_TRUST_IN_WORDS = 0.04
const TRUSTED_SIMILARITY = 0.07

/** Makes `Chunks.rank`: one statement scores the candidates' vectors, fuses both scores and fetches the best chunks. */
export const makeRank = (sql: SqlClient.SqlClient) => {
  /** Scales a score: from 0 for the lowest of all candidates to 1 for the highest. */
  const minMax = (column: "lexical" | "cosine") =>
    sql.literal(
      `coalesce((${column} - min(${column}) over ()) / nullif(max(${column}) over () - min(${column}) over (), 0),
      (${column} is not null)::int)`,
    )

  /** The share of the vector score, from 0 to 1. See above. */
  const weight = ({ isSemantic, vectorWeight }: Ranking) => {
    if (!isSemantic) return sql`select ${vectorWeight}::float8 as weight`
    const share = (value: string, from: number, to: number) =>
      `greatest(0, least(1, (${value} - ${from}) / ${to - from}))`
    return sql`
      select vectors / (vectors + words) as weight from (
        select ${vectorWeight}::float8 * (1 + ${CLEAR_LEAD_BONUS}::float8 * lead)
            * greatest(agreement, lead, ${LEAST_TRUST_IN_VECTORS}::float8) as vectors,
          (1 - ${vectorWeight}::float8)
            * greatest(${LEAST_TRUST_IN_WORDS}::float8, least(1, best / ${TRUSTED_SIMILARITY}::float8)) as words
        from (
          select best,
            case when correlated < ${LEAST_CORRELATED} then 1
              else ${sql.literal(share("coalesce(correlation, 0)", AGREEMENT.none, AGREEMENT.full))} end as agreement,
            coalesce(${sql.literal(
              share(
                "(near[1] - near[neighbours]) / nullif(near[(neighbours + 2) / 3] - near[neighbours], 0)",
                LEAD.chance,
                LEAD.clear,
              ),
            )}, 0) as lead
          from (
            select coalesce(max(similarity), 0)::float8 as best,
              corr(lexical, cosine) filter (where lexical > 0) as correlation,
              regr_count(lexical, cosine) filter (where lexical > 0) as correlated,
              array_agg(cosine order by cosine desc) filter (where cosine is not null) as near,
              least(count(cosine), ${NEIGHBOURS})::int as neighbours
            from scored
          ) signs
        ) shown
      ) trust`
  }

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
    const rows = yield* decodeRanked(sql`
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
    ), weights as (${weight(ranking)}), fused as (
      select scored.*,
        (1 - weight) * ${minMax("lexical")} + weight * ${minMax("cosine")} as fused,
        case when ${ranking.isSemantic}
          then greatest(similarity, least((cosine - ${unrelated}) / (1 - ${unrelated}), 1)) else similarity end as likeness
      from scored cross join weights
    )
    select b.knowledge_version as version, counted.given, ranked.* from chatbots b
    cross join (select count(*)::int as given from scored where is_given) counted left join (
      select id, document_id, ordinal, title, headings, content, page, lexical, cosine, fused, likeness from fused
      where likeness >= ${ranking.threshold}::float4 order by fused desc, id limit ${ranking.limit}
    ) ranked on true where b.id = ${chatbotId} and b.organization_id = ${organization} order by fused desc, ranked.id`)
    const [first] = rows
    if (first === undefined) return yield* chatbotNotFound
    return {
      version: first.version,
      chunks: rows.flatMap((row) => (row.id === null ? [] : [toRankedChunk(row)])),
      isComplete: first.given === candidates.length,
    }
  }, withoutSqlErrors)
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
