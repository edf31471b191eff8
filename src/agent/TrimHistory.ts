import type * as Prompt from "effect/ai/Prompt"
import { IMAGE_TOKENS } from "../domain/chat/Attachment.ts"
import { tokensAtMost } from "../domain/chat/Tokens.ts"
import { imagesIn } from "../models/Images.ts"

/**
 * Shortens messages to about `tokensMax` tokens. It drops the oldest turns before the user's last message, each with
 * the replies to it. The system instruction, the last message, and the calls and results after it always stay.
 */
export const trimHistory = (
  messages: ReadonlyArray<Prompt.Message>,
  tokensMax: number,
): ReadonlyArray<Prompt.Message> => {
  const first = messages.findIndex(({ role }) => role !== "system")
  const question = messages.findLastIndex(({ role }) => role === "user")
  if (question <= first) return messages
  const tokens = messages.map(tokensIn)
  let excess = tokens.reduce((sum, each) => sum + each, 0) - tokensMax
  let kept = first
  while (excess > 0 && kept < question) {
    // A message of the user goes together with the replies to it.
    do excess -= tokens[kept++] ?? 0
    while (messages[kept]?.role !== "user")
  }
  return kept === first ? messages : messages.toSpliced(first, kept - first)
}

const tokensIn = (message: Prompt.Message): number =>
  tokensAtMost(textsOf(message)) + imagesIn(message).length * IMAGE_TOKENS

/** About the tokens of messages, and rather too many. */
export const tokensOf = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages.reduce((sum, message) => sum + tokensIn(message), 0)

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
