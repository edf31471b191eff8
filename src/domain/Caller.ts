import { Context, Effect } from "effect"
import type { Scope } from "./keys/ApiKey.ts"
import type { PersonRole } from "./people/Role.ts"
import type { Budget } from "./organizations/Budget.ts"
import { Forbidden, type NotFound, type Unavailable } from "./Errors.ts"
import { ApiKeyId, type ChatbotId, type OrganizationId, type PersonId } from "./Ids.ts"

/** The chatbots that somebody reaches; null for every chatbot of the organization. */
export type Reach = ReadonlyArray<ChatbotId> | null

/** The session in which a person is signed in. */
export interface PersonalSession {
  readonly id: string
  readonly roles: ReadonlyArray<PersonRole>
  /** Changes with the roles. */
  readonly version: string
}

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
    /** The chatbots that the caller reaches: the one that a key is bound to, or those that a person has a role for. */
    readonly chatbots: Reach
    /** Time at which the key expires; null for never. */
    readonly expiresAt: Date | null
    /** The person who acts by the key; absent for a program. The key's id is the person's. */
    readonly person?: { readonly id: PersonId; readonly name: string; readonly avatar: string | null } | undefined
    /** Absent for a program. */
    readonly session?: PersonalSession | undefined
    /** The budgets that are set for the organization and for the key. */
    readonly budgets: { readonly organization: Budget; readonly key: Budget }
  }
>()("parley/domain/Caller") {}

/** Whether the caller acts for those who run the server, and reaches every organization. */
export const isOperator = ({ scopes }: Caller["Service"]): boolean => scopes.includes("operator")

/** Stands for the API key of a command on the machine of the server, which has none. */
export const COMMAND_LINE = ApiKeyId.make("00000000-0000-0000-0000-000000000000")

/** Builds a refusal in words about what the caller acts by: an API key, or the roles of a person. */
export const refusal = (
  { person }: Pick<Caller["Service"], "person">,
  words: { readonly key: string; readonly person: string },
): Forbidden => new Forbidden({ detail: person === undefined ? words.key : words.person })

/** Builds the refusal of a caller who lacks something, such as `the scope chat`. */
export const lacks = (caller: Pick<Caller["Service"], "person">, what: string): Forbidden =>
  refusal(caller, { key: `This API key lacks ${what}.`, person: `None of your roles has ${what}.` })

/** Fails unless the caller has the scope. */
export const ensureScope = (scope: Scope): Effect.Effect<void, Forbidden, Caller> =>
  Caller.use((caller) => (caller.scopes.includes(scope) ? Effect.void : lacks(caller, `the scope ${scope}`)))

/** Whether a chatbot is within reach. */
export const isWithin = (reach: Reach, chatbotId: ChatbotId): boolean => reach === null || reach.includes(chatbotId)

/** The only chatbot within reach; undefined where there are several. */
export const onlyOne = (reach: Reach): ChatbotId | undefined => (reach?.length === 1 ? reach[0] : undefined)

/** The caller's key is bound to another chatbot, or no role of the person is for this one. */
export const elsewhere = (caller: Caller["Service"]): Forbidden =>
  refusal(caller, {
    key: "This API key is bound to a chatbot, and serves nothing else.",
    person: "None of your roles is for this chatbot.",
  })

/** Fails when the chatbot is not within the caller's reach. */
export const ensureServes = (chatbotId: ChatbotId): Effect.Effect<void, Forbidden, Caller> =>
  Caller.use((caller) => (isWithin(caller.chatbots, chatbotId) ? Effect.void : elsewhere(caller)))

/**
 * Requires that the caller may use the chatbot that a name led to. Who reaches some chatbots alone is refused
 * alike whether the organization has another chatbot of that name or not, so that it cannot find out.
 */
export const ensureServesNamed = <A extends { readonly id: ChatbotId }, R>(
  found: Effect.Effect<A, NotFound | Unavailable, R>,
): Effect.Effect<A, NotFound | Forbidden | Unavailable, R | Caller> =>
  Caller.use((caller): Effect.Effect<A, NotFound | Forbidden | Unavailable, R> => {
    if (caller.chatbots === null) return found
    const refused = Effect.catchTag(found, "NotFound", () => Effect.fail(elsewhere(caller)))
    return Effect.filterOrFail(
      refused,
      ({ id }) => isWithin(caller.chatbots, id),
      () => elsewhere(caller),
    )
  })
