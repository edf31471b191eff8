import type { ChatTurn } from "../domain/chat/Chat.ts"
import { type EmailGate, emailGate, emailGateModel } from "../domain/chat/EmailGate.ts"
import { type HeldTurn, notHeld, type SentTurn } from "../domain/chat/History.ts"
import type { ChatbotRow } from "../storage/Chatbots.ts"
import type { HistoryBounds, OpenSession, HistoryMessage } from "../storage/Conversations.ts"

/*
 * What a request to a chat and the session that it belongs to make of each other: what is new, and what the model sees.
 */

export interface ChatRequest {
  /** The last is the user's. */
  readonly messages: ReadonlyArray<SentTurn>
  readonly platform: string
  /** Chosen by the client, or the id of a session. */
  readonly sessionToken: string | undefined
  /** Whether the reply to the last message is to be made again. */
  readonly again?: boolean
  /** The client's id of a message that the last one stands in place of. */
  readonly replaces?: string | undefined
  /** What the application that serves the conversation adds to the chatbot's own instructions. */
  readonly instructions?: string | undefined
}

/** What a request finds. */
export interface Before {
  readonly found: OpenSession | undefined
  /** Of the request, what the session does not hold yet. */
  readonly fresh: ReadonlyArray<ChatRequest["messages"][number]>
  /** What was said before. */
  readonly history: ReadonlyArray<HistoryMessage>
}

/** The longest text there can be. */
const WHOLE = 2 ** 31 - 1

/**
 * How much of its session a request needs: of one that sends what is new, what the model is `shown` at most. One that
 * sends more is only compared with the session, so it needs about as much as it sends itself. Between the messages that
 * were sent may stand replies that the client does not know. A text that is longer than any that was sent is none of
 * them, but may go on where one of them was cut off: one character more tells that.
 */
export const boundsOf = (
  { messages }: ChatRequest,
  shown: Pick<HistoryBounds, "bytes" | "messages">,
): HistoryBounds => {
  if (messages.length === 1) return { ...shown, characters: WHOLE }
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const longest = messages.reduce((most, { content }) => Math.max(most, content.length), 0)
  return {
    messages: Math.max(shown.messages, 2 * messages.length),
    bytes: Math.max(shown.bytes, 2 * bytes),
    characters: longest + 1,
  }
}

export const beforeOf = (found: OpenSession | undefined, request: ChatRequest): Before => {
  const held = found?.history ?? []
  const fresh = notHeld(held.map(toHeldTurn), request.messages, request.again)
  const place = placeIn(held, request, fresh.length === 0)
  return { found, fresh, history: place === -1 ? held : held.slice(0, place) }
}

/**
 * Where the session holds what a client asks again, or asks in other words. The model does not see what was said from
 * there on. -1 for what is said anew. A question that was asked again is held more than once: its client's id tells
 * where it came first.
 */
const placeIn = (
  held: ReadonlyArray<HistoryMessage>,
  { again, messages, replaces }: ChatRequest,
  isHeld: boolean,
): number => {
  if (replaces !== undefined) return held.findIndex(({ mid }) => mid === replaces)
  if (again !== true && !isHeld) return -1
  const last = messages.at(-1)
  const isQuestion = (said: HistoryMessage) => said.sender_type === "user" && said.content === last?.content
  const first = last?.id === undefined ? -1 : held.findIndex((said) => isQuestion(said) && said.mid === last.id)
  return first === -1 ? held.findLastIndex(isQuestion) : first
}

const toTurn = ({ sender_type, content }: HistoryMessage): ChatTurn => ({
  role: sender_type === "user" ? "user" : "assistant",
  content,
})

const toHeldTurn = (said: HistoryMessage): HeldTurn => ({
  ...toTurn(said),
  id: said.id,
  isCutOff: said.finish_reason === "aborted" || said.finish_reason === "error",
})

/** What the question for the user's e-mail address comes to; nothing where the chatbot does not ask. */
export const gateOf = (chatbot: ChatbotRow, before: Before, request: ChatRequest): EmailGate | undefined => {
  if (!chatbot.settings.isRequestUserInfoEnabled) return undefined
  const { found, history } = before
  const gate = emailGate(asSaid(history, request), isRequestIn(history))
  const isKnown = found?.user_info.email !== undefined
  return isKnown || found?.may_ask_email === false
    ? { ...gate, email: isKnown ? undefined : gate.email, isAsking: false, mayAskAgain: false }
    : gate
}

const isRequestIn = (history: ReadonlyArray<HistoryMessage>) => {
  const requests = new Set(history.filter((said) => said.model === emailGateModel).map((said) => said.content))
  return (content: string) => requests.has(content)
}

/** What was sent, or, when that is one message, the session and it. */
const asSaid = (history: ReadonlyArray<HistoryMessage>, { messages }: ChatRequest): ReadonlyArray<ChatTurn> =>
  [
    ...(messages.length > 1 ? [] : history.map(toTurn)),
    ...messages.map(({ role, content }) => ({ role, content })),
  ].filter((turn) => turn.content !== "")

/**
 * The conversation as the model is shown it. Asking for the e-mail address, giving it and declining to is not part of it, so
 * that the question which waited for that comes last again.
 */
export const conversationOf = (
  chatbot: ChatbotRow,
  history: ReadonlyArray<HistoryMessage>,
  request: ChatRequest,
): ReadonlyArray<ChatTurn> => {
  const turns = asSaid(history, request)
  return chatbot.settings.isRequestUserInfoEnabled ? emailGate(turns, isRequestIn(history)).turns : turns
}

/** All that the model is shown at first, but for what the knowledge base has. */
export const shownOf = (
  chatbot: ChatbotRow,
  history: ReadonlyArray<HistoryMessage>,
  request: ChatRequest,
): ReadonlyArray<string> => [
  chatbot.settings.prompt,
  request.instructions ?? "",
  ...conversationOf(chatbot, history, request).map(({ content }) => content),
]
