import { call, open } from "../../server/Api.ts"
import { saveFile } from "../../../shared/Download.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"
import { filtersOf, requestOf } from "./Filters.ts"

type Page = Answer<"GET /api/external/conversations">
export type Conversation = Page["conversations"][number]
export type Message = Answer<"GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages">["data"][number]

/** Conversations as far as they have been fetched. */
export interface ConversationList {
  readonly conversations: ReadonlyArray<Conversation>
  readonly next: string | null
  /** Time back to which a search has looked; undefined when it has found a full page, or looked through all. */
  readonly searchedTo: string | undefined
}

const PAGE = "30"

const fetchPage = async (query: string, cursor?: string): Promise<ConversationList> => {
  const filters = requestOf(filtersOf(new URLSearchParams(query)))
  const page = await call("GET /api/external/conversations", {
    query: { ...filters, limit: PAGE, ...(cursor !== undefined && { cursor }) },
  })
  return { conversations: page.conversations, next: page.next_cursor, searchedTo: page.searched_to }
}

/** The conversations that the query of an address names. */
export const conversationList = resources((query: string) => fetchPage(query))

/** The list with its next page. */
export const withNextPage = async (query: string, list: ConversationList): Promise<ConversationList> => {
  if (list.next === null) return list
  const page = await fetchPage(query, list.next)
  const known = new Set(list.conversations.map(({ id }) => id))
  // A conversation with new activity is at the beginning of the list by now.
  return { ...page, conversations: [...list.conversations, ...page.conversations.filter(({ id }) => !known.has(id))] }
}

/** A conversation with as many of its messages as have been fetched. */
export interface Thread {
  readonly session: Conversation
  readonly messages: ReadonlyArray<Message>
  readonly pages: number
  readonly total: number
}

const MESSAGES = 100

const fetchMessages = (chatbotId: string, sessionId: string, page: number) =>
  call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages", {
    params: { chatbotId, sessionId },
    query: { page: String(page), limit: String(MESSAGES) },
  })

/** One conversation with its first messages. */
export const thread = resources(async (chatbotId: string, sessionId: string): Promise<Thread> => {
  const params = { chatbotId, sessionId }
  const [{ session }, { data, metadata }] = await Promise.all([
    call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId", { params }),
    fetchMessages(chatbotId, sessionId, 1),
  ])
  return { session, messages: data, pages: 1, total: metadata.totalCount }
})

/** The thread with its next messages. */
export const withNextMessages = async (known: Thread): Promise<Thread> => {
  const pages = known.pages + 1
  const { data, metadata } = await fetchMessages(known.session.chatbot_id, known.session.id, pages)
  return { ...known, messages: [...known.messages, ...data], pages, total: metadata.totalCount }
}

/** Saves a conversation as a file. */
export const exportConversation = async ({ session }: Thread, format: "markdown" | "json"): Promise<void> => {
  const { chatbot_id: chatbotId, created_at, id: sessionId } = session
  const response = await open("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/transcript", {
    params: { chatbotId, sessionId },
    query: { format },
    accept: format === "markdown" ? "text/markdown" : "application/json",
  })
  const name = `conversation-${created_at.slice(0, 10)}-${sessionId.slice(-6)}`
  saveFile(`${name}.${format === "markdown" ? "md" : "json"}`, await response.blob())
}

/** Name of a conversation's visitor. */
export const visitorOf = ({ user_info }: Conversation): string => user_info.email ?? "Visitor"
