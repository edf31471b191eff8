import { Effect } from "effect"
import type { Caller } from "../../domain/Caller.ts"
import { isGuessable, UNGUESSABLE_TOKEN_MIN_LENGTH } from "../../domain/chat/SessionToken.ts"
import { ChatbotInactive, InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotRow } from "../../storage/chatbots/Chatbots.ts"
import type { ChatRequest } from "./ChatHistory.ts"

/*
 * What a chat takes of a request: how the caller may name the conversation, and whose instructions the chatbot follows.
 */

/** A remark to the developer of a client whose request was answered nevertheless. */
export type Notice = "guessable_session_token" | "system_messages_ignored"

export const tokenTooShort = InvalidRequest.at(
  "sessionToken",
  `Expected at least ${UNGUESSABLE_TOKEN_MIN_LENGTH} characters, which nobody can guess`,
)

const inactive = new ChatbotInactive({
  detail: "This chatbot is not active: it does not answer until `active` is true again.",
})

/** Fails for a chatbot that does not answer at the moment. */
export const ensureActive = ({ active }: ChatbotRow): Effect.Effect<void, ChatbotInactive> =>
  active ? Effect.void : Effect.fail(inactive)

/**
 * Whether the chatbot follows the instructions of the calling application: if it is set to, or if the application could
 * change the chatbot's own instructions as well.
 */
const followsApplication = ({ settings }: ChatbotRow, { scopes }: Caller["Service"]): boolean =>
  settings.isSystemMessageEnabled === true || scopes.includes("chatbots:write")

/** Returns the request without the instructions that are ignored, and what is to be remarked on it. */
export const admitted = (chatbot: ChatbotRow, caller: Caller["Service"], request: ChatRequest) => {
  const { instructions = "", sessionToken } = request
  const isIgnored = instructions.trim() !== "" && !followsApplication(chatbot, caller)
  const notices: Array<Notice> = []
  if (sessionToken !== undefined && isGuessable(sessionToken)) notices.push("guessable_session_token")
  if (isIgnored) notices.push("system_messages_ignored")
  return { notices, request: isIgnored ? { ...request, instructions: undefined } : request }
}
