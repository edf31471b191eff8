import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { pageFacts } from "../../domain/knowledge/Archive.ts"
import type { SourceId } from "../../domain/knowledge/Source.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodeRows } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"

const DocumentRow = Schema.Struct({
  id: DocumentId,
  name: Schema.String,
  content_type: Schema.String,
  blob_key: Schema.String,
  source_id: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
})
const PageRow = Schema.Struct({ ...pageFacts, document_id: Schema.NullOr(DocumentId) })
export type PageRow = typeof PageRow.Type
const decodeDocuments = decodeRows(DocumentRow)
const decodePages = decodeRows(PageRow)
const decodeRepeated = decodeRows(Schema.Struct({ repeated: Schema.NullOr(Schema.Json) }))

/** What archives of knowledge bases hold and restore, always within the current organization. */
export class Archives extends Context.Service<Archives>()("parley/storage/sources/Archives", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom

    const columns = sql.literal(
      "document_id, url, depth, found_on, outcome, detail, title, language, published_at, text_hash",
    )

    return {
      /** Reads the next documents of a chatbot that are files or pages, by their ids. */
      documents: Effect.fnUntraced(function* (chatbot: ChatbotId, after: DocumentId | undefined, limit: number) {
        return yield* decodeDocuments(sql`
          select d.id, d.name, d.content_type, d.blob_key, d.source_id, d.url, d.created_at
          from documents d left join sources s on s.id = d.source_id and s.organization_id = d.organization_id
          where d.chatbot_id = ${chatbot} and d.organization_id = ${yield* CurrentOrganization}
            and (s.kind is null or s.kind not in ('text', 'questions'))
            ${after === undefined ? sql`` : sql`and d.id > ${after}`}
          order by d.id limit ${limit}`)
      }, withoutSqlErrors),

      /** Reads the next pages of a source, by their addresses. */
      pages: Effect.fnUntraced(function* (source: SourceId, after: string | undefined, limit: number) {
        return yield* decodePages(sql`
          select ${columns}
          from source_pages where source_id = ${source} and organization_id = ${yield* CurrentOrganization}
            ${after === undefined ? sql`` : sql`and url > ${after}`}
          order by url limit ${limit}`)
      }, withoutSqlErrors),

      /** Reads the hashes of the blocks that repeat on the pages of a source. */
      repeated: Effect.fnUntraced(function* (source: SourceId) {
        const [row] = yield* decodeRepeated(sql`select repeated from sources
          where id = ${source} and organization_id = ${yield* CurrentOrganization}`)
        return row?.repeated ?? null
      }, withoutSqlErrors),

      /** Stores the hashes of the blocks that repeat on the pages of a new source. */
      setRepeated: Effect.fnUntraced(function* (source: SourceId, repeated: Schema.Json) {
        yield* sql`update sources set repeated = ${json(repeated)}
          where id = ${source} and organization_id = ${yield* CurrentOrganization}`
      }, withoutSqlErrors),

      /** Adds pages to a source, except those that it has. */
      addPages: Effect.fnUntraced(
        function* (source: SourceId, pages: ReadonlyArray<PageRow>) {
          const run = yield* random.uuidV7()
          const rows = yield* Effect.forEach(pages, (page) => Effect.map(random.uuidV7(), (id) => ({ id, ...page })))
          yield* sql`
            insert into source_pages (organization_id, source_id, run_id, is_waiting, id, ${columns})
            select ${yield* CurrentOrganization}, ${source}, ${run}, false, id, ${columns}
            from jsonb_populate_recordset(null::source_pages, ${json(rows)}) on conflict do nothing`
        },
        transaction(sql),
        withoutSqlErrors,
      ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
