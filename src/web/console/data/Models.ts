import { useResource } from "../server/Resource.ts"
import { allChatbots } from "./Chatbots.ts"

/** Models that a person may want: those that the organization's chatbots have, and the one that needs no key. */
export const useModels = (): ReadonlyArray<string> => {
  const chatbots = useResource(allChatbots()).data.value ?? []
  const used = chatbots.flatMap(({ settings }) => [settings.model, ...(settings.fallbackModels ?? [])])
  return Array.from(new Set([...used, "local/extractive"])).toSorted()
}
