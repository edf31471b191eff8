import type * as Prompt from "effect/ai/Prompt"
import { tokensAtMost } from "../domain/chat/Tokens.ts"

/**
 * The messages as far as they fit so many tokens, about. Of what was said before the last question whole turns are left
 * out, the oldest first. The system instruction stays, and so do the question and the calls and results that followed it.
 */
export const trimHistory = (
  messages: ReadonlyArray<Prompt.Message>,
  tokensMax: number,
): ReadonlyArray<Prompt.Message> => {
  const first = messages.findIndex(({ role }) => role !== "system")
  const question = messages.findLastIndex(({ role }) => role === "user")
  if (question <= first) return messages
  const tokens = messages.map((message) => tokensAtMost(textsOf(message)))
  let excess = tokens.reduce((sum, each) => sum + each, 0) - tokensMax
  let kept = first
  while (excess > 0 && kept < question) {
    // What the user said goes with what was answered to it.
    do excess -= tokens[kept++] ?? 0
    while (messages[kept]?.role !== "user")
  }
  return kept === first ? messages : messages.toSpliced(first, kept - first)
}

const textsOf = (message: Prompt.Message): ReadonlyArray<string> =>
  message.role === "system"
    ? [message.content]
    : message.content.map((part) => {
        switch (part.type) {
          case "text":
          case "reasoning":
            return part.text
          case "tool-call":
            return JSON.stringify(part.params) ?? ""
          case "tool-result":
            return JSON.stringify(part.result) ?? ""
          default:
            return ""
        }
      })
