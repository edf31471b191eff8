import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { concealed } from "../../domain/audit/AuditChange.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, type SlugTaken } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId, ToolId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { planTests, queueTestsOf } from "../evaluation/TestTriggers.ts"
import { Quotas } from "../organizations/Quotas.ts"
import { decodeRows } from "../Rows.ts"
import { slugTaken } from "./Chatbots.ts"
import { committing, onUniqueViolation } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { openHeaders, sealHeaders, StoredHeaders } from "../tools/ToolHeaders.ts"

/** Fields in which a copy differs from its chatbot. */
export interface CopyDifference {
  readonly name: string
  readonly slug: string
  /** The key of the copy's own avatar; null for none. */
  readonly avatar: string | null
}

const ToolRow = Schema.Struct({
  ...StoredHeaders.fields,
  id: ToolId,
  organization_id: OrganizationId,
  name: Schema.String,
  url: Schema.String,
})
type ToolRow = typeof ToolRow.Type

const decodeTools = decodeRows(ToolRow)

/** Copies within the tables of chatbots, of their tools and of their tests, always within the current organization. */
export class ChatbotCopies extends Service<ChatbotCopies>()("parley/storage/chatbots/ChatbotCopies", function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  const auditing = yield* Auditing
  const quotas = yield* Quotas
  const random = yield* SecureRandom.SecureRandom

  /** Copies a tool. Encrypted headers are bound to their tool, so that they are encrypted anew. */
  const copyTool = Effect.fnUntraced(function* (tool: ToolRow, chatbot: ChatbotId) {
    const id = ToolId.make(yield* random.uuidV7())
    const headers = yield* Effect.mapError(
      openHeaders(secrets, tool),
      () => new Conflict({ detail: `The server cannot decrypt the headers of the tool ${tool.name} any more.` }),
    )
    const sealed = yield* sealHeaders(secrets, { ...tool, id }, headers)
    yield* sql`
      insert into chatbot_tools (id, organization_id, chatbot_id, name, description, input_schema, method, url,
        headers, sealed_headers, sealed_by, timeout_ms)
      select ${id}::uuid, organization_id, ${chatbot}::uuid, name, description, input_schema, method, url,
        ${json(sealed.headers)}, ${sealed.sealed_headers}::bytea, ${sealed.sealed_by}::text, timeout_ms
      from chatbot_tools where id = ${tool.id} and organization_id = ${tool.organization_id}`
  })

  return {
    /**
     * Copies the configuration of a chatbot, with its tools and tests, into a new one that is not public. Fails with `Conflict`
     * when the headers of a tool cannot be decrypted.
     */
    copy: Effect.fnUntraced(
      function* (source: ChatbotId, { avatar, name, slug }: CopyDifference) {
        const organization = yield* CurrentOrganization
        const id = ChatbotId.make(yield* random.uuidV7())
        const ensureRoom = yield* quotas.room
        // The lock keeps tools from being added meanwhile.
        const [found] = yield* sql`
        select id from chatbots where id = ${source} and organization_id = ${organization} for no key update`
        if (found === undefined) return yield* chatbotNotFound
        const tools = yield* decodeTools(sql`
        select id, organization_id, name, url, headers, sealed_headers, sealed_by from chatbot_tools
        where chatbot_id = ${source} and organization_id = ${organization} order by created_at, id`)
        yield* ensureRoom({ chatbots: 1, tools: tools.length })
        yield* auditing.record(sql, {
          organization,
          action: "chatbot.created",
          target: id,
          after: { ...concealed({ name, slug }), copy_of: source },
        })
        yield* sql`
        insert into chatbots (id, organization_id, name, description, slug, active, is_public, personality_config,
          settings, chat_widget_config, voice_widget_config, avatar_blob, tool_count)
        select ${id}::uuid, organization_id, ${name}::text, description, ${slug}::text, active, false,
          personality_config, settings, chat_widget_config, voice_widget_config, ${avatar}::text,
          ${tools.length}::int
        from chatbots where id = ${source} and organization_id = ${organization}`
        for (const tool of tools) yield* copyTool(tool, id)
        yield* sql`
        insert into test_plans (chatbot_id, organization_id, plan)
        select ${id}::uuid, organization_id, plan from test_plans
        where chatbot_id = ${source} and organization_id = ${organization}`
        yield* sql`
        insert into tests (id, organization_id, chatbot_id, question, history, expectations, tags, created_at)
        select gen_random_uuid(), organization_id, ${id}::uuid, question, history, expectations, tags, created_at
        from tests where chatbot_id = ${source} and organization_id = ${organization}`
        yield* planTests(sql, id)
        yield* queueTestsOf(sql, id)
        return id
      },
      committing<SlugTaken>(sql, onUniqueViolation("chatbots_slug", slugTaken)),
    ),
  }
}) {}
