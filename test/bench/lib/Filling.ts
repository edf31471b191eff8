import { Effect } from "effect"
import { ChatbotId, DocumentId, type OrganizationId } from "../../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { LOCAL_MODEL } from "../../../src/embeddings/LocalEmbedding.ts"
import { Indexer } from "../../../src/knowledge/Indexer.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { json } from "../../../src/storage/sql/SqlValues.ts"

/*
 * Makes knowledge bases for benchmarks. Passages are stored by the code of the server, without files and job queue.
 */

/** Adds an organization. */
export const makeOrganization = Effect.fnUntraced(function* (id: OrganizationId) {
  const sql = yield* SystemSql
  yield* sql`insert into organizations ${sql.insert({ id, name: "Bench" })}`
})

/** Adds a chatbot to the current organization, and returns its id. */
export const makeChatbot = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SystemSql
  const id = ChatbotId.make(crypto.randomUUID())
  yield* sql`insert into chatbots ${sql.insert({
    id,
    organization_id: yield* CurrentOrganization,
    name,
    description: "",
    slug: id,
    is_public: false,
    personality_config: json({}),
    settings: json({}),
    chat_widget_config: json({}),
  })}`
  return id
})

/** Adds a document with one chunk for each text, and returns its id. Searches find it once `publish` has run. */
export const addDocument = Effect.fnUntraced(function* (
  chatbotId: ChatbotId,
  title: string,
  texts: ReadonlyArray<string>,
) {
  const { model } = yield* Embeddings
  const documentId = yield* addEmptyDocument(chatbotId, title, texts.length, model)
  const chunks = texts.map((text, index) => ({ ordinal: index + 1, headings: [], text, page: null }))
  yield* (yield* Indexer).index({ chatbotId, documentId, revision: 1, title, chunks }, { onProgress: () => undefined })
  return documentId
})

/** Adds a document without its chunks, which serves as soon as they are stored, and returns its id. */
export const addEmptyDocument = Effect.fnUntraced(function* (
  chatbotId: ChatbotId,
  title: string,
  chunks: number,
  embeddingModel = LOCAL_MODEL,
) {
  const sql = yield* SystemSql
  const documentId = DocumentId.make(crypto.randomUUID())
  yield* sql`insert into documents ${sql.insert({
    id: documentId,
    organization_id: yield* CurrentOrganization,
    chatbot_id: chatbotId,
    name: title,
    content_type: "text/plain",
    size_bytes: 0,
    sha256: documentId,
    blob_key: documentId,
    status: "ready",
    chunk_count: chunks,
    revision: 1,
    embedding_model: embeddingModel,
  })}`
  return documentId
})

/** Increments the version of the chatbot's knowledge, by which servers notice the change. */
export const publish = Effect.fnUntraced(function* (chatbotId: ChatbotId) {
  const sql = yield* SystemSql
  yield* sql`update chatbots set knowledge_version = knowledge_version + 1 where id = ${chatbotId}`
})
