import { call, open } from "../../server/Api.ts"
import { saveFile } from "../../../shared/Download.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"
import { requestOf } from "./Filters.ts"

type Page = Answer<"GET /api/external/conversations">
export type Conversation = Page["conversations"][number]
export type Message = Answer<"GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages">["data"][number]

const PAGE = "30"
const MESSAGES = 100

/** Conversations that the query of an address names, and the time back to which a search for them has looked. */
export const fetchConversations = async (query: string, cursor?: string) => {
  const filters = requestOf(new URLSearchParams(query))
  const page = await call("GET /api/external/conversations", { query: { ...filters, limit: PAGE, cursor } })
  return { items: page.conversations, next: page.next_cursor, searchedTo: page.searched_to }
}

/** The conversations that the query of an address names. */
export const conversationList = resources((query: string) => fetchConversations(query))

/** A page of a conversation's messages, of which the first is page 1. */
export const fetchMessages = async (chatbotId: string, sessionId: string, page = "1") => {
  const { data, metadata } = await call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages", {
    params: { chatbotId, sessionId },
    query: { page, limit: String(MESSAGES) },
  })
  const next = Number(page) < metadata.totalPages ? String(Number(page) + 1) : undefined
  return { items: data, next, total: metadata.totalCount }
}

/** One conversation. */
export const conversationOf = resources(
  async (chatbotId: string, sessionId: string) =>
    (await call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId", { params: { chatbotId, sessionId } }))
      .session,
)

/** The messages of a conversation, oldest first. */
export const messagesOf = resources((chatbotId: string, sessionId: string) => fetchMessages(chatbotId, sessionId))

/** Saves a conversation as a file. */
export const exportConversation = async (
  { chatbot_id: chatbotId, created_at, id: sessionId }: Conversation,
  format: "markdown" | "json",
): Promise<void> => {
  const response = await open("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/transcript", {
    params: { chatbotId, sessionId },
    query: { format },
    headers: { accept: format === "markdown" ? "text/markdown" : "application/json" },
  })
  const name = `conversation-${created_at.slice(0, 10)}-${sessionId.slice(-6)}`
  saveFile(`${name}.${format === "markdown" ? "md" : "json"}`, await response.blob())
}

/** Name of a conversation's visitor. */
export const visitorOf = ({ user_info }: Conversation): string => user_info.email ?? "Visitor"
