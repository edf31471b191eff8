import { createHash } from "node:crypto"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { documentKey } from "../../domain/BlobKey.ts"
import { displayName, Document, type DocumentQuery } from "../../domain/knowledge/Document.ts"
import { contentType, type Format } from "../../domain/knowledge/Formats.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { SourceId } from "../../domain/knowledge/Source.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { knowledgeChanged } from "../chatbots/KnowledgeVersion.ts"
import { Auditing } from "../audit/Auditing.ts"
import { discardBlob } from "../blobs/BlobGarbage.ts"
import { deleteDocuments, deletePages } from "../LargeDeletions.ts"
import { Quotas } from "../organizations/Quotas.ts"
import { decodeRows, rowOr, TimestampColumn } from "../Rows.ts"
import {
  committing,
  lengthy,
  onForeignKeyViolation,
  onUniqueViolation,
  transaction,
  withoutSqlErrors,
} from "../sql/SqlErrors.ts"

/** Where a document comes from that is no upload. */
export interface Origin {
  readonly source_id: SourceId
  /** The address of a page. */
  readonly url: string | null
  /** Whether people have written it as the answer to its question. */
  readonly is_approved: boolean
}

/** A file in the blob store that is to become a document, or the next content of one. */
export interface Content {
  readonly name: string
  readonly content_type: string
  readonly size_bytes: number
  /** The SHA-256 of the bytes, in hex. */
  readonly sha256: string
  readonly blob_key: string
}

/** The content that bytes are, once they are stored under its key, which is made of `id`. */
export const contentOf = (id: string, name: string, format: Format, bytes: Uint8Array): Content => ({
  name: displayName(name),
  content_type: contentType(format),
  size_bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  blob_key: documentKey(id),
})

const Row = Schema.Struct({
  ...Struct.omit(Document.fields, ["duplicate"]),
  blob_key: Schema.String,
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})
type Row = typeof Row.Type

export const documentNotFound = new NotFound({ detail: "There is no such document." })
/** The failure of storing bytes that another document of the chatbot has. */
export const contentTaken = () => new Conflict({ detail: "Another document of this chatbot already has this content." })

const decodeDocuments = decodeRows(Row)
const decodePage = decodeRows(
  Schema.Union([
    Schema.Struct({ total: Schema.Int, ...Row.fields }),
    Schema.Struct({ total: Schema.Int, id: Schema.Null }),
  ]),
)
const decodeDeleted = decodeRows(Schema.Struct({ id: DocumentId, source_id: Schema.NullOr(SourceId) }))
const decodeTitles = decodeRows(Schema.Struct({ total: Schema.Finite, title: Schema.String }))

/**
 * The table `documents`, always within the current organization. A transaction that changes what a search finds also
 * increments the chatbot's `knowledge_version`. The blobs of replaced and deleted content become garbage.
 */
export class Documents extends Service<Documents>()("parley/storage/documents/Documents", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing
  const quotas = yield* Quotas

  const columns = sql.literal(
    `id, chatbot_id, name, content_type, size_bytes::float8, sha256, status, progress, chunk_count, error, blob_key,
       source_id, url, omissions, created_at, updated_at`,
  )

  /** Reads a row and locks it. */
  const lock = (chatbot: ChatbotId, id: DocumentId) =>
    CurrentOrganization.use((organization) =>
      first(
        decodeDocuments(sql`select ${columns} from documents
          where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} for update`),
      ),
    )

  /** Queues content for a document, in place of any content that is queued for it. */
  const enqueue = Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId, content: Content) {
    const organization_id = yield* CurrentOrganization
    yield* sql`delete from ingestions where document_id = ${id} and organization_id = ${organization_id}`
    yield* sql`insert into ingestions ${sql.insert({
      document_id: id,
      organization_id,
      chatbot_id: chatbot,
      ...pickContent(content),
    })}`
    // A document without a serving revision shows the new content at once.
    yield* sql`update documents set ${sql.update(pickContent(content))}
      where id = ${id} and organization_id = ${organization_id} and revision = 0`
    return yield* first(
      decodeDocuments(sql`update documents set status = 'queued', progress = 0, error = null, updated_at = clock_timestamp()
        where id = ${id} and organization_id = ${organization_id} returning ${columns}`),
    )
  })

  /**
   * Inserts a document and its ingestion. Returns no row when the chatbot does not exist, or has the same bytes.
   */
  const insert = Effect.fnUntraced(function* (
    id: DocumentId,
    chatbot: ChatbotId,
    content: Content,
    origin: Origin | undefined,
  ) {
    const organization = yield* CurrentOrganization
    return yield* decodeDocuments(sql`
      with own as (
        -- A foreign key would accept the chatbot of another organization.
        select id from chatbots where id = ${chatbot} and organization_id = ${organization} for key share
      ), added as (
        insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status,
          source_id, url, is_approved)
        select ${id}, ${organization}, own.id, ${content.name}, ${content.content_type}, ${content.size_bytes},
          ${content.sha256}, ${content.blob_key}, 'queued', ${origin?.source_id ?? null}::uuid,
          ${origin?.url ?? null}::text, ${origin?.is_approved ?? false}
        from own on conflict (chatbot_id, sha256) do nothing returning *
      ), queued as (
        insert into ingestions (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key)
        select id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key from added
      )
      select ${columns} from added`)
  })

  /** Inserts a document as `insert` does, within the quota. Bytes that the chatbot has already need no room. */
  const insertWithinQuota = Effect.fnUntraced(function* (
    id: DocumentId,
    chatbot: ChatbotId,
    content: Content,
    origin: Origin | undefined,
  ) {
    const ensureRoom = yield* quotas.room
    const added = yield* insert(id, chatbot, content, origin)
    if (added.length > 0) yield* ensureRoom({ documents: 1, bytes: content.size_bytes })
    return added
  }, transaction(sql))

  /** Adds bytes that a document of the chatbot has already. */
  const addAgain = Effect.fnUntraced(function* (chatbot: ChatbotId, content: Content) {
    const organization_id = yield* CurrentOrganization
    const [own] = yield* sql`
      select id from chatbots where id = ${chatbot} and organization_id = ${organization_id}`
    if (own === undefined) return yield* chatbotNotFound
    const existing = yield* first(
      decodeDocuments(sql`select ${columns} from documents
        where chatbot_id = ${chatbot} and sha256 = ${content.sha256} and organization_id = ${organization_id}
        for update`),
    )
    // The stored file may be why the document failed, so the new one replaces it.
    const isTakenBack = existing.status === "failed"
    if (!isTakenBack) yield* discardBlob(sql, content.blob_key)
    const row = isTakenBack ? yield* enqueue(chatbot, existing.id, content) : existing
    return { ...toDocument(row), duplicate: true }
  }, transaction(sql))

  const removeNow = Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId | "all") {
    const organization = yield* CurrentOrganization
    const doomed = sql`chatbot_id = ${chatbot} and organization_id = ${organization}
      ${id === "all" ? sql`` : sql`and id = ${id}`}`
    const deleted = yield* decodeDeleted(sql`delete from documents where ${doomed} returning id, source_id`)
    if (deleted.length === 0 && id !== "all") return yield* documentNotFound
    // A text is its document.
    yield* sql`delete from sources where chatbot_id = ${chatbot} and organization_id = ${organization} and kind = 'text'
      ${id === "all" ? sql`` : sql`and id = ${deleted[0]?.source_id ?? null}::uuid`}`
    yield* auditing.record(sql, {
      organization,
      action: "document.deleted",
      chatbot,
      ...(id === "all" ? { after: { all: true } } : { target: id }),
    })
    yield* sql`with ${knowledgeChanged(sql, sql`id = ${chatbot} and organization_id = ${organization}`)} select`
  }, transaction(sql))

  return {
    /**
     * Inserts a document, which owns the blob, and queues its ingestion. When the chatbot has a document with the same
     * bytes, that one is returned instead and the blob becomes garbage; but a failed one is queued again with this
     * blob.
     */
    add: Effect.fnUntraced(
      function* (id: DocumentId, chatbot: ChatbotId, content: Content, origin?: Origin) {
        const [added] = yield* insertWithinQuota(id, chatbot, content, origin)
        return added === undefined ? yield* addAgain(chatbot, content) : toDocument(added)
      },
      // The document with the same bytes was deleted between the two statements, so that the bytes are new after all.
      Effect.retry({ while: (error) => error === documentNotFound, times: 3 }),
      onForeignKeyViolation(() => chatbotNotFound),
      withoutSqlErrors,
    ),

    get: Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId) {
      return toDocument(
        yield* first(
          decodeDocuments(sql`select ${columns} from documents
            where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`),
        ),
      )
    }, withoutSqlErrors),

    getMany: Effect.fnUntraced(function* (chatbot: ChatbotId, ids: ReadonlyArray<DocumentId>) {
      const rows = yield* decodeDocuments(sql`select ${columns} from documents
        where id = any(${ids}::uuid[]) and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`)
      return rows.map(toDocument)
    }, withoutSqlErrors),

    /** Lists a page of the chatbot's documents that a query asks for, in its order. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId, page: Page, query: DocumentQuery = {}) {
      const { order = "asc", search = "", sort = "created_at", state, status } = query
      const organization = yield* CurrentOrganization
      const source = sql`coalesce((
        select name from sources where sources.id = documents.source_id and organization_id = ${organization}), '')`
      const held = sql`strpos(lower(name || ' ' || coalesce(url, '') || ' ' || ${source}), lower(${search})) > 0`
      const matching = sql`chatbot_id = ${chatbot} and organization_id = ${organization}
        ${status === undefined ? sql`` : sql`and status = ${sql.literal(`'${status}'`)}`}
        ${state === undefined ? sql`` : sql.literal(`and ${states[state]}`)}
        ${search === "" ? sql`` : sql`and ${held}`}`
      const direction = sql.literal(order)
      const ordered = sql`order by ${sort === "source" ? sql`lower(${source})` : sql.literal(sorts[sort])} ${direction},
        id ${direction}`
      // The status is a constant in the statement, so that the planner can use the partial index of documents that
      // are not ready. The rows before the page are skipped in the index alone. The total is returned for an empty
      // page too.
      const rows = yield* decodePage(sql`
        with page as (
          select id as page_id from documents where ${matching} ${ordered} limit ${page.limit} offset ${offset(page)}
        )
        select counted.total, ${columns}
        from (select count(*)::int as total from documents where ${matching}) counted
        left join (page join documents on id = page_id and organization_id = ${organization}) on true
        ${ordered}`)
      return {
        data: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [toDocument(row)])),
        total: rows[0]?.total ?? 0,
      }
    }, withoutSqlErrors),

    /** Returns the number of documents that searches look through, and the titles of the oldest of them. */
    titles: Effect.fnUntraced(function* (chatbot: ChatbotId, limit: number) {
      const organization = yield* CurrentOrganization
      const serving = sql`chatbot_id = ${chatbot} and organization_id = ${organization} and revision > 0`
      // The title is stored with the chunks. A document without any is named as its file.
      const rows = yield* decodeTitles(sql`
        select (select count(*)::int from documents where ${serving}) as total, coalesce((
          select title from chunks where document_id = first.id and revision = first.revision
            and organization_id = ${organization} order by ordinal limit 1
        ), first.name) as title
        from (
          select id, revision, name, created_at from documents where ${serving} order by created_at, id limit ${limit}
        ) first
        order by created_at, id`)
      return { total: rows[0]?.total ?? 0, titles: rows.map(({ title }) => title) }
    }, withoutSqlErrors),

    /**
     * Queues new content for a document, in place of a replacement that is still queued. The old content serves until
     * the new one is ready.
     */
    replace: Effect.fnUntraced(
      function* (chatbot: ChatbotId, id: DocumentId, content: Content) {
        const { size_bytes } = yield* lock(chatbot, id)
        yield* (yield* quotas.room)({ bytes: content.size_bytes - size_bytes })
        const others = yield* sql`
        select id from documents where chatbot_id = ${chatbot} and sha256 = ${content.sha256} and id <> ${id}
          and organization_id = ${yield* CurrentOrganization}`
        if (others.length > 0) {
          return yield* contentTaken()
        }
        return toDocument(yield* enqueue(chatbot, id, content))
      },
      committing<Conflict>(sql, onUniqueViolation("documents_content", contentTaken)),
    ),

    /** Queues a failed document again. Fails with `Conflict` for any other. */
    retry: Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId) {
      const row = yield* lock(chatbot, id)
      if (row.status !== "failed") {
        return yield* new Conflict({
          detail: `Only a failed document can be tried again; this one is ${row.status}.`,
        })
      }
      return toDocument(yield* enqueue(chatbot, id, row))
    }, committing(sql)),

    /**
     * Deletes one document, or all of the chatbot, and sources that are texts with theirs. After all were deleted,
     * nothing is known of the pages of sources, so that the next runs read them anew.
     */
    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: DocumentId | "all") {
      if (id === "all") yield* Effect.andThen(deleteDocuments(sql, chatbot), deletePages(sql, chatbot))
      yield* removeNow(chatbot, id)
    }, lengthy),
  }
}) {}

const first = rowOr(documentNotFound)

const states = {
  in_progress: "status in ('queued', 'extracting', 'embedding')",
  failed: "(status = 'failed' or status = 'ready' and error is not null)",
} as const

const sorts = {
  created_at: "created_at",
  updated_at: "updated_at",
  name: "lower(documents.name)",
  // What needs somebody comes first.
  status: "case when error is null then status else '' end",
  chunk_count: "chunk_count",
  size_bytes: "documents.size_bytes",
} as const

const pickContent = (content: Content) =>
  Struct.pick(content, ["name", "content_type", "size_bytes", "sha256", "blob_key"])

const toDocument = ({ blob_key: _, ...row }: Row): Document => ({
  ...row,
  duplicate: false,
})
