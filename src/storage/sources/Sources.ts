import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { originOf } from "../../domain/chatbot/UrlTemplate.ts"
import { Conflict, type NotFound } from "../../domain/Errors.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import {
  Source,
  SourceConfig,
  type SourceId,
  type SourceKind,
  SOURCES_MAX,
  type VersionedSource,
} from "../../domain/knowledge/Source.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { knowledgeChanged } from "../chatbots/KnowledgeVersion.ts"
import { Auditing } from "../audit/Auditing.ts"
import { type Content, contentTaken, Documents } from "../documents/Documents.ts"
import { deleteDocuments, deletePages } from "../LargeDeletions.ts"
import { counted, decodeRows, rowOr, TimestampColumn } from "../Rows.ts"
import { committing, lengthy, onForeignKeyViolation, transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { lastRuns, type NewRun, queueRun, reschedule, sourceNotFound } from "./SourceRuns.ts"

/** The fields of a source that its owner sets. */
export interface SourceContent extends SourceConfig, Pick<Source, "name" | "schedule"> {}

/** The document that a text becomes. */
export interface TextDocument {
  /** The id of the document, if there is none yet. */
  readonly id: DocumentId
  readonly content: Content
}

const Row = Schema.Struct({
  ...Struct.omit(Source.fields, [...Struct.keys(SourceConfig.fields), "last_run"]),
  config: SourceConfig,
  version: Schema.BigInt,
  next_run_at: Schema.NullOr(TimestampColumn),
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})

const full = new Conflict({ detail: `The chatbot has ${SOURCES_MAX} sources, and may not have more.` })
const changedMeanwhile = new Conflict({ detail: "The source was changed at the same time. Try again." })

/** The advisory lock for counting the sources of a chatbot. */
const COUNT_LOCK = 724_201_559

const decodeSources = decodeRows(Row)
const decodeRemoved = decodeRows(Schema.Struct({ kind: Schema.String, name: Schema.String }))
const decodeIds = decodeRows(Schema.Struct({ id: DocumentId }))

const columns = `id, chatbot_id, kind, name, schedule, version, created_at, updated_at, (
    select run_at from source_queue q where q.source_id = sources.id and q.run_id is null
  ) as next_run_at, (select count(*)::int from documents d where d.source_id = sources.id) as document_count`

/** The table `sources`, always within the current organization. */
export class Sources extends Service<Sources>()("parley/storage/sources/Sources", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing
  const documents = yield* Documents

  const read = Effect.fnUntraced(function* (chatbot: ChatbotId, id?: SourceId) {
    // The texts of all sources of a chatbot may be many megabytes.
    const config = id === undefined ? sql`config || '{"text": null}'` : sql`config`
    const rows = yield* decodeSources(sql`
      select ${sql.literal(columns)}, ${config} as config from sources
      where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}
        ${id === undefined ? sql`` : sql`and id = ${id}`} order by created_at, id`)
    const runs = yield* lastRuns(
      sql,
      rows.map((row) => row.id),
    )
    return rows.map(({ config, ...row }): VersionedSource => ({
      ...row,
      ...config,
      last_run: runs.get(row.id) ?? null,
    }))
  })

  const get = (chatbot: ChatbotId, id: SourceId) => rowOr(sourceNotFound)(read(chatbot, id))

  /** Makes content the document of a text. */
  const write = Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, { content, id }: TextDocument) {
    const [own] = yield* decodeIds(sql`select id from documents
      where source_id = ${source} and organization_id = ${yield* CurrentOrganization}`)
    if (own !== undefined) return yield* Effect.asVoid(documents.replace(chatbot, own.id, content))
    const added = yield* documents.add(id, chatbot, content, { source_id: source, url: null, is_approved: false })
    if (added.duplicate) return yield* contentTaken()
  })

  const removeRow = Effect.fnUntraced(function* (chatbot: ChatbotId, id: SourceId) {
    const organization = yield* CurrentOrganization
    const { kind, name } = yield* rowOr(sourceNotFound)(
      decodeRemoved(sql`delete from sources
        where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} returning kind, name`),
    )
    const before = concealed({ kind, name })
    yield* auditing.record(sql, { organization, action: "source.deleted", target: id, chatbot, before })
    yield* sql`with ${knowledgeChanged(sql, sql`id = ${chatbot} and organization_id = ${organization}`)} select`
  }, transaction(sql))

  return {
    /** Inserts a source, and queues its first run or adds its document. Fails with `Conflict` where there are too many. */
    insert: Effect.fnUntraced(
      function* (
        id: SourceId,
        chatbot: ChatbotId,
        kind: SourceKind,
        content: SourceContent,
        first: { readonly run?: NewRun; readonly document?: TextDocument },
      ) {
        const organization = yield* CurrentOrganization
        // Of two requests at once, each counts what the other has inserted.
        yield* sql`select pg_advisory_xact_lock(${COUNT_LOCK}, hashtext(${chatbot}::text))`
        const count = yield* counted(sql`select count(*)::int as count from sources
          where chatbot_id = ${chatbot} and organization_id = ${organization}`)
        if (count >= SOURCES_MAX) return yield* full
        yield* sql`insert into sources (id, organization_id, chatbot_id, kind, name, config, schedule)
          values (${id}, ${organization}, ${chatbot}, ${kind}, ${content.name}, ${json(configOf(content))},
            ${content.schedule}::text)`
        const after = concealed({ kind, ...auditedSource(content) })
        yield* auditing.record(sql, { organization, action: "source.created", target: id, chatbot, after })
        yield* first.run === undefined ? reschedule(sql, id) : queueRun(sql, id, first.run)
        if (first.document !== undefined) yield* write(chatbot, id, first.document)
        return yield* get(chatbot, id)
      },
      committing<NotFound>(
        sql,
        onForeignKeyViolation(() => chatbotNotFound),
      ),
    ),

    /** Lists the sources of a chatbot, oldest first, without their texts. */
    list: (chatbot: ChatbotId) => withoutSqlErrors(read(chatbot)),

    get: (chatbot: ChatbotId, id: SourceId) => withoutSqlErrors(get(chatbot, id)),

    /** Fails where the chatbot has no such source. */
    ensure: Effect.fnUntraced(function* (chatbot: ChatbotId, id: SourceId) {
      yield* rowOr(sourceNotFound)(sql`select id from sources
        where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`)
    }, withoutSqlErrors),

    /**
     * Changes a source from what it was when it was read, or else fails with `Conflict`. Where other pages are read now,
     * the blocks that repeat on them are forgotten, so that the next run reads every page anew.
     */
    update: Effect.fnUntraced(function* (before: VersionedSource, content: SourceContent, document?: TextDocument) {
      const isReadAnew = JSON.stringify(scopeOf(before)) !== JSON.stringify(scopeOf(content))
      const organization = yield* CurrentOrganization
      const { chatbot_id, id, version } = before
      const updated = yield* sql`
        update sources set name = ${content.name}, config = ${json(configOf(content))},
          schedule = ${content.schedule}::text, version = version + 1,
          repeated = case when ${isReadAnew} then null else repeated end,
          updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
        where id = ${id} and chatbot_id = ${chatbot_id} and organization_id = ${organization}
          and version = ${String(version)}::text::bigint returning id`
      if (updated.length === 0) return yield* Effect.andThen(get(chatbot_id, id), Effect.fail(changedMeanwhile))
      const changed = changeOf(auditedSource(before), auditedSource(content))
      if (changed !== undefined) {
        const entry = { organization, target: id, chatbot: chatbot_id, ...changed }
        yield* auditing.record(sql, { action: "source.updated", ...entry })
      }
      if (content.schedule !== before.schedule) yield* reschedule(sql, id)
      if (document !== undefined) yield* write(chatbot_id, id, document)
      return yield* get(chatbot_id, id)
    }, committing(sql)),

    /** Deletes a source with its documents, runs and questions. */
    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: SourceId) {
      // A run that is under way writes nothing more without its job.
      yield* sql`delete from source_queue where source_id in (
          select id from sources where id = ${id} and chatbot_id = ${chatbot}
        ) and organization_id = ${yield* CurrentOrganization}`
      yield* deleteDocuments(sql, chatbot, id)
      yield* deletePages(sql, chatbot, id)
      yield* removeRow(chatbot, id)
    }, lengthy),
  }
}) {}

const configOf = (content: SourceContent): SourceConfig => Struct.pick(content, Struct.keys(SourceConfig.fields))
const scopeOf = ({ exclude, include, urls }: SourceConfig) => [urls, include, exclude]

/** Returns the fields of a source that the audit log compares. */
const auditedSource = (content: SourceContent): Schema.JsonObject => ({
  name: content.name,
  schedule: content.schedule,
  server: [...new Set(content.urls.map(originOf))],
  ...configOf(content),
})
