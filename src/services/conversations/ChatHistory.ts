import type { ChatFile } from "../../domain/chat/Attachment.ts"
import type { ChatTurn } from "../../domain/chat/Chat.ts"
import { type EmailGate, emailGate, emailGateModel } from "./EmailGate.ts"
import { type StoredTurn, newTurns, type SentTurn } from "../../domain/chat/History.ts"
import type { ChatbotRow } from "../../storage/chatbots/Chatbots.ts"
import type { VisitedPage } from "../../domain/chat/Conversation.ts"
import type { MessageId, SessionId } from "../../domain/Ids.ts"
import type { ChatAttempt } from "./ChatAttempt.ts"
import type { ModelBounds } from "../../models/ModelCalls.ts"
import type { HistoryBounds, OpenSession, HistoryMessage } from "../../storage/conversations/Conversations.ts"

/*
 * Compares a chat request with the stored session that it continues: which of its messages are new, and which
 * conversation the model sees.
 */

/** The visitor of the chat widget who sends a chat. */
export interface ChatVisitor {
  readonly id: string
  /** The conversation that the visitor goes on with; undefined for a new one. */
  readonly conversation: SessionId | undefined
  /** The e-mail address that the visitor has given, empty when it declined to; undefined when it was not asked. */
  readonly email: string | undefined
  /** The name that is signed for the visitor. */
  readonly name: string | undefined
  readonly page: VisitedPage | undefined
}

export interface ChatRequest {
  /** The new message alone, or the whole conversation. The last message is the user's. */
  readonly messages: ReadonlyArray<SentTurn>
  readonly platform: string
  /** A token that the client has chosen for the session, or the session's id. */
  readonly sessionToken: string | undefined
  /** Whether the client wants another reply to a message that is stored already. */
  readonly again?: boolean
  /** The client's id of a stored message that the last message replaces. */
  readonly replaces?: string | undefined
  /** The attempt at a chat that is made once; undefined for a request without an idempotency key. */
  readonly attempt?: ChatAttempt | undefined
  /** The visitor of the chat widget who asks. Without one, the conversation is the calling application's. */
  readonly visitor?: ChatVisitor | undefined
  /** Instructions of the calling application, in addition to the chatbot's own. */
  readonly instructions?: string | undefined
  /** The bounds of the model for a reply that is spoken; undefined for one that is read. */
  readonly spoken?: ModelBounds | undefined
  /** Whether the steps of a stream show what the model was sent. */
  readonly showsRequests?: boolean
}

/** The session that a request continues, and how the request relates to it. */
export interface ChatContext {
  /** Undefined for a new session. */
  readonly session: OpenSession | undefined
  /** The messages of the request that are not stored yet. */
  readonly fresh: ReadonlyArray<ChatRequest["messages"][number]>
  /** The stored messages before those of the request. */
  readonly history: ReadonlyArray<HistoryMessage>
  /** The stored message that the request asks again; undefined for a new one. */
  readonly question: MessageId | undefined
}

/** More characters than any text has. */
const WHOLE_TEXT = 2 ** 31 - 1

/**
 * Returns how much of the session has to be read for a request. A request with a single message needs as much as the
 * prompt may hold. A request with several messages is only compared with the session, so it needs about as much as it
 * sends, twice as much because replies that the client does not know may stand in between. A stored text that is longer
 * than any sent one equals none of them, but may continue one that was cut off, which one further character shows.
 */
export const historyBoundsOf = (
  { messages }: ChatRequest,
  prompt: Pick<HistoryBounds, "bytes" | "messages">,
): HistoryBounds => {
  if (messages.length === 1) return { ...prompt, characters: WHOLE_TEXT }
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const longest = messages.reduce((most, { content }) => Math.max(most, content.length), 0)
  return {
    messages: Math.max(prompt.messages, 2 * messages.length),
    bytes: Math.max(prompt.bytes, 2 * bytes),
    characters: longest + 1,
  }
}

/** Relates a request to the session that it continues, if there is one. */
export const contextOf = (session: OpenSession | undefined, request: ChatRequest): ChatContext => {
  const stored = session?.history ?? []
  const own = indexOfAttempt(stored, request.attempt)
  if (own !== -1) {
    const replaced = stored.findIndex(({ mid }) => mid !== null && mid === request.replaces)
    const history = stored.slice(0, replaced === -1 ? own : Math.min(own, replaced))
    return { session, fresh: [], history, question: stored[own]?.id }
  }
  const fresh = newTurns(stored.map(toStoredTurn), request.messages, request.again)
  const index = indexIn(stored, request, fresh.length === 0)
  const isAgain = fresh.length === 0 || request.again === true
  const history = index === -1 ? stored : stored.slice(0, index)
  return { session, fresh, history, question: isAgain ? stored[index]?.id : undefined }
}

/** Finds the message that an earlier attempt at the same chat has stored; -1 if there is none. */
const indexOfAttempt = (stored: ReadonlyArray<HistoryMessage>, attempt: ChatAttempt | undefined): number =>
  attempt?.isResumed === true ? stored.findIndex(({ id }) => id === attempt.message) : -1

/**
 * Finds the stored message that the request repeats or replaces; the model sees only the messages before it. Returns -1
 * for a new message. A repeated question is stored more than once: the client's id tells which was the first.
 */
const indexIn = (
  stored: ReadonlyArray<HistoryMessage>,
  { again, messages, replaces }: ChatRequest,
  isStored: boolean,
): number => {
  if (replaces !== undefined) return stored.findIndex(({ mid }) => mid === replaces)
  if (again !== true && !isStored) return -1
  const last = messages.at(-1)
  const isQuestion = (said: HistoryMessage) => said.sender_type === "user" && said.content === last?.content
  const first = last?.id === undefined ? -1 : stored.findIndex((said) => isQuestion(said) && said.mid === last.id)
  return first === -1 ? stored.findLastIndex(isQuestion) : first
}

const toTurn = ({ sender_type, content }: HistoryMessage): ChatTurn => ({
  role: sender_type === "user" ? "user" : "assistant",
  content,
})

const toStoredTurn = (said: HistoryMessage): StoredTurn => ({
  ...toTurn(said),
  id: said.id,
  isCutOff: said.finish_reason === "aborted" || said.finish_reason === "error",
})

/**
 * Decides whether to ask for the user's e-mail address. A chatbot that never asks stores the one that it is given all the
 * same, by which the conversation can be found and erased.
 */
export const emailGateOf = (
  chatbot: ChatbotRow,
  context: ChatContext,
  request: ChatRequest,
): Omit<EmailGate, "turns"> | undefined => {
  const { session, history } = context
  if (!chatbot.settings.isRequestUserInfoEnabled) {
    const email = request.visitor?.email
    const isNew = email !== undefined && email !== "" && session?.user_info.email === undefined
    return isNew ? { email, isAsking: false, mayAskAgain: true } : undefined
  }
  const gate = gateOf(emailGate(turnsOf(history, request), isRequestIn(history)), request.visitor?.email)
  const isKnown = session?.user_info.email !== undefined
  return isKnown || session?.may_ask_email === false
    ? { ...gate, email: isKnown ? undefined : gate.email, isAsking: false, mayAskAgain: false }
    : gate
}

/** The gate after an answer that the visitor gave in a form, or that was signed for it, and not in a message. */
const gateOf = (gate: EmailGate, given: string | undefined): EmailGate =>
  given === undefined
    ? gate
    : { ...gate, email: given === "" ? gate.email : given, isAsking: false, mayAskAgain: false }

const isRequestIn = (history: ReadonlyArray<HistoryMessage>) => {
  const requests = new Set(history.filter((said) => said.model === emailGateModel).map((said) => said.content))
  return (content: string) => requests.has(content)
}

/** The files of a conversation by their messages, and those of the question. */
export interface SentFiles {
  readonly byMessage: ReadonlyMap<MessageId, ReadonlyArray<ChatFile>>
  readonly ofQuestion: ReadonlyArray<ChatFile>
}

export const noFiles: SentFiles = { byMessage: new Map(), ofQuestion: [] }

/** Ends the last turn of a person in a conversation that the chatbot has again. */
const HANDED_BACK = "\n\n[The chatbot answers again from here on. What people of the team have said holds.]"

/** A turn as a model sees it: one of a person says so, since the chatbot must keep what people have promised. */
export const toPromptTurn = (said: HistoryMessage): ChatTurn =>
  said.person === null
    ? toTurn(said)
    : { role: "assistant", content: `[${said.person}, a person of the team:] ${said.content}` }

/** The messages of the request, after those of the session if the request has a single one. */
const turnsOf = (
  history: ReadonlyArray<HistoryMessage>,
  { messages }: ChatRequest,
  { byMessage, ofQuestion } = noFiles,
): ReadonlyArray<ChatTurn> => {
  const last = history.findLast(({ person }) => person !== null)
  const shown = (said: HistoryMessage): ChatTurn => {
    const turn = { ...toPromptTurn(said), files: byMessage.get(said.id) }
    return said === last ? { ...turn, content: turn.content + HANDED_BACK } : turn
  }
  // A client that sends the whole conversation does not say which turns are those of people.
  const people = last === undefined ? [] : history.filter(({ person }) => person !== null)
  const sent = messages.map(({ role, content }, index): ChatTurn => {
    const said = role === "user" ? undefined : people.find((one) => one.content === content)
    const files = index === messages.length - 1 ? ofQuestion : undefined
    return said === undefined ? { role, content, files } : shown(said)
  })
  return [...(messages.length > 1 ? [] : history.map(shown)), ...sent].filter(
    ({ content, files = [] }) => content !== "" || files.length > 0,
  )
}

/** Whether files were sent with the messages that a request continues, or are sent with its own. */
export const hasFiles = ({ history, question, session }: ChatContext, { messages }: ChatRequest): boolean =>
  (messages.at(-1)?.attachments ?? []).length > 0 ||
  history.some(({ has_files }) => has_files) ||
  session?.history.some(({ has_files, id }) => has_files && id === question) === true

/**
 * The conversation as the model sees it: without the turns in which the chatbot asks for the e-mail address and the
 * user gives or refuses it, so that the question which had to wait for them comes last again.
 */
export const conversationOf = (
  chatbot: ChatbotRow,
  history: ReadonlyArray<HistoryMessage>,
  request: ChatRequest,
  files?: SentFiles,
): ReadonlyArray<ChatTurn> => {
  const turns = turnsOf(history, request, files)
  return chatbot.settings.isRequestUserInfoEnabled ? emailGate(turns, isRequestIn(history)).turns : turns
}

/** The texts of the first prompt, without passages of the knowledge base. */
export const promptTextsOf = (
  chatbot: ChatbotRow,
  history: ReadonlyArray<HistoryMessage>,
  request: ChatRequest,
): ReadonlyArray<string> => [
  chatbot.settings.prompt,
  request.instructions ?? "",
  ...conversationOf(chatbot, history, request).map(({ content }) => content),
]
