import { Context, Effect } from "effect"
import type { Scope } from "./ApiKey.ts"
import type { Budget } from "./Budget.ts"
import { Forbidden } from "./Errors.ts"
import type { ApiKeyId, ChatbotId, OrganizationId } from "./Ids.ts"

/**
 * Who asks: the key behind the request, as far as services need to know it.
 *
 * @effect-leakable-service methods ask for it, since it changes from call to call
 */
export class Caller extends Context.Service<
  Caller,
  {
    readonly apiKeyId: ApiKeyId
    readonly organizationId: OrganizationId
    readonly scopes: ReadonlyArray<Scope>
    /** The only chatbot the key serves; null for all of the organization's. */
    readonly chatbotId: ChatbotId | null
    /** Whether the organization is the operator's, whose admin keys see the others. */
    readonly isOperator: boolean
    /** What is set of budgets; the rest is as the settings say. */
    readonly budgets: { readonly organization: Budget; readonly key: Budget }
  }
>()("parley/domain/Caller") {}

/** Fails when the caller's key is bound to another chatbot. */
export const ensureServes = (chatbotId: ChatbotId): Effect.Effect<void, Forbidden, Caller> =>
  Caller.use((caller) =>
    caller.chatbotId === null || caller.chatbotId === chatbotId
      ? Effect.void
      : Effect.fail(new Forbidden({ detail: "This API key is bound to a chatbot, and serves nothing else." })),
  )
