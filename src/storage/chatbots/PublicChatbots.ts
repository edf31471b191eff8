import { Effect, Schema } from "effect"
import { Budget } from "../../domain/organizations/Budget.ts"
import { isUuid, ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

const decodeFound = decodeRows(
  Schema.Struct({ id: ChatbotId, organization_id: OrganizationId, budget: Budget, is_operator: Schema.Boolean }),
)

/** The public chatbots of all organizations: which organization a visitor talks with is known only by the chatbot. */
export class PublicChatbots extends Service<PublicChatbots>()("parley/storage/chatbots/PublicChatbots", function* () {
  const sql = yield* SystemSql

  return {
    /**
     * Finds the public chatbot with this id, or with this slug where it is no id: that of the operator's organization, or
     * the only one of that slug.
     */
    find: Effect.fnUntraced(function* (name: string) {
      // A slug may be written as the id of somebody else's chatbot, whose place it must not take.
      const named = isUuid(name) ? sql`c.id = ${name}::uuid` : sql`c.slug = ${name}`
      const [first, second] = yield* decodeFound(sql`
        select c.id, c.organization_id, o.budget, o.is_operator
        from chatbots c join organizations o on o.id = c.organization_id and o.deleted_at is null
        where c.is_public and ${named}
        order by o.is_operator desc limit 2`)
      return first === undefined || (!first.is_operator && second !== undefined) ? undefined : first
    }, withoutSqlErrors),
  }
}) {}
