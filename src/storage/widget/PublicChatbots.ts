import { Context, Effect, Layer, Schema } from "effect"
import type { Budget } from "../../domain/Budget.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { AnyUuid, type ChatbotId, type OrganizationId } from "../../domain/Ids.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** A chatbot with `is_public`, and what the server needs to know to admit its visitors. */
export interface PublicChatbot {
  readonly id: ChatbotId
  readonly organization_id: OrganizationId
  /** The budget of the organization. */
  readonly budget: Budget
}

const isUuid = Schema.is(AnyUuid)

/** The public chatbots of all organizations: which organization a visitor talks with is known only by the chatbot. */
export class PublicChatbots extends Context.Service<
  PublicChatbots,
  {
    /**
     * Finds the public chatbot with this id, or else with this slug: that of the operator's organization, or the only
     * one of that slug.
     */
    readonly find: (name: string) => Effect.Effect<PublicChatbot | undefined, Unavailable>
  }
>()("parley/storage/widget/PublicChatbots") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const find = Effect.fnUntraced(function* (name: string) {
        const id = isUuid(name) ? name : null
        const [first, second] = yield* sql<PublicChatbot & { readonly rank: number }>`
          select c.id, c.organization_id, o.budget,
            case when c.id = ${id}::uuid then 2 when o.is_operator then 1 else 0 end as rank
          from chatbots c join organizations o on o.id = c.organization_id and o.deleted_at is null
          where c.is_public and (c.id = ${id}::uuid or c.slug = ${name})
          order by rank desc limit 2`
        return first === undefined || (first.rank === 0 && second !== undefined) ? undefined : first
      }, withoutSqlErrors)

      return { find }
    }),
  )
}
