import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ChunkId } from "../../domain/Chunk.ts"
import { NotFound, type Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { inTurns } from "../../system/InTurns.ts"
import type { Language } from "../../text/Language.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { spacedWords } from "../../text/Words.ts"
import { chatbotNotFound, makeFetch, makeRank, type Fetched, type Ranked, type Ranking } from "./ChunkRanking.ts"
import { makeMatching, type Matching } from "./ChunkMatching.ts"
import {
  type ChunkPack,
  packed,
  packedWords,
  packedDocuments,
  packOf,
  type ServingDocument,
  unpackDocuments,
} from "./ChunkPacks.ts"
import { VectorTypes } from "../sql/Database.ts"
import { onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText, byteas, integers, texts, tsvectors, unhurried, uuids, vectors } from "../sql/SqlValues.ts"
import { makeTextVectors, type WeightedWords } from "./TextVectors.ts"

/** Chunks of one revision of a document, at most 128 at once. */
export interface ChunkBatch {
  readonly chatbotId: ChatbotId
  readonly documentId: DocumentId
  readonly revision: number
  /** Of the document. */
  readonly title: string
  readonly language: Language
  /** What made the embeddings; those of two models are never compared. */
  readonly embeddingModel: string
  readonly chunks: ReadonlyArray<NewChunk>
}

export interface NewChunk {
  readonly id: ChunkId
  /** From 1, in reading order. */
  readonly ordinal: number
  readonly headings: ReadonlyArray<string>
  readonly content: string
  readonly page: number | null
  /** All of a batch have the same dimension. */
  readonly embedding: Float32Array
  /** What an index in memory compares in place of the embedding; null where none does. */
  readonly sketch: Uint8Array | null
}

/** Chunks of one revision of a document, from one ordinal to another. */
export interface ChunkRange {
  readonly documentId: DocumentId
  readonly revision: number
  readonly first: number
  readonly last: number
}

/** Where a chunk stands. */
export interface ChunkPlace {
  readonly documentId: DocumentId
  readonly revision: number
  readonly ordinal: number
}

/** Words of a question, to be stemmed by a language. */
export interface AskedWords {
  readonly language: Language
  /** Between single spaces. */
  readonly words: string
}

const documentNotFound = new NotFound({ detail: "There is no such document." })
/** The table `chunks`, always within the current organization. */
export class Chunks extends Context.Service<
  Chunks,
  {
    /** The chunks are found once the document is moved to this revision. */
    readonly insert: (batch: ChunkBatch) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
    /**
     * All that one search has to ask before it looks into an index: whether the chatbot exists, the version of its
     * knowledge, and the words as each language stems them (a binary `tsvector` each, in order).
     */
    readonly probe: (
      chatbotId: ChatbotId,
      asked: ReadonlyArray<AskedWords>,
    ) => Effect.Effect<
      { readonly version: bigint; readonly analyses: ReadonlyArray<Uint8Array> },
      NotFound | Unavailable,
      CurrentOrganization
    >
    readonly serving: (
      chatbotId: ChatbotId,
      embeddingModel: string | undefined,
    ) => Effect.Effect<ReadonlyArray<ServingDocument>, Unavailable, CurrentOrganization>
    /**
     * Chunks by their places, document by document in reading order, whether or not they serve; without those that are not there any more.
     *
     * @param embeddingModel whose sketches come along
     */
    readonly lexemes: (
      chatbotId: ChatbotId,
      ranges: ReadonlyArray<ChunkRange>,
      embeddingModel: string | undefined,
    ) => Effect.Effect<ChunkPack, Unavailable, CurrentOrganization>
    /** Of all serving chunks. */
    readonly languages: (
      chatbotId: ChatbotId,
    ) => Effect.Effect<ReadonlyArray<Language>, Unavailable, CurrentOrganization>
    /** Chunks by their places, in order of their ids; without those that are not there any more. */
    readonly sample: (
      chatbotId: ChatbotId,
      places: ReadonlyArray<ChunkPlace>,
    ) => Effect.Effect<ChunkPack, Unavailable, CurrentOrganization>
    /** Chunks of serving documents that hold what is asked for, in order of their ids. */
    readonly matching: (
      chatbotId: ChatbotId,
      asked: Matching,
    ) => Effect.Effect<ChunkPack, Unavailable, CurrentOrganization>
    /** Chunks by their ids, in no order, and the version of the chatbot's knowledge at the same moment. */
    readonly fetch: (
      chatbotId: ChatbotId,
      chunks: ReadonlyArray<ChunkId>,
    ) => Effect.Effect<Fetched, NotFound | Unavailable, CurrentOrganization>
    /**
     * The chunks with the highest fused scores, best first. The candidates are taken to have served a moment ago: those
     * that no longer do are gone from the table.
     */
    readonly rank: (ranking: Ranking) => Effect.Effect<Ranked, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/storage/search/Chunks") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const types = yield* VectorTypes
      const textVectors = makeTextVectors(sql)

      const insert = Effect.fnUntraced(
        function* (batch: ChunkBatch) {
          const organization = yield* CurrentOrganization
          const { chunks, language } = batch
          const title = spacedWords(batch.title, language)
          const words = yield* inTurns(chunks, ({ headings, content }): WeightedWords => [
            title,
            spacedWords(headings.join("\n"), language),
            spacedWords(content, language),
          ])
          const lexemes = yield* textVectors(language, words)
          // One statement text for every batch: a column as one array.
          yield* sql`
          insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content,
            page, language, lexemes, embedding, embedding_model, sketch)
          select id, ${organization}, ${batch.chatbotId}, ${batch.documentId}, ${batch.revision}, ordinal,
            ${batch.title}, headings::text[], content, page, ${language}, lexemes, embedding, ${batch.embeddingModel},
            sketch
          from unnest(
            ${uuids(chunks.map(({ id }) => id))}, ${integers(chunks.map(({ ordinal }) => ordinal))},
            ${texts(chunks.map(({ headings }) => arrayText(headings)))}, ${texts(chunks.map(({ content }) => content))},
            ${integers(chunks.map(({ page }) => page))}, ${tsvectors(lexemes)},
            ${vectors(
              types,
              chunks.map(({ embedding }) => embedding),
            )}, ${byteas(chunks.map(({ sketch }) => sketch))}
          ) as rows (id, ordinal, headings, content, page, lexemes, embedding, sketch), ${unhurried(sql)}`
        },
        onForeignKeyViolation(() => documentNotFound),
        withoutSqlErrors,
      )

      const stemmed = (asked: ReadonlyArray<AskedWords>) => sql`(
        select number, to_tsvector(language::regconfig, words) as lexemes
        from unnest(${asked.map(({ language }) => language)}::text[], ${asked.map(({ words }) => words)}::text[])
          with ordinality as asked (language, words, number)
      ) as stemmed`

      const probe = Effect.fnUntraced(function* (chatbotId: ChatbotId, asked: ReadonlyArray<AskedWords>) {
        const organization = yield* CurrentOrganization
        const [row] = yield* sql<{ version: bigint; analyses: ReadonlyArray<Uint8Array> }>`
          select knowledge_version as version,
            array(select tsvectorsend(lexemes) from ${stemmed(asked)} order by number) as analyses
          from chatbots where id = ${chatbotId} and organization_id = ${organization}`
        return row ?? (yield* chatbotNotFound)
      }, withoutSqlErrors)

      const serving = Effect.fnUntraced(function* (chatbotId: ChatbotId, embeddingModel: string | undefined) {
        const organization = yield* CurrentOrganization
        const rows = yield* packedDocuments(
          sql,
          sql`
            select id, revision, chunk_count as chunks,
              coalesce(embedding_model = ${embeddingModel ?? null}, false) as is_embedded from documents
            where chatbot_id = ${chatbotId} and organization_id = ${organization} and revision > 0`,
        )
        return unpackDocuments(rows)
      }, withoutSqlErrors)

      const lexemes = Effect.fnUntraced(function* (
        chatbotId: ChatbotId,
        ranges: ReadonlyArray<ChunkRange>,
        embeddingModel: string | undefined,
      ) {
        const organization = yield* CurrentOrganization
        const rows = yield* packed(
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
        )
        return packOf(rows)
      }, withoutSqlErrors)

      /** Of a document they are all the same. */
      const languages = Effect.fnUntraced(function* (chatbotId: ChatbotId) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql<{ language: Language }>`
          select distinct c.language
          from documents d join chunks c on c.document_id = d.id and c.revision = d.revision and c.ordinal = 1
          where d.chatbot_id = ${chatbotId} and d.organization_id = ${organization}
            and c.organization_id = ${organization} order by c.language`
        return rows.map((row) => row.language)
      }, withoutSqlErrors)

      const sample = Effect.fnUntraced(function* (chatbotId: ChatbotId, places: ReadonlyArray<ChunkPlace>) {
        const organization = yield* CurrentOrganization
        const rows = yield* packedWords(
          sql,
          sql`
            select c.id, c.document_id, c.revision, c.language, c.lexemes
            from unnest(
              ${uuids(places.map(({ documentId }) => documentId))}, ${integers(places.map(({ revision }) => revision))},
              ${integers(places.map(({ ordinal }) => ordinal))}
            ) as places (document_id, revision, ordinal) join chunks c using (document_id, revision, ordinal)
            where c.chatbot_id = ${chatbotId} and c.organization_id = ${organization}`,
        )
        return packOf(rows)
      }, withoutSqlErrors)

      return {
        insert,
        probe,
        serving,
        lexemes,
        languages,
        sample,
        matching: makeMatching(sql),
        fetch: makeFetch(sql),
        rank: makeRank(sql),
      }
    }),
  )
}
