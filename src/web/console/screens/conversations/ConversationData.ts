import { call, open } from "../../server/Api.ts"
import { saveFile } from "../../../shared/Download.ts"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { plainText } from "../../../shared/markdown/PlainText.ts"
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

export const conversationOf = resources(
  async (chatbotId: string, sessionId: string) =>
    (await call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId", { params: { chatbotId, sessionId } }))
      .session,
)

/** The messages of a conversation, oldest first. */
export const messagesOf = resources((chatbotId: string, sessionId: string) => fetchMessages(chatbotId, sessionId))

const mediaTypes = { markdown: "text/markdown", json: "application/json" } as const

const fetchTranscript = async (
  { chatbot_id: chatbotId, id: sessionId }: Conversation,
  format: keyof typeof mediaTypes,
): Promise<string> => {
  const response = await open("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/transcript", {
    params: { chatbotId, sessionId },
    query: { format },
    headers: { accept: mediaTypes[format] },
  })
  return response.text()
}

/** Saves conversations as one file: several in Markdown below each other, in JSON as a list. */
export const exportConversations = async (
  all: ReadonlyArray<Conversation>,
  format: keyof typeof mediaTypes,
): Promise<void> => {
  const texts: Array<string> = []
  for (const each of all) texts.push(await fetchTranscript(each, format))
  const [first] = all
  const name =
    all.length === 1 && first !== undefined
      ? `conversation-${first.created_at.slice(0, 10)}-${first.id.slice(-6)}`
      : `conversations-${new Date().toISOString().slice(0, 10)}`
  const text = format === "markdown" ? texts.join("\n\n") : texts.length === 1 ? texts[0] : `[${texts.join(",\n")}]`
  saveFile(`${name}.${format === "markdown" ? "md" : "json"}`, new Blob([text ?? ""], { type: mediaTypes[format] }))
}

/** Deletes conversations with all that was said in them. */
export const deleteConversations = async (all: ReadonlyArray<Conversation>): Promise<void> => {
  for (const { chatbot_id: chatbotId, id: sessionId } of all)
    await call("DELETE /api/external/chatbot/:chatbotId/conversations/:sessionId", { params: { chatbotId, sessionId } })
}

/** The visitor of a conversation: the e-mail address, or a short mark by which the conversations of one are told apart. */
export const visitorOf = ({ id, session_token, user_info, visitor_id }: Conversation): string =>
  user_info.email ??
  `Visitor ${(visitor_id ?? session_token ?? id)
    .replaceAll(/[^\da-z]/gi, "")
    .slice(-4)
    .toUpperCase()}`

/** Title of a conversation: its first question. */
export const titleOf = ({ title = "" }: Conversation): string => title || "Untitled conversation"

/** Characters of a message from which a preview is made. */
const PREVIEW_LENGTH = 400

/** Beginning of the last message, as plain text in one line. */
export const previewOf = ({ last_message: last }: Conversation): string => {
  if (last === null) return ""
  const text = last.content.slice(0, PREVIEW_LENGTH)
  return last.sender_type === "bot" ? plainText(blocksOf(text)) : text
}
