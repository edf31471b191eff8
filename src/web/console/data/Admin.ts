import { type Answer, call, everyPage } from "../server/Api.ts"
import { resources, useResource } from "../server/Resource.ts"
import { can, session } from "../server/Session.ts"
import { allChatbots } from "./Chatbots.ts"
import { allPeople, type PersonRole, roleWords } from "./People.ts"

/** The end of an id, which stands for what cannot be named, such as a chatbot that was deleted. */
const shortId = (id: string): string => `…${id.slice(-6)}`

interface Named {
  readonly id: string
  readonly name: string
}

const namesOf = (things: ReadonlyArray<Named> = []) => new Map(things.map(({ id, name }) => [id, name]))

/** Names of chatbots by their ids; `otherwise`, or a mark by which it is told apart, for one that is not known. */
export const useChatbotNames = (): ((id: string, otherwise?: string) => string) => {
  const mayRead = can("chatbots:read", null)
  const { data, failure } = useResource(allChatbots(), mayRead)
  const isAwaited = mayRead && (data.value ?? failure.value) === undefined
  const names = namesOf(data.value)
  return (id, otherwise = isAwaited ? "…" : `Chatbot ${shortId(id)}`) => names.get(id) ?? otherwise
}

/** Words for a role with the only chatbot that it holds for, such as `Editor of Harbour`. */
export const useRoleWords = (): ((role: PersonRole) => string) => {
  const chatbotName = useChatbotNames()
  return ({ chatbot_id, role }) => roleWords[role] + (chatbot_id === null ? "" : ` of ${chatbotName(chatbot_id)}`)
}

/** Names of keys, and of people, who act by a key whose id is the person's. */
export const useKeyNames = (): ((id: string) => string) => {
  const keys = useResource(allKeys(session.value?.organization.id ?? ""), can("admin")).data.value ?? []
  const people = useResource(allPeople(), can("admin")).data.value ?? []
  const names = namesOf([...keys, ...people])
  return (id) => names.get(id) ?? `Key ${shortId(id)}`
}

export type Organization = Answer<"GET /api/admin/organizations">["organizations"][number]
export type ApiKey = Answer<"GET /api/admin/api-keys">["api_keys"][number]

export const allOrganizations = resources(() =>
  everyPage(
    (cursor) => call("GET /api/admin/organizations", { query: { limit: "200", cursor } }),
    ({ organizations }) => organizations,
  ),
)

const fetchKeys = (organization_id?: string): Promise<ReadonlyArray<ApiKey>> =>
  everyPage(
    (cursor) => call("GET /api/admin/api-keys", { query: { organization_id, limit: "200", cursor } }),
    ({ api_keys }) => api_keys,
  )

/** The keys of an organization, revoked ones too, newest first. */
export const allKeys = resources((organizationId: string) => fetchKeys(organizationId))

/** A key that stands in the pages of a website. */
export interface PublishableKey extends ApiKey {
  readonly public_key: string
  readonly allowed_origins: ReadonlyArray<string>
}

const isPublishable = (key: ApiKey): key is PublishableKey => key.public_key !== null && key.allowed_origins !== null

/** The publishable keys of a chatbot, newest first, those that are revoked too. */
export const publishableKeys = resources(async (chatbotId: string): Promise<ReadonlyArray<PublishableKey>> => {
  const keys = await fetchKeys()
  return keys.filter(isPublishable).filter(({ chatbot_id }) => chatbot_id === chatbotId)
})

export const stateOf = (
  { expires_at, revoked_at }: Pick<ApiKey, "expires_at" | "revoked_at">,
  now = Date.now(),
): "active" | "expired" | "revoked" => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active"
}
