import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { SourceId } from "../../domain/knowledge/Source.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRows } from "../Rows.ts"
import { type Content, Documents, type Origin } from "../documents/Documents.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"

const DocumentRow = Schema.Struct({
  id: DocumentId,
  name: Schema.String,
  content_type: Schema.String,
  blob_key: Schema.String,
  source_id: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
})
const decodeDocuments = decodeRows(DocumentRow)

/** What archives of knowledge bases hold and restore, always within the current organization. */
export class Archives extends Service<Archives>()("parley/storage/sources/Archives", function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const documents = yield* Documents

  /** Makes a document the page of its address, so that the next run of its source finds what has changed since. */
  const addPage = Effect.fnUntraced(function* (source: SourceId, document: DocumentId, url: string) {
    const [id, run] = [yield* random.uuidV7(), yield* random.uuidV7()]
    yield* sql`
      insert into source_pages (id, organization_id, source_id, url, run_id, is_waiting, depth, outcome, title,
        document_id, text_hash)
      select ${id}, organization_id, source_id, ${url}, ${run}, false, 1, 'unchanged', name, id, sha256
      from documents where id = ${document} and source_id = ${source}
        and organization_id = ${yield* CurrentOrganization} on conflict do nothing`
  })

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

    /** Adds a document, and at once its page where it has an address: a run takes one without for a duplicate of itself. */
    add: Effect.fnUntraced(function* (id: DocumentId, chatbot: ChatbotId, content: Content, origin?: Origin) {
      const document = yield* documents.add(id, chatbot, content, origin)
      if (!document.duplicate && origin !== undefined && origin.url !== null) {
        yield* addPage(origin.source_id, id, origin.url)
      }
      return document
    }, committing(sql)),
  }
}) {}
