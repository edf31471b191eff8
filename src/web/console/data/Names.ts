import { allKeys } from "./Admin.ts"
import { allChatbots } from "./Chatbots.ts"
import { useResource } from "../server/Resource.ts"
import { can, session } from "../server/Session.ts"

/** The end of an id, which stands for what cannot be named, such as a chatbot that was deleted. */
const shortId = (id: string): string => `…${id.slice(-6)}`

interface Named {
  readonly id: string
  readonly name: string
}

const namesOf = (things: ReadonlyArray<Named> = []) => new Map(things.map(({ id, name }) => [id, name]))

/** The names of chatbots by their ids, as far as the key that is signed in may know them. */
export const useChatbotNames = (): ((id: string) => string) => {
  const known = useResource(allChatbots(), can("chatbots:read")).data.value
  const names = namesOf(known)
  return (id) => names.get(id) ?? `Chatbot ${shortId(id)}`
}

/** The names of the organization's keys by their ids. */
export const useKeyNames = (): ((id: string) => string) => {
  const known = useResource(allKeys(session.value?.organization.id ?? ""), can("admin")).data.value
  const names = namesOf(known)
  return (id) => names.get(id) ?? `Key ${shortId(id)}`
}
