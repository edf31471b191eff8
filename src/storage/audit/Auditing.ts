import { Context, Effect, type Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type SqlClient, Statement } from "effect/sql"
import { Actor } from "../../domain/audit/Actor.ts"
import type { AuditAction } from "../../domain/audit/AuditEntry.ts"
import { Caller, COMMAND_LINE } from "../../domain/Caller.ts"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import type { ApiKeyId, ChatbotId, OrganizationId, PersonId } from "../../domain/Ids.ts"
import { RequestId } from "../../domain/RequestId.ts"
import { Service } from "../../domain/Service.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"

/** Fields of an entry of the audit log, beside who did it, from where and when. */
export interface AuditedChange {
  readonly organization: OrganizationId
  readonly action: AuditAction
  /** The id of the target, or an expression for it; absent where it is several. */
  readonly target?: string | Statement.Fragment
  /** The chatbot that the target belongs to. */
  readonly chatbot?: ChatbotId
  /** The state before, or an expression for it. It is without secrets and contents, see `domain/audit/AuditChange.ts`. */
  readonly before?: Schema.JsonObject | Statement.Fragment | undefined
  readonly after?: Schema.JsonObject | Statement.Fragment | undefined
  /** The key that acts, where the fiber has no `Caller` because the key has just been found. */
  readonly apiKey?: ApiKeyId
  /** The person who acts, where the fiber has no `Caller` because the person is signing in or out. */
  readonly person?: PersonId
}

/** The SQL by which repositories add entries to the table `audit_log`, in the transaction of the change itself. */
export class Auditing extends Service<Auditing>()("parley/storage/audit/Auditing", function* () {
  const random = yield* SecureRandom.SecureRandom

  const entry = (sql: SqlClient.SqlClient, change: AuditedChange, condition?: Statement.Fragment) =>
    Effect.withFiber((fiber) =>
      Effect.map(random.uuidV7(), (id) => {
        const caller = Context.getOrUndefined(fiber.context, Caller)
        const isCommand = caller?.apiKeyId === COMMAND_LINE
        const person = change.person ?? caller?.person?.id
        const apiKey = isCommand ? null : (change.apiKey ?? person ?? caller?.apiKeyId ?? null)
        const isForeign = caller !== undefined && caller.organizationId !== change.organization
        const keyless = isCommand ? "command_line" : fiber.getRef(Actor)
        const actor = apiKey === null ? keyless : isForeign ? "operator" : person === undefined ? "api_key" : "person"
        return sql`
          insert into audit_log (id, organization_id, action, actor, api_key_id, api_key_name, api_key_hint, address,
            request_id, target_id, chatbot_id, before, after)
          select ${id}::uuid, ${change.organization}::uuid, ${change.action}::text, ${actor}::text, ${apiKey}::uuid,
            (select name from api_keys where id = ${apiKey}::uuid),
            (select prefix || '…' || last_four from api_keys where id = ${apiKey}::uuid and kind <> 'person'),
            ${fiber.getRef(ClientAddress) ?? null}::text, ${fiber.getRef(RequestId) || null}::text,
            (${change.target ?? null})::uuid, ${change.chatbot ?? null}::uuid,
            (${jsonOf(change.before)})::jsonb, (${jsonOf(change.after)})::jsonb
          ${condition === undefined ? sql`` : sql`where ${condition}`}`
      }),
    )

  const record = (sql: SqlClient.SqlClient, change: AuditedChange) => Effect.flatMap(entry(sql, change), Effect.asVoid)

  return {
    /**
     * Builds the statement that adds an entry, with the fiber's caller, address and request id. It can also be a part
     * of another statement, as in `with made as (insert …), audited as (…)`.
     *
     * @param condition adds the entry only where it is true, such as `exists (select from made)`
     */
    entry,

    /** Adds an entry by a statement of its own, within the transaction that is open. */
    record,

    /** Adds an entry about what changes nothing, such as a sign-in. The server's log has it where nothing can be stored. */
    mention: (sql: SqlClient.SqlClient, change: AuditedChange) =>
      Effect.catch(withoutSqlErrors(record(sql, change)), () => {
        const { action, apiKey, organization: organization_id, target } = change
        return Effect.logWarning("The audit log lacks an entry, because nothing can be stored", {
          action,
          organization_id,
          ...(typeof target === "string" && { target }),
          ...(apiKey !== undefined && { api_key_id: apiKey }),
        })
      }),
  }
}) {}

const jsonOf = (side: AuditedChange["before"]) => (Statement.isFragment(side) ? side : json(side ?? null))
