import { Context, Effect } from "effect"
import type { Scope } from "./keys/ApiKey.ts"
import type { Budget } from "./organizations/Budget.ts"
import { Forbidden, type NotFound, type Unavailable } from "./Errors.ts"
import { ApiKeyId, type ChatbotId, type OrganizationId, type PersonId } from "./Ids.ts"

/**
 * The API key behind the request, as far as services need to know it.
 *
 * @effect-leakable-service methods require it, because it differs from call to call
 */
export class Caller extends Context.Service<
  Caller,
  {
    readonly apiKeyId: ApiKeyId
    readonly organizationId: OrganizationId
    readonly scopes: ReadonlyArray<Scope>
    /** The chatbot that the key is bound to; null when it serves every chatbot of its organization. */
    readonly chatbotId: ChatbotId | null
    /** Time at which the key expires; null for never. */
    readonly expiresAt: Date | null
    /** The person who acts by the key; absent for a program. The key's id is the person's. */
    readonly person?: { readonly id: PersonId; readonly name: string; readonly avatar: string | null } | undefined
    /** The budgets that are set for the organization and for the key. */
    readonly budgets: { readonly organization: Budget; readonly key: Budget }
  }
>()("parley/domain/Caller") {}

/** Whether the caller acts for whoever runs the server, and reaches every organization. */
export const isOperator = ({ scopes }: Caller["Service"]): boolean => scopes.includes("operator")

/** Stands for the API key of a command on the machine of the server, which has none. */
export const COMMAND_LINE = ApiKeyId.make("00000000-0000-0000-0000-000000000000")

/** The caller's key is bound to another chatbot. */
export const boundElsewhere = new Forbidden({
  detail: "This API key is bound to a chatbot, and serves nothing else.",
})

/** The caller's key may not chat, and so not have a model answer. */
export const lacksChat = new Forbidden({ detail: "This API key lacks the scope chat." })

/** Fails when the caller's key is bound to another chatbot. */
export const ensureServes = (chatbotId: ChatbotId): Effect.Effect<void, Forbidden, Caller> =>
  Caller.use((caller) => (caller.chatbotId === null || caller.chatbotId === chatbotId ? Effect.void : boundElsewhere))

/**
 * Requires that the caller's key may use the chatbot that a name led to. A key that is bound to a chatbot is refused
 * alike whether its organization has another chatbot of that name or not, so that it cannot find out.
 */
export const ensureServesNamed = <A extends { readonly id: ChatbotId }, R>(
  found: Effect.Effect<A, NotFound | Unavailable, R>,
): Effect.Effect<A, NotFound | Forbidden | Unavailable, R | Caller> =>
  Caller.use(({ chatbotId }): Effect.Effect<A, NotFound | Forbidden | Unavailable, R> => {
    if (chatbotId === null) return found
    const refused = Effect.catchTag(found, "NotFound", () => Effect.fail(boundElsewhere))
    return Effect.filterOrFail(
      refused,
      ({ id }) => id === chatbotId,
      () => boundElsewhere,
    )
  })
