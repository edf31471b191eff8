import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Document, DocumentError, DocumentStatus } from "../domain/Document.ts"
import { Conflict, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import { offset, type Page } from "../domain/Page.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import { discardBlob } from "./BlobGarbage.ts"
import { leaveFewDocuments } from "./FewLeft.ts"
import {
  onForeignKeyViolation,
  onUniqueViolation,
  transaction,
  unlessItGivesWay,
  withoutSqlErrors,
} from "./sql/SqlErrors.ts"
import { withoutTimeLimit } from "./sql/TimeLimit.ts"

/** A file that waits in the blob store to become a document, or a document's next content. */
export interface Content {
  readonly name: string
  readonly content_type: string
  readonly size_bytes: number
  /** Of the bytes, hexadecimal. */
  readonly sha256: string
  readonly blob_key: string
}

interface Row {
  readonly id: DocumentId
  readonly chatbot_id: ChatbotId
  readonly name: string
  readonly content_type: string
  readonly size_bytes: bigint
  readonly sha256: string
  readonly status: DocumentStatus
  readonly progress: number
  readonly chunk_count: number
  readonly error: DocumentError | null
  readonly blob_key: string
  readonly created_at: Date
  readonly updated_at: Date
}

const documentNotFound = new NotFound({ detail: "There is no such document." })
const chatbotNotFound = () => new NotFound({ detail: "There is no such chatbot." })
/** `Conflict`: a chatbot holds the same bytes once. */
export const contentTaken = () => new Conflict({ detail: "Another document of this chatbot already has this content." })

/**
 * The table `documents`, always within the current organization. Whatever changes what a search finds moves the
 * chatbot's `knowledge_version` in the same transaction. The blobs of content that is dropped are garbage from then on.
 */
export class Documents extends Context.Service<
  Documents,
  {
    /**
     * Adds a document and queues its ingestion; from here on the blob has an owner. When the chatbot already holds
     * these bytes, the existing document is returned instead, and the blob is garbage. If that one had failed, it is
     * queued again with this blob.
     */
    readonly add: (
      id: DocumentId,
      chatbot: ChatbotId,
      content: Content,
    ) => Effect.Effect<Document, NotFound | Unavailable, CurrentOrganization>
    readonly get: (
      chatbot: ChatbotId,
      id: DocumentId,
    ) => Effect.Effect<Document, NotFound | Unavailable, CurrentOrganization>
    readonly getMany: (
      chatbot: ChatbotId,
      ids: ReadonlyArray<DocumentId>,
    ) => Effect.Effect<ReadonlyArray<Document>, Unavailable, CurrentOrganization>
    /** Oldest first. */
    readonly list: (
      chatbot: ChatbotId,
      page: Page,
      status: DocumentStatus | undefined,
    ) => Effect.Effect<
      { readonly documents: ReadonlyArray<Document>; readonly total: number },
      Unavailable,
      CurrentOrganization
    >
    /** Queues new content for a document; the old serves until the new is ready. A waiting replacement is superseded. */
    readonly replace: (
      chatbot: ChatbotId,
      id: DocumentId,
      content: Content,
    ) => Effect.Effect<Document, NotFound | Conflict | Unavailable, CurrentOrganization>
    /** Queues a failed document again. */
    readonly retry: (
      chatbot: ChatbotId,
      id: DocumentId,
    ) => Effect.Effect<Document, NotFound | Conflict | Unavailable, CurrentOrganization>
    /** Deletes one document, or all of the chatbot's. */
    readonly remove: (
      chatbot: ChatbotId,
      id: DocumentId | "all",
    ) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/storage/Documents") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const columns = sql.literal(
        `id, chatbot_id, name, content_type, size_bytes, sha256, status, progress, chunk_count, error, blob_key,
         created_at, updated_at`,
      )

      /** The row under its lock. */
      const lock = (chatbot: ChatbotId, id: DocumentId) =>
        CurrentOrganization.use((organization) =>
          first(
            sql<Row>`select ${columns} from documents
              where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} for update`,
          ),
        )

      /** Puts the content into the queue, in place of what waits there for the document. */
      const enqueue = Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId, content: Content) {
        const organization_id = yield* CurrentOrganization
        yield* sql`delete from ingestions where document_id = ${id} and organization_id = ${organization_id}`
        yield* sql`insert into ingestions ${sql.insert({
          document_id: id,
          organization_id,
          chatbot_id: chatbot,
          ...pickContent(content),
        })}`
        // Without old content that serves, the new content is the document from now on.
        yield* sql`update documents set ${sql.update(pickContent(content))}
          where id = ${id} and organization_id = ${organization_id} and revision = 0`
        return yield* first(
          sql<Row>`update documents set status = 'queued', progress = 0, error = null, updated_at = clock_timestamp()
            where id = ${id} and organization_id = ${organization_id} returning ${columns}`,
        )
      })

      /** The new document, unless the chatbot is not there or holds these bytes already; all that is to do, in one statement. */
      const insert = Effect.fnUntraced(function* (id: DocumentId, chatbot: ChatbotId, content: Content) {
        const organization = yield* CurrentOrganization
        return yield* sql<Row>`
          with own as (
            -- A foreign key does not ask whose the chatbot is.
            select id from chatbots where id = ${chatbot} and organization_id = ${organization} for key share
          ), added as (
            insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status)
            select ${id}, ${organization}, own.id, ${content.name}, ${content.content_type}, ${content.size_bytes},
              ${content.sha256}, ${content.blob_key}, 'queued'
            from own on conflict (chatbot_id, sha256) do nothing returning *
          ), queued as (
            insert into ingestions (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key)
            select id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key from added
          )
          select ${columns} from added`
      })

      /** What becomes of bytes that the chatbot holds already. */
      const addAgain = Effect.fnUntraced(function* (chatbot: ChatbotId, content: Content) {
        const organization_id = yield* CurrentOrganization
        const [own] = yield* sql`
            select id from chatbots where id = ${chatbot} and organization_id = ${organization_id}`
        if (own === undefined) return yield* chatbotNotFound()
        const existing = yield* first(
          sql<Row>`select ${columns} from documents
              where chatbot_id = ${chatbot} and sha256 = ${content.sha256} and organization_id = ${organization_id}
              for update`,
        )
        // The stored file may be what failed, so the one that was sent now takes its place.
        const isTakenBack = existing.status === "failed"
        if (!isTakenBack) yield* discardBlob(sql, content.blob_key)
        const row = isTakenBack ? yield* enqueue(chatbot, existing.id, content) : existing
        return { ...toDocument(row), duplicate: true }
      }, transaction(sql))

      const add = Effect.fnUntraced(
        function* (id: DocumentId, chatbot: ChatbotId, content: Content) {
          const [added] = yield* unlessItGivesWay(insert(id, chatbot, content))
          return added === undefined ? yield* addAgain(chatbot, content) : toDocument(added)
        },
        // The document that had the bytes was deleted between the two statements: then they are new after all.
        Effect.retry({ while: (error) => error === documentNotFound, times: 3 }),
        onForeignKeyViolation(chatbotNotFound),
        withoutSqlErrors,
      )

      const get = Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId) {
        const organization = yield* CurrentOrganization
        return toDocument(
          yield* first(
            sql<Row>`select ${columns} from documents
              where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization}`,
          ),
        )
      }, withoutSqlErrors)

      const getMany = Effect.fnUntraced(function* (chatbot: ChatbotId, ids: ReadonlyArray<DocumentId>) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql<Row>`select ${columns} from documents
          where id = any(${ids}::uuid[]) and chatbot_id = ${chatbot} and organization_id = ${organization}`
        return rows.map(toDocument)
      }, withoutSqlErrors)

      const list = Effect.fnUntraced(function* (chatbot: ChatbotId, page: Page, status: DocumentStatus | undefined) {
        const organization = yield* CurrentOrganization
        const matching = sql`chatbot_id = ${chatbot} and organization_id = ${organization}
          ${status === undefined ? sql`` : sql`and status = ${sql.literal(`'${status}'`)}`}`
        // The status is not a parameter, so that the planner sees whether the index of those that are not ready serves.
        // What comes before the page is passed over in the index alone. The total comes back even when the page is empty.
        const rows = yield* sql<{ readonly total: number } & (Row | { readonly id: null })>`
          with page as (
            select id as page_id from documents where ${matching}
            order by created_at, id limit ${page.limit} offset ${offset(page)}
          )
          select counted.total, ${columns}
          from (select count(*)::int as total from documents where ${matching}) counted
          left join (page join documents on id = page_id and organization_id = ${organization}) on true
          order by created_at, id`
        return {
          documents: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [toDocument(row)])),
          total: rows[0]?.total ?? 0,
        }
      }, withoutSqlErrors)

      const replace = Effect.fnUntraced(
        function* (chatbot: ChatbotId, id: DocumentId, content: Content) {
          const organization = yield* CurrentOrganization
          yield* lock(chatbot, id)
          const others = yield* sql`
            select id from documents where chatbot_id = ${chatbot} and sha256 = ${content.sha256} and id <> ${id}
              and organization_id = ${organization}`
          if (others.length > 0) {
            return yield* contentTaken()
          }
          return toDocument(yield* enqueue(chatbot, id, content))
        },
        transaction(sql),
        onUniqueViolation("documents_content", contentTaken),
        withoutSqlErrors,
      )

      const retry = Effect.fnUntraced(
        function* (chatbot: ChatbotId, id: DocumentId) {
          const row = yield* lock(chatbot, id)
          if (row.status !== "failed") {
            return yield* new Conflict({
              detail: `Only a failed document can be tried again; this one is ${row.status}.`,
            })
          }
          return toDocument(yield* enqueue(chatbot, id, contentOf(row)))
        },
        transaction(sql),
        withoutSqlErrors,
      )

      const removeNow = Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId | "all") {
        const organization = yield* CurrentOrganization
        const doomed = sql`chatbot_id = ${chatbot} and organization_id = ${organization}
          ${id === "all" ? sql`` : sql`and id = ${id}`}`
        const deleted = yield* sql`delete from documents where ${doomed} returning id`
        if (deleted.length === 0 && id !== "all") return yield* documentNotFound
        yield* sql`update chatbots set knowledge_version = knowledge_version + 1
          where id = ${chatbot} and organization_id = ${organization}`
      }, transaction(sql))

      const remove = Effect.fnUntraced(
        function* (chatbot: ChatbotId, id: DocumentId | "all") {
          if (id === "all") yield* leaveFewDocuments(sql)(chatbot)
          yield* removeNow(chatbot, id)
        },
        withoutTimeLimit,
        withoutSqlErrors,
      )

      return { add, get, getMany, list, replace, retry, remove }
    }),
  )
}

const first = <A extends object, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(documentNotFound) : Effect.succeed(row)))

const pickContent = ({ name, content_type, size_bytes, sha256, blob_key }: Content) => ({
  name,
  content_type,
  size_bytes,
  sha256,
  blob_key,
})

/** What a document was made of, to make it again. */
const contentOf = (row: Row): Content => ({
  name: row.name,
  content_type: row.content_type,
  size_bytes: Number(row.size_bytes),
  sha256: row.sha256,
  blob_key: row.blob_key,
})

const toDocument = ({ blob_key: _, ...row }: Row): Document => ({
  ...row,
  size_bytes: Number(row.size_bytes),
  duplicate: false,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
