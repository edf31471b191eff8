import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ChunkId } from "../../domain/knowledge/Chunk.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** The content of a chunk, as a result of a search shows it. */
const FetchedChunk = Schema.Struct({
  chunkId: ChunkId,
  documentId: DocumentId,
  ordinal: Schema.Int,
  /** Of its document, which moves with every new content of it. */
  revision: Schema.Int,
  title: Schema.String,
  headings: Schema.Array(Schema.String),
  content: Schema.String,
  page: Schema.NullOr(Schema.Int),
  /** The address of its document; null for an upload. */
  url: Schema.NullOr(Schema.String),
  /** Whether people have written its document as the answer to a question. */
  isApproved: Schema.Boolean,
})
export type FetchedChunk = typeof FetchedChunk.Type

/** Decodes chunks; or, where none exists, the one row with the version. */
const decodeFetched = decodeRows(
  Schema.Union([
    Schema.Struct({ version: Schema.BigInt, ...FetchedChunk.fields }),
    Schema.Struct({ version: Schema.BigInt, chunkId: Schema.Null }),
  ]),
)

/** Makes `Chunks.fetch`: one statement reads the chunks and the version that shows whether they are up to date. */
export const makeFetch = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chatbotId: ChatbotId, chunks: ReadonlyArray<ChunkId>) {
    const organization = yield* CurrentOrganization
    const rows = yield* decodeFetched(sql`
      select b.knowledge_version as version, c.id as "chunkId", c.document_id as "documentId", c.ordinal, c.revision,
        c.title, c.headings, c.content, c.page, d.url, d.is_approved as "isApproved"
      from chatbots b left join (
        chunks c join documents d on d.id = c.document_id and d.organization_id = c.organization_id
      ) on c.id = any(${chunks}::uuid[]) and c.chatbot_id = b.id and c.organization_id = b.organization_id
      where b.id = ${chatbotId} and b.organization_id = ${organization}`)
    const [first] = rows
    if (first === undefined) return yield* chatbotNotFound
    return {
      version: first.version,
      chunks: rows.flatMap(({ version: _, ...row }) => (row.chunkId === null ? [] : [row])),
    }
  }, withoutSqlErrors)
