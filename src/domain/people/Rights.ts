import type { Caller, Reach } from "../Caller.ts"
import type { ChatbotId } from "../Ids.ts"
import { allScopes, type Scope } from "../keys/ApiKey.ts"
import { type PersonRole, scopesOfRole } from "./Role.ts"

/** The scopes that roles give in the whole organization, or for one chatbot beside those, in the order of all scopes. */
export const scopesOf = (roles: ReadonlyArray<PersonRole>, chatbot: ChatbotId | null): ReadonlyArray<Scope> => {
  const given = new Set(roles.flatMap(({ chatbot_id, role }) => (chatbot_id === chatbot ? scopesOfRole[role] : [])))
  return allScopes.filter((scope) => given.has(scope))
}

/** The scopes of each chatbot for which somebody has a role. */
export const scopesByChatbot = (
  roles: ReadonlyArray<PersonRole>,
): ReadonlyArray<{ readonly chatbot_id: ChatbotId; readonly scopes: ReadonlyArray<Scope> }> =>
  [...new Set(roles.flatMap(({ chatbot_id }) => chatbot_id ?? []))].map((chatbot_id) => ({
    chatbot_id,
    scopes: scopesOf(roles, chatbot_id),
  }))

const union = (one: ReadonlyArray<Scope>, other: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  allScopes.filter((scope) => one.includes(scope) || other.includes(scope))

/**
 * What a person with roles of single chatbots may do in one request. The request for a chatbot reaches that alone, with
 * the scopes of its roles; one that needs a scope which the person has in the organization, reaches all chatbots with
 * the scopes of the organization; another one reaches the chatbots whose roles give the scope, with the scopes that the
 * person has for all of them. Keys, and people without such roles, keep what they have.
 *
 * @param named the chatbot in the path, in lower case
 */
export const rightsFor = (
  caller: Caller["Service"],
  required: Scope | undefined,
  named: string | undefined,
): { readonly chatbots: Reach; readonly scopes: ReadonlyArray<Scope> } => {
  const grants = scopesByChatbot(caller.session?.roles ?? [])
  const { chatbots, scopes } = caller
  if (grants.length === 0) return { chatbots, scopes }
  if (named !== undefined) {
    const grant = grants.find(({ chatbot_id }) => chatbot_id === named)
    return grant === undefined
      ? { chatbots: scopes.length === 0 ? [] : null, scopes }
      : { chatbots: [grant.chatbot_id], scopes: union(scopes, grant.scopes) }
  }
  if (required === undefined ? scopes.length > 0 : scopes.includes(required)) return { chatbots: null, scopes }
  const reached = grants.filter((grant) => required === undefined || grant.scopes.includes(required))
  const common = allScopes.filter(
    (scope) => reached.length > 0 && reached.every((grant) => grant.scopes.includes(scope)),
  )
  return { chatbots: reached.map(({ chatbot_id }) => chatbot_id), scopes: union(scopes, common) }
}
