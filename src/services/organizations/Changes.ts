import { Equal } from "effect"
import type { Document } from "../../domain/knowledge/Document.ts"
import type { OrganizationEvent } from "../../domain/organizations/Events.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import type { SourceId } from "../../domain/knowledge/Source.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import {
  type ChatbotState,
  CONVERSATIONS_MAX,
  type ConversationState,
  type DocumentState,
  type OrganizationState,
  type PresenceState,
  type SourceState,
} from "../../storage/OrganizationChanges.ts"

/** Changes between two moments, except those of the contents of documents. */
export interface Difference {
  readonly events: ReadonlyArray<OrganizationEvent>
  /** The documents that have changed, or have become ready or are gone, by chatbot. */
  readonly documents: ReadonlyMap<ChatbotId, ReadonlyArray<DocumentId>>
}

/** Compares the states of an organization, of which it remembers the last one. */
export class Comparison {
  private chatbots: ReadonlyMap<ChatbotId, ChatbotState> = new Map()
  private documents: ReadonlyMap<DocumentId, DocumentState> = new Map()
  private sources: ReadonlyMap<SourceId, SourceState> = new Map()
  /** The latest activity of conversations that was reported, of those that the next state shows again. */
  private conversations: ReadonlyMap<string, string> = new Map()
  private presences: ReadonlyMap<string, PresenceState> = new Map()
  /** The time of the last state; undefined before the first. */
  since: string | undefined

  /** Takes the next state. The first one changes nothing. */
  next(state: OrganizationState): Difference {
    const isFirst = this.since === undefined
    const events: Array<OrganizationEvent> = []
    const chatbots = new Map(state.chatbots.map((chatbot) => [chatbot.id, chatbot]))
    const documents = new Map(state.documents.map((document) => [document.id, document]))
    const sources = new Map(state.sources.map((source) => [source.id, source]))
    for (const chatbot of state.chatbots) {
      const before = this.chatbots.get(chatbot.id)
      if (before?.version !== chatbot.version) events.push({ type: "chatbot", chatbot_id: chatbot.id })
      if (before !== undefined && before.knowledge !== chatbot.knowledge)
        events.push({ type: "knowledge", chatbot_id: chatbot.id })
    }
    for (const id of this.chatbots.keys())
      if (!chatbots.has(id)) events.push({ type: "chatbot_deleted", chatbot_id: id })
    const changed = changedIn<DocumentState>(this.documents, documents, chatbots)
    for (const { chatbot, id } of changedIn<SourceState>(this.sources, sources, chatbots))
      events.push({ type: "source", chatbot_id: chatbot, source_id: id })
    const fresh = state.conversations.filter(({ id, updated_at }) => this.conversations.get(id) !== updated_at)
    if (fresh.length === CONVERSATIONS_MAX) events.push({ type: "resync" })
    events.push(...fresh.map(conversationEvent))
    const presences = new Map(state.presences.map((one) => [one.id, one]))
    events.push(...presenceEvents(this.presences, presences))
    this.presences = presences
    this.chatbots = chatbots
    this.documents = documents
    this.sources = sources
    this.conversations = new Map(state.conversations.map(({ id, updated_at }) => [id, updated_at]))
    this.since = state.now
    return isFirst ? { events: [], documents: new Map() } : { events, documents: idsByChatbot(changed) }
  }
}

/** Those that are new or have another stamp, and those that are gone from chatbots which are still there. */
const changedIn = <State extends DocumentState | SourceState>(
  before: ReadonlyMap<string, State>,
  now: ReadonlyMap<string, State>,
  chatbots: ReadonlyMap<ChatbotId, unknown>,
): ReadonlyArray<State> => [
  ...Array.from(now.values()).filter(({ id, stamp }) => before.get(id)?.stamp !== stamp),
  ...Array.from(before.values()).filter(({ chatbot, id }) => !now.has(id) && chatbots.has(chatbot)),
]

const idsByChatbot = (documents: ReadonlyArray<DocumentState>): Difference["documents"] => {
  const ids = Map.groupBy(documents, ({ chatbot }) => chatbot)
  return new Map(Array.from(ids, ([chatbot, some]) => [chatbot, some.map(({ id }) => id)]))
}

const conversationEvent = ({ chatbot, id, message_count, updated_at }: ConversationState): OrganizationEvent => ({
  type: "conversation",
  chatbot_id: chatbot,
  conversation: { id, message_count, updated_at: timestamp(new Date(updated_at)) },
})

const presenceEvents = (
  before: ReadonlyMap<string, PresenceState>,
  now: ReadonlyMap<string, PresenceState>,
): ReadonlyArray<OrganizationEvent> => {
  const gone = Array.from(before.values()).filter(({ id }) => !now.has(id))
  const changed = Array.from(now.values()).filter((one) => !Equal.equals(one, before.get(one.id)))
  return [...changed, ...gone.map((one) => ({ ...one, presence: [] }))].map(({ chatbot, id, presence }) => ({
    type: "presence",
    chatbot_id: chatbot,
    session_id: id,
    presence,
  }))
}

/** The events of documents of one chatbot that have changed, of which some are gone. */
export const documentEvents = (
  chatbot: ChatbotId,
  ids: ReadonlyArray<DocumentId>,
  found: ReadonlyArray<Document>,
): ReadonlyArray<OrganizationEvent> => {
  const documents = new Map(found.map((document) => [document.id, document]))
  return ids.map((id): OrganizationEvent => {
    const document = documents.get(id)
    return document === undefined
      ? { type: "document_deleted", chatbot_id: chatbot, document_id: id }
      : { type: "document", chatbot_id: chatbot, document }
  })
}
