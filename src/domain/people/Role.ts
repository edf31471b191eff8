import { Schema } from "effect"
import { ChatbotId } from "../Ids.ts"
import { allScopes, type Scope } from "../keys/ApiKey.ts"

/** Role of a person: a named set of scopes. */
export const Role = Schema.Literals(["owner", "admin", "editor", "agent", "viewer"]).annotate({
  description:
    "`owner`: everything, and the only one who makes owners. `admin`: everything but what operators of the server do. `editor`: chatbots and their knowledge. `agent`: the inbox. `viewer`: sees, and changes nothing.",
})
export type Role = typeof Role.Type

const reads: ReadonlyArray<Scope> = ["chatbots:read", "knowledge:read", "conversations:read"]

/** The scopes of each role. `operator` counts in the operator's organization alone. */
export const scopesOfRole: Readonly<Record<Role, ReadonlyArray<Scope>>> = {
  owner: allScopes,
  admin: allScopes.filter((scope) => scope !== "operator"),
  editor: [...reads, "chatbots:write", "knowledge:write", "chat"],
  agent: [...reads, "conversations:write", "chat"],
  viewer: reads,
}

/** Role in the whole organization, or for one chatbot. A person may have several, and then may do what any of them allows. */
export const PersonRole = Schema.Struct({
  role: Role,
  chatbot_id: Schema.NullOr(ChatbotId).annotate({
    description: "The only chatbot that the role holds for; null for the organization. Owners and admins have null.",
  }),
})
export type PersonRole = typeof PersonRole.Type

export const rolesWith = (scope: Scope): ReadonlyArray<Role> =>
  Role.literals.filter((role) => scopesOfRole[role].includes(scope))
