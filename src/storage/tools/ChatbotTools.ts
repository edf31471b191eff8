import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ToolMethod } from "../../domain/chatbot/ChatbotTool.ts"
import { originOf } from "../../domain/chatbot/UrlTemplate.ts"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId, ToolId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { Quotas } from "../organizations/Quotas.ts"
import { decodeRows, decodeRowOr } from "../Rows.ts"
import { committing, onUniqueViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { Secrets, type SecretUnreadable } from "../../system/Secrets.ts"
import { json, orderedJson } from "../sql/SqlValues.ts"
import { type Headers, openHeaders, sealHeaders, StoredHeaders } from "./ToolHeaders.ts"

/** The content of a tool, as a user defines it. */
export interface ToolContent extends Pick<
  StoredRow,
  "description" | "input_schema" | "method" | "name" | "timeout_ms" | "url"
> {
  readonly headers: Headers
}

const StoredRow = Schema.Struct({
  ...StoredHeaders.fields,
  id: ToolId,
  organization_id: OrganizationId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  description: Schema.String,
  input_schema: Schema.Record(Schema.String, Schema.Json),
  method: ToolMethod,
  url: Schema.String,
  timeout_ms: Schema.NullOr(Schema.Int),
  created_at: Schema.Date,
  updated_at: Schema.Date,
})
type StoredRow = typeof StoredRow.Type

export interface ToolRow
  extends Omit<ToolContent, "headers">, Pick<StoredRow, "chatbot_id" | "created_at" | "id" | "updated_at"> {
  readonly header_names: ReadonlyArray<string>
  readonly headers: Effect.Effect<Headers, SecretUnreadable>
}

const toolNotFound = new NotFound({ detail: "There is no such tool." })
const nameTaken = () => new Conflict({ detail: "Another tool of the chatbot has this name." })

const decodeCount = decodeRowOr(Schema.Struct({ tool_count: Schema.Finite }), chatbotNotFound)
const decodeTools = decodeRows(StoredRow)
const decodeTool = decodeRowOr(StoredRow, toolNotFound)
const decodeName = decodeRowOr(Schema.Struct({ name: Schema.String }), toolNotFound)

/** The table `chatbot_tools`, always within the current organization. */
export class ChatbotTools extends Service<ChatbotTools>()("parley/storage/tools/ChatbotTools", function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  const auditing = yield* Auditing
  const quotas = yield* Quotas

  const columns = sql.literal(
    `id, organization_id, chatbot_id, name, description, input_schema, method, url, headers, sealed_headers,
        sealed_by, timeout_ms, created_at, updated_at`,
  )

  const toRow = (row: StoredRow): ToolRow => {
    const { headers, organization_id: _, sealed_by: __, sealed_headers: ___, ...shown } = row
    return { ...shown, header_names: Object.keys(headers), headers: openHeaders(secrets, row) }
  }

  const only = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.map(decodeTool(rows), toRow)

  const seal = (id: ToolId, organization_id: OrganizationId, { headers, url }: ToolContent) =>
    sealHeaders(secrets, { id, organization_id, url }, headers)

  return {
    /** Inserts a tool. Fails with `Conflict` when the chatbot has `limit` tools, or one with the same name. */
    insert: Effect.fnUntraced(
      function* (id: ToolId, chatbot: ChatbotId, content: ToolContent, limit: number) {
        const organization = yield* CurrentOrganization
        const ensureRoom = yield* quotas.room
        // Every insert locks this row, so that concurrent ones are counted one after the other.
        const { tool_count } = yield* decodeCount(sql`
          update chatbots set tool_count = tool_count + 1
          where id = ${chatbot} and organization_id = ${organization} returning tool_count`)
        if (tool_count > limit) {
          return yield* new Conflict({ detail: `The chatbot has ${limit} tools, and may not have more.` })
        }
        yield* ensureRoom({ tools: 1 })
        const sealed = yield* seal(id, organization, content)
        yield* auditing.record(sql, {
          organization,
          action: "tool.created",
          target: id,
          chatbot,
          after: concealed(auditedTool(content, content.headers)),
        })
        return yield* only(sql`
          insert into chatbot_tools (id, organization_id, chatbot_id, name, description, input_schema, method, url,
            headers, sealed_headers, sealed_by, timeout_ms)
          values (${id}, ${organization}, ${chatbot}, ${content.name}, ${content.description},
            ${orderedJson(content.input_schema)}, ${content.method}, ${content.url},
            ${json(sealed.headers)}, ${sealed.sealed_headers}::bytea, ${sealed.sealed_by}::text,
            ${content.timeout_ms}::int)
          returning ${columns}`)
      },
      committing<Conflict>(sql, onUniqueViolation("chatbot_tools_name", nameTaken)),
    ),

    /** Lists the tools of a chatbot, oldest first; none when the chatbot does not exist. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      const rows = yield* decodeTools(sql`
        select ${columns} from chatbot_tools
        where chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization} order by created_at, id`)
      return rows.map(toRow)
    }, withoutSqlErrors),

    get: Effect.fnUntraced(function* (chatbot: ChatbotId, id: ToolId) {
      return yield* only(sql`
        select ${columns} from chatbot_tools
        where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization}`)
    }, withoutSqlErrors),

    /**
     * Changes a tool under its row's lock, so that nothing else changes between what `change` reads and what it
     * returns.
     */
    modify: <E>(chatbot: ChatbotId, id: ToolId, change: (row: ToolRow) => Effect.Effect<ToolContent, E>) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const before = yield* only(sql`
          select ${columns} from chatbot_tools
          where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} for update`)
        const content = yield* change(before)
        const headers = yield* Effect.orElseSucceed(before.headers, () => Redacted.make({}))
        const changed = changeOf(auditedTool(before, headers), auditedTool(content, content.headers))
        if (changed !== undefined) {
          yield* auditing.record(sql, { organization, action: "tool.updated", target: id, chatbot, ...changed })
        }
        const sealed = yield* seal(id, organization, content)
        return yield* only(sql`
          update chatbot_tools set name = ${content.name}, description = ${content.description},
            input_schema = ${orderedJson(content.input_schema)}, method = ${content.method},
            url = ${content.url}, headers = ${json(sealed.headers)},
            sealed_headers = ${sealed.sealed_headers}::bytea, sealed_by = ${sealed.sealed_by}::text,
            timeout_ms = ${content.timeout_ms}::int,
            updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
          where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} returning ${columns}`)
      }).pipe(committing<Conflict>(sql, onUniqueViolation("chatbot_tools_name", nameTaken))),

    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: ToolId) {
      const organization = yield* CurrentOrganization
      // Locks the chatbot first, as an insert does, so that the two cannot deadlock.
      yield* sql`
        select from chatbots where id = ${chatbot} and organization_id = ${organization} for no key update`
      const removed = yield* decodeName(sql`
        delete from chatbot_tools
        where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} returning name`)
      yield* auditing.record(sql, {
        organization,
        action: "tool.deleted",
        target: id,
        chatbot,
        before: concealed(removed),
      })
      yield* sql`
        update chatbots set tool_count = tool_count - 1
        where id = ${chatbot} and organization_id = ${organization}`
    }, committing(sql)),

    /** Records in the audit log that the caller calls a tool itself, be it stored or only declared. */
    recordTrial: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      { id, method, name, url }: Pick<ToolContent, "method" | "name" | "url"> & { readonly id?: ToolId },
    ) {
      yield* auditing.record(sql, {
        organization: yield* CurrentOrganization,
        action: "tool.tried",
        ...(id !== undefined && { target: id }),
        chatbot,
        after: concealed({ name, method, server: originOf(url) }),
      })
    }, withoutSqlErrors),
  }
}) {}

/** Returns the audited fields of a tool. Schema and headers are in forms of which all contents are concealed. */
const auditedTool = (
  { description, input_schema, method, name, timeout_ms, url }: Omit<ToolContent, "headers">,
  headers: Headers,
): Schema.JsonObject => ({
  name,
  description,
  method,
  server: originOf(url),
  url,
  timeout_ms,
  input_schema: JSON.stringify(input_schema),
  headers: Object.entries(Redacted.value(headers))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({ name, value })),
})
