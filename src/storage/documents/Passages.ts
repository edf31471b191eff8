import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { ChunkId } from "../../domain/knowledge/Chunk.ts"
import { DocumentPassage } from "../../domain/knowledge/Document.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRows } from "../Rows.ts"
import { documentNotFound } from "./Documents.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { texts, uuids } from "../sql/SqlValues.ts"

const decodePassages = decodeRows(
  Schema.Union([
    Schema.Struct({
      total: Schema.Int,
      ...Struct.omit(DocumentPassage.fields, ["section"]),
      headings: Schema.Array(Schema.String),
    }),
    Schema.Struct({ total: Schema.Int, chunk: Schema.Null }),
  ]),
)
const decodeMatches = decodeRows(Schema.Struct({ id: ChunkId, words: Schema.Array(Schema.String) }))

/** The table `chunks` as people read it, always within the current organization. */
export class Passages extends Service<Passages>()("parley/storage/documents/Passages", function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Returns the passages that serve for a document, in reading order: so many, from this number on. */
    ofDocument: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      document: DocumentId,
      { from, limit }: { readonly from: number; readonly limit: number },
    ) {
      const organization = yield* CurrentOrganization
      // The document is returned for an empty page too, in one row without a passage.
      const rows = yield* decodePassages(sql`
        select d.chunk_count as total, c.*
        from documents d left join lateral (
          select ordinal as chunk, page, headings, content from chunks
          where document_id = d.id and revision = d.revision and organization_id = ${organization}
            and ordinal >= ${from}::int
          order by ordinal limit ${limit}
        ) c on true
        where d.id = ${document} and d.chatbot_id = ${chatbot} and d.organization_id = ${organization}
        order by c.chunk`)
      const [first] = rows
      if (first === undefined) return yield* documentNotFound
      return {
        total: first.total,
        passages: rows.flatMap((row) =>
          row.chunk === null
            ? []
            : [
                {
                  chunk: row.chunk,
                  page: row.page,
                  section: row.headings.length === 0 ? null : row.headings.join(" > "),
                  content: row.content,
                },
              ],
        ),
      }
    }, withoutSqlErrors),

    /**
     * Returns which of these words and phrases each passage holds in any form, with its title and headings, by the
     * passage's id. It holds a phrase that has all of its words.
     */
    matched: Effect.fnUntraced(function* (passages: ReadonlyArray<ChunkId>, words: ReadonlyArray<string>) {
      const rows = yield* decodeMatches(sql`
        select c.id, array(
          select word from unnest(${texts(words)}) with ordinality as asked (word, number),
            tsvector_to_array(to_tsvector(c.language::regconfig, word)) as asked_lexemes
          where asked_lexemes <> '{}' and asked_lexemes <@ tsvector_to_array(c.lexemes)
          order by number
        ) as words
        from chunks c where c.id = any(${uuids(passages)}) and c.organization_id = ${yield* CurrentOrganization}`)
      return new Map(rows.map((row) => [row.id, row.words]))
    }, withoutSqlErrors),
  }
}) {}
