import { Download } from "lucide"
import { saveFile } from "../../../shared/Download.ts"
import { blocksOf } from "../../../shared/markdown/Blocks.ts"
import { plainText } from "../../../shared/markdown/PlainText.ts"
import { attempt } from "../../parts/Toast.ts"
import { type Mailbox, mailboxOf, place } from "../../Router.ts"
import { type Answer, call, open } from "../../server/Api.ts"
import { lists, pageAfter, resources } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { kindIn, requestOf } from "./SavedFilters.tsx"
import { isUnread, unreadSince } from "./Unread.ts"

type Page = Answer<"GET /api/external/conversations">
export type Conversation = Page["conversations"][number]
export type Message = Answer<"GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages">["data"][number]

const PAGE = 30
const MESSAGES = 100
/** The most pages that are looked through at once for conversations that were not read in this browser. */
const UNREAD_PAGES = 10

/** Conversations that the query of an address names, and the time back to which a search for them has looked. */
export const conversationList = lists(async (cursor, mailbox: Mailbox, query: string) => {
  const parameters = new URLSearchParams(query)
  const filters = requestOf(mailbox, parameters)
  const onlyUnread = kindIn(mailbox, parameters) === "unread"
  const from = onlyUnread ? (filters.from ?? unreadSince()) : filters.from
  let next: string | null | undefined = cursor
  for (let pages = 1; ; pages++) {
    const page: Page = await call("GET /api/external/conversations", {
      query: { ...filters, from, limit: String(PAGE), cursor: next },
    })
    next = page.next_cursor
    const items = onlyUnread ? page.conversations.filter(isUnread) : page.conversations
    if (!onlyUnread || items.length > 0 || next === null || pages === UNREAD_PAGES)
      return { items, next, searchedTo: page.searched_to }
  }
})

/** Whether no more than the first page of a list is known, which is then read anew without losing others. */
export const isFirstPage = (list: ReturnType<typeof conversationList>): boolean =>
  (list.data.peek()?.items.length ?? 0) <= PAGE

const fetchMessages = async (page: string | undefined, chatbotId: string, sessionId: string) => {
  const { data, metadata } = await call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId/messages", {
    params: { chatbotId, sessionId },
    query: { page, limit: String(MESSAGES) },
  })
  return { items: data, next: pageAfter(metadata), total: metadata.totalCount }
}

export const conversationOf = resources(
  async (chatbotId: string, sessionId: string) =>
    (await call("GET /api/external/chatbot/:chatbotId/conversations/:sessionId", { params: { chatbotId, sessionId } }))
      .session,
)

export const messagesOf = lists(fetchMessages)

export const eventsOf = resources(async (chatbotId: string, sessionId: string) => {
  const route = "GET /api/external/chatbot/:chatbotId/conversations/:sessionId/events"
  return (await call(route, { params: { chatbotId, sessionId } })).events
})
export type ConversationEvent = NonNullable<ReturnType<ReturnType<typeof eventsOf>["data"]["peek"]>>[number]

/** Reads what is shown of a conversation anew; of many messages those of the last page, which have changed alone. */
export const refresh = async (chatbotId: string, sessionId: string): Promise<void> => {
  const messages = messagesOf(chatbotId, sessionId)
  const known = messages.data.peek()
  const before = Math.max(0, Math.ceil((known?.items.length ?? 0) / MESSAGES) - 1)
  const tail = async (): Promise<void> => {
    const last = await fetchMessages(String(before + 1), chatbotId, sessionId)
    messages.set({ ...last, items: [...(known?.items.slice(0, before * MESSAGES) ?? []), ...last.items] })
  }
  await Promise.all([
    before === 0 ? messages.reload() : attempt(tail),
    conversationOf(chatbotId, sessionId).reload(),
    eventsOf(chatbotId, sessionId).reload(),
  ])
}

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
const exportConversations = async (
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

export const exportItems = (all: ReadonlyArray<Conversation>) => [
  { label: "Export as Markdown", icon: Download, onChoose: () => exportConversations(all, "markdown") },
  { label: "Export as JSON", icon: Download, onChoose: () => exportConversations(all, "json") },
]

export const deleteConversations = async (all: ReadonlyArray<Conversation>): Promise<void> => {
  for (const { chatbot_id: chatbotId, id: sessionId } of all)
    await call("DELETE /api/external/chatbot/:chatbotId/conversations/:sessionId", { params: { chatbotId, sessionId } })
}

/** Shows a conversation as it is now wherever it is shown. */
export const showChanged = (session: Conversation): void => {
  conversationOf(session.chatbot_id, session.id).set(session)
  const { query, screen } = place.value
  const list = conversationList(mailboxOf(screen) ?? "conversations", query.toString())
  const known = list.data.peek()
  if (known !== undefined)
    list.set({ ...known, items: known.items.map((each) => (each.id === session.id ? session : each)) })
}

type Changes = Partial<Pick<Conversation, "state" | "tags">> & { readonly assignee?: string | null }

/** Changes conversations, such as their state or their tags. */
export const change = async (all: ReadonlyArray<Conversation>, body: Changes): Promise<void> => {
  for (const { chatbot_id: chatbotId, id: sessionId } of all) {
    const params = { chatbotId, sessionId }
    const route = "PATCH /api/external/chatbot/:chatbotId/conversations/:sessionId"
    showChanged((await call(route, { params, body })).session)
  }
}

export const toggleState = (one: Conversation): Promise<void> =>
  attempt(() => change([one], { state: one.state === "open" ? "closed" : "open" }))

/** Whether the conversation of the screen, or all of these, may be changed. */
export const mayWrite = (all?: ReadonlyArray<Conversation>): boolean =>
  all?.every(({ chatbot_id }) => can("conversations:write", chatbot_id)) ?? can("conversations:write")

/** The visitor of a conversation: the name, the e-mail address, or a short mark by which the conversations of one are told apart. */
export const visitorOf = ({ id, session_token, user_info, visitor_id }: Conversation): string =>
  user_info.name ||
  user_info.email ||
  `Visitor ${(visitor_id ?? session_token ?? id)
    .replaceAll(/[^\da-z]/gi, "")
    .slice(-4)
    .toUpperCase()}`

const PREVIEW_LENGTH = 400

/** Beginning of the last message, as plain text in one line. */
export const previewOf = ({ last_message: last }: Conversation): string => {
  if (last === null) return ""
  const text = last.content.slice(0, PREVIEW_LENGTH)
  return last.sender_type === "bot" ? plainText(blocksOf(text)) : text
}
