import type { Answer } from "./local/Conversation.ts"
import type { ModelRequest } from "./ModelCalls.ts"

/** The approved answer that came with the last message of the user, word for word; undefined where there is none. */
export const approvedAnswer = ({ prompt }: ModelRequest): Answer | undefined => {
  const last = prompt.content.findLast(({ role }) => role === "user")
  if (last?.role !== "user") return undefined
  const [passage] = last.content.flatMap((part) => (part.type === "text" ? (part.options.parley?.approved ?? []) : []))
  return passage && { text: passage.content, quotes: [{ passage, text: passage.content }] }
}
