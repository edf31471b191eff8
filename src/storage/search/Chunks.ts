import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChunkId } from "../../domain/knowledge/Chunk.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { inTurns } from "../../system/InTurns.ts"
import { bounded } from "../../text/BoundedText.ts"
import { isLanguage, type Language } from "../../language/Language.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { spacedWords } from "../../language/words/Words.ts"
import { makeReplaceVectors } from "../documents/ChunkVectors.ts"
import { makeCosines } from "./ChunkCosines.ts"
import { makeMatch } from "./ChunkMatching.ts"
import {
  decodePacks,
  packed,
  packedDocuments,
  packedWords,
  packOf,
  type ServingDocument,
  unpackDocuments,
} from "./ChunkPacks.ts"
import { VectorTypes } from "../sql/Database.ts"
import { documentNotFound } from "../documents/Documents.ts"
import { decodeRows } from "../Rows.ts"
import { onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText, asynchronousCommit, byteas, integers, texts, uuids, vectors } from "../sql/SqlValues.ts"
import { makeFetch } from "./FetchedChunks.ts"

/** Chunks of one revision of a document that are inserted together, at most 128. */
export interface ChunkBatch {
  readonly chatbotId: ChatbotId
  readonly documentId: DocumentId
  readonly revision: number
  readonly title: string
  readonly language: Language
  /** The model that made the embeddings. Those of different models are never compared. */
  readonly embeddingModel: string
  readonly chunks: ReadonlyArray<NewChunk>
}

export interface NewChunk {
  readonly id: ChunkId
  /** The chunk's number in reading order, from 1. */
  readonly ordinal: number
  readonly headings: ReadonlyArray<string>
  readonly content: string
  readonly page: number | null
  /** All embeddings of a batch have the same dimension. */
  readonly embedding: Float32Array
  /** Sketch that an index in memory compares in place of the embedding; null where no index does. */
  readonly sketch: Uint8Array | null
}

/** Chunks of one revision of a document, from one ordinal to another. */
export interface ChunkRange {
  readonly documentId: DocumentId
  readonly revision: number
  readonly first: number
  readonly last: number
}

/** The position of a chunk in a revision of a document. */
export interface ChunkPlace {
  readonly documentId: DocumentId
  readonly revision: number
  readonly ordinal: number
}

/** The words of a question, to be stemmed as words of a language. */
export interface QueryWords {
  readonly language: Language
  /** The words, with single spaces between them. */
  readonly words: string
}

const decodeProbe = decodeRows(
  Schema.Struct({
    version: Schema.BigInt,
    synonyms: Schema.Array(Schema.Array(Schema.String)),
    analyses: Schema.Array(Schema.Uint8Array),
  }),
)
const decodeDimensions = decodeRows(Schema.Struct({ dimensions: Schema.Int }))
const decodeLanguages = decodeRows(
  Schema.Struct({
    language: Schema.declare((name): name is Language => typeof name === "string" && isLanguage(name)),
    texts: Schema.Int,
  }),
)

/**
 * The table `chunks`, always within the current organization. A chunk serves when its document is at the chunk's
 * revision.
 */
export class Chunks extends Service<Chunks>()("parley/storage/search/Chunks", function* () {
  const sql = yield* SqlClient.SqlClient
  const types = yield* VectorTypes
  const replaceVectors = makeReplaceVectors(sql, types)

  const stemmed = (queries: ReadonlyArray<QueryWords>) => sql`(
      select number, to_tsvector(language::regconfig, words) as lexemes
      from unnest(${queries.map(({ language }) => language)}::text[], ${queries.map(({ words }) => words)}::text[])
        with ordinality as queries (language, words, number)
    ) as stemmed`

  const lexemes = Effect.fnUntraced(function* (
    chatbotId: ChatbotId,
    ranges: ReadonlyArray<ChunkRange>,
    embeddingModel: string | undefined,
  ) {
    const organization = yield* CurrentOrganization
    const rows = yield* decodePacks(
      packed(
        sql,
        sql`
        select c.id, c.document_id, c.revision, c.ordinal, c.language, c.lexemes,
          case when c.embedding_model = ${embeddingModel ?? null} then c.sketch end as sketch,
          case when c.embedding_model = ${embeddingModel ?? null} and c.sketch is null then c.embedding end as embedding
        from unnest(
          ${uuids(ranges.map(({ documentId }) => documentId))}, ${integers(ranges.map(({ revision }) => revision))},
          ${integers(ranges.map(({ first }) => first))}, ${integers(ranges.map(({ last }) => last))}
        ) as ranges (document_id, revision, first, last)
        join chunks c on c.document_id = ranges.document_id and c.revision = ranges.revision
          and c.ordinal between first and last
        where c.chatbot_id = ${chatbotId} and c.organization_id = ${organization}`,
      ),
    )
    return packOf(rows)
  }, withoutSqlErrors)

  return {
    /** Inserts chunks, which serve once the document is moved to their revision. */
    insert: Effect.fnUntraced(
      function* (batch: ChunkBatch) {
        const organization = yield* CurrentOrganization
        const { chunks, language } = batch
        const title = spacedWords(bounded(batch.title), language)
        const words = yield* inTurns(chunks, ({ headings, content }) => ({
          headings: spacedWords(bounded(headings.join("\n")), language),
          content: spacedWords(bounded(content), language),
        }))
        const lexemes = (spaced: "content_words" | "heading_words" | "title_words") =>
          sql`to_tsvector(${language}::text::regconfig, ${sql(spaced)})`
        // Each column is one array, so that the statement is the same for every batch.
        yield* sql`
        insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content,
          page, language, lexemes, embedding, embedding_model, sketch)
        select id, ${organization}, ${batch.chatbotId}, ${batch.documentId}, ${batch.revision}, ordinal,
          ${batch.title}, headings::text[], content, page, ${language},
          setweight(${lexemes("title_words")}, 'A') || setweight(${lexemes("heading_words")}, 'B')
            || ${lexemes("content_words")},
          embedding, ${batch.embeddingModel}, sketch
        from unnest(
          ${uuids(chunks.map(({ id }) => id))}, ${integers(chunks.map(({ ordinal }) => ordinal))},
          ${texts(chunks.map(({ headings }) => arrayText(headings)))}, ${texts(chunks.map(({ content }) => content))},
          ${integers(chunks.map(({ page }) => page))}, ${texts(words.map(({ headings }) => headings))},
          ${texts(words.map(({ content }) => content))},
          ${vectors(
            types,
            chunks.map(({ embedding }) => embedding),
          )}, ${byteas(chunks.map(({ sketch }) => sketch))}
        ) as rows (id, ordinal, headings, content, page, heading_words, content_words, embedding, sketch),
          (select ${title}::text as title_words) as title, ${asynchronousCommit(sql)}`
      },
      onForeignKeyViolation(() => documentNotFound),
      withoutSqlErrors,
    ),

    /** Replaces the embeddings of chunks of a document. Those that do not exist any more are left out. */
    replaceVectors: (...batch: Parameters<typeof replaceVectors>) => withoutSqlErrors(replaceVectors(...batch)),

    /**
     * Reads all that a search needs before it can use an index: whether the chatbot exists, the version of its
     * knowledge, the synonyms of that version, and the stemmed words of each query, a binary `tsvector` each, in order.
     */
    probe: Effect.fnUntraced(function* (chatbotId: ChatbotId, queries: ReadonlyArray<QueryWords>) {
      const [row] = yield* decodeProbe(sql`
        select knowledge_version as version, coalesce(settings -> 'synonyms', '[]') as synonyms,
          array(select tsvectorsend(lexemes) from ${stemmed(queries)} order by number) as analyses
        from chatbots where id = ${chatbotId} and organization_id = ${yield* CurrentOrganization}`)
      return row ?? (yield* chatbotNotFound)
    }, withoutSqlErrors),

    /**
     * Lists the chatbot's serving documents.
     *
     * @param embeddingModel the model of which `isEmbedded` speaks
     */
    serving: Effect.fnUntraced(function* (chatbotId: ChatbotId, embeddingModel: string | undefined) {
      const rows = yield* decodePacks(
        packedDocuments(
          sql,
          sql`
          select id, revision, chunk_count as chunks,
            coalesce(embedding_model = ${embeddingModel ?? null}, false) as is_embedded from documents
          where chatbot_id = ${chatbotId} and organization_id = ${yield* CurrentOrganization} and revision > 0`,
        ),
      )
      return unpackDocuments(rows)
    }, withoutSqlErrors),

    /** Returns the number of dimensions of the vectors of a document; undefined when it has no chunk. */
    dimensions: Effect.fnUntraced(function* ({ id, revision }: Pick<ServingDocument, "id" | "revision">) {
      const organization = yield* CurrentOrganization
      const [row] = yield* decodeDimensions(sql`
        select embedding_dimensions as dimensions from chunks
        where document_id = ${id} and revision = ${revision} and ordinal = 1 and organization_id = ${organization}`)
      return row?.dimensions
    }, withoutSqlErrors),

    /**
     * Returns the chunks of these ranges that exist, whether or not they serve, by document and in reading order.
     *
     * @param embeddingModel the model whose sketches are returned too
     */
    lexemes,

    /**
     * Lists the languages of the chatbot's serving chunks, with the number of chunks in each.
     *
     * @param newest the number of documents to count, the newest ones; defaults to all
     */
    // All chunks of a document have the same language, so that the first one tells it.
    languages: Effect.fnUntraced(function* (chatbotId: ChatbotId, newest?: number) {
      const organization = yield* CurrentOrganization
      return yield* decodeLanguages(sql`
        select c.language, sum(d.chunk_count)::int as texts
        from (
          select id, revision, chunk_count from documents
          where chatbot_id = ${chatbotId} and organization_id = ${organization} and revision > 0
          ${newest === undefined ? sql`` : sql`order by created_at desc, id desc limit ${newest}`}
        ) as d join chunks c on c.document_id = d.id and c.revision = d.revision and c.ordinal = 1
        where c.organization_id = ${organization} and c.chatbot_id = ${chatbotId}
        group by c.language order by c.language`)
    }, withoutSqlErrors),

    /** Returns the chunks at these places that exist, in order of their ids. */
    sample: Effect.fnUntraced(function* (chatbotId: ChatbotId, places: ReadonlyArray<ChunkPlace>) {
      const organization = yield* CurrentOrganization
      const rows = yield* decodePacks(
        packedWords(
          sql,
          sql`
          select c.id, c.document_id, c.revision, c.language, c.lexemes
          from unnest(
            ${uuids(places.map(({ documentId }) => documentId))}, ${integers(places.map(({ revision }) => revision))},
            ${integers(places.map(({ ordinal }) => ordinal))}
          ) as places (document_id, revision, ordinal) join chunks c using (document_id, revision, ordinal)
          where c.chatbot_id = ${chatbotId} and c.organization_id = ${organization}`,
        ),
      )
      return packOf(rows)
    }, withoutSqlErrors),

    /**
     * Returns the chunks that match the query, in order of their ids. Some may not serve; to find out in the database
     * would take longer than the search.
     */
    matching: makeMatch(sql),

    /** Returns chunks by their ids, in no order, with the version of the chatbot's knowledge at the same moment. */
    fetch: makeFetch(sql),

    /**
     * Returns the cosines of these chunks, and of those nearest to the embedding, by id. A chunk without a vector of the
     * model has none.
     */
    cosines: makeCosines(sql),
  }
}) {}
