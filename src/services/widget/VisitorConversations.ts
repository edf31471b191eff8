import { Service } from "../../domain/Service.ts"
import { Effect, Option, Stream } from "effect"
import { Caller } from "../../domain/Caller.ts"
import type { Citation } from "../../domain/chat/Chat.ts"
import type { Feedback } from "../../domain/chat/Conversation.ts"
import { authorOf } from "../../domain/chat/WrittenBy.ts"
import { sessionOfVisitor } from "../../domain/chat/SessionToken.ts"
import { NotFound, type Unavailable } from "../../domain/Errors.ts"
import type { MessageId, SessionId } from "../../domain/Ids.ts"
import type { Place, Range } from "../../domain/Page.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { Visitor, VisitorId } from "../../domain/widget/Visitor.ts"
import type { WidgetConversation, WidgetMessage } from "../../domain/widget/Widget.ts"
import { Conversations } from "../../storage/conversations/Conversations.ts"
import { Messages } from "../../storage/conversations/Messages.ts"
import * as Storage from "../../storage/widget/VisitorConversations.ts"
import { cut } from "../../text/Cut.ts"
import { LiveReplies } from "./LiveReplies.ts"
import { passageIn } from "../conversations/CitedPassage.ts"
import { widgetSource } from "./VisitorEvents.ts"

/** The longest title of a conversation, in UTF-16 code units. */
const TITLE_MAX_LENGTH = 120
/** Messages that a transcript reads from the database at once. */
const TRANSCRIPT_PAGE = 50

const noSource = new NotFound({
  detail: "This passage is not available any more: its document was changed or deleted.",
})

/** A conversation with all of its messages, oldest first, as a stream that reads a page at a time. */
export interface VisitorTranscript {
  readonly conversation: WidgetConversation
  readonly messages: Stream.Stream<WidgetMessage, Unavailable>
}

type Of = Visitor["Service"]

/**
 * The conversations that a visitor of the chat widget had. One of somebody else is not found, and neither is one of an
 * API key.
 */
export class VisitorConversations extends Service<VisitorConversations>()(
  "parley/services/widget/VisitorConversations",
  function* () {
    const storage = yield* Storage.VisitorConversations
    const conversations = yield* Conversations
    const stored = yield* Messages
    const replies = yield* LiveReplies

    const currentPassage = Effect.fnUntraced(function* ({ chatbotId }: Of, message: MessageId, cited: Citation) {
      const now = yield* storage.passage(chatbotId, message, cited)
      // Another text may stand in the same place of a document that has changed.
      const isOther = now?.has_changed === true && (cited.quote === "" || !now.content.includes(cited.quote))
      if (now === undefined || isOther) return undefined
      return { section: now.headings.length === 0 ? null : now.headings.join(" > "), content: now.content }
    })

    return {
      /** Lists the conversations, the latest activity first. */
      list: (visitor: Of, range: Range) =>
        Effect.map(storage.list(nameOf(visitor), range), ({ items, next }) => ({
          items: items.map(toConversation),
          next,
        })),

      /**
       * Returns the latest messages of a conversation, or those before a place in it, oldest first, and the reply
       * that is being made in it.
       */
      messages: Effect.fn("VisitorConversations.messages")(function* (
        visitor: Of,
        conversation: SessionId,
        range: Range,
      ) {
        const of = nameOf(visitor)
        // Looked up first: a reply that ends in between is then among the messages. Before its first event, the message
        // that it answers may not be stored.
        const reply = replies.inConversation(visitor.id, conversation)
        const hasBegun = reply?.log.isEmpty === false
        const { items, next } = yield* storage.messages(of, conversation, range)
        const { handover } = yield* storage.get(of, conversation)
        return { items: items.map(toMessage).toReversed(), next, reply: hasBegun ? reply.id : undefined, handover }
      }),

      transcript: Effect.fn("VisitorConversations.transcript")(function* (visitor: Of, conversation: SessionId) {
        const organization = yield* CurrentOrganization
        const of = nameOf(visitor)
        const pages = Stream.paginate<Place | undefined, WidgetMessage, Unavailable, CurrentOrganization>(
          undefined,
          (after) =>
            Effect.map(
              storage.messages(of, conversation, { limit: TRANSCRIPT_PAGE, after }, "oldest first"),
              ({ items, next }) => [items.map(toMessage), Option.fromUndefinedOr(next)],
            ),
        )
        return {
          conversation: toConversation(yield* storage.get(of, conversation)),
          messages: Stream.provideService(pages, CurrentOrganization, organization),
        }
      }),

      /**
       * Returns a source of a reply with its whole passage: as it was when the reply was made, if that is stored, or
       * else as it is, unless the document has changed beyond the quote.
       */
      source: Effect.fn("VisitorConversations.source")(function* (
        visitor: Of,
        conversation: SessionId,
        message: MessageId,
        index: number,
      ) {
        const reply = yield* storage.citing(nameOf(visitor), conversation, message)
        const cited = reply?.sources?.[index]
        if (reply === undefined || cited === undefined)
          return yield* new NotFound({ detail: "There is no such source." })
        const passage = passageIn(reply.tool_results ?? [], cited) ?? (yield* currentPassage(visitor, message, cited))
        return passage === undefined ? yield* noSource : { source: widgetSource(cited, index), ...passage }
      }),

      /** Stores the visitor's feedback on a reply; null removes it. */
      rate: ({ chatbotId, id }: Of, conversation: SessionId, message: MessageId, feedback: Feedback | null) =>
        Caller.use((caller) => stored.rate(chatbotId, sessionOfVisitor(caller, id, conversation), message, feedback)),

      /** Deletes a conversation with its messages. A reply that is being made in it is stopped. */
      remove: ({ chatbotId, id }: Of, conversation: SessionId) =>
        Caller.use((caller) =>
          Effect.andThen(
            replies.stop((reply) => reply.visitor === id && reply.conversation === conversation),
            conversations.remove(chatbotId, sessionOfVisitor(caller, id, conversation)),
          ),
        ),

      /**
       * Deletes all conversations of the visitor, and returns their number. Replies that are being made are stopped.
       */
      removeAll: (visitor: Of) =>
        Effect.andThen(
          replies.stop((reply) => reply.visitor === visitor.id),
          storage.removeAll(nameOf(visitor)),
        ),

      /**
       * Notes who a verified visitor is: hands over the conversations of the anonymous one who has turned out to be
       * the same, and stores the address and the name that are signed with all conversations, so that the address finds them.
       */
      recognize: Effect.fn("VisitorConversations.recognize")(function* (
        { chatbotId, email, id, name }: Visitor["Service"],
        before: VisitorId | undefined,
      ) {
        if (before !== undefined) replies.handOver(before, id)
        if (before === undefined && email === undefined && name === undefined) return
        const visitors = before === undefined ? [id] : [before, id]
        yield* storage.handOver(chatbotId, visitors, id, {
          ...(email !== undefined && { email }),
          ...(name !== undefined && { name }),
        })
      }),
    }
  },
) {}

export const nameOf = ({ chatbotId, id }: Of): Storage.VisitorName => ({ chatbot: chatbotId, visitor: id })

export const toConversation = ({
  created_at,
  title,
  updated_at,
  ...row
}: Storage.VisitorConversation): WidgetConversation => ({
  ...row,
  title: cut(title.trim().replaceAll(/\s+/gu, " "), TITLE_MAX_LENGTH),
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
})

const roles = { user: "user", bot: "assistant", agent: "agent" } as const

export const toMessage = (row: Storage.VisitorMessage): WidgetMessage => ({
  id: row.id,
  role: roles[row.sender_type],
  ...(row.sender !== null && { sender: row.sender }),
  content: row.content,
  ...(row.attachments !== null && { attachments: row.attachments }),
  ...authorOf(row),
  created_at: timestamp(row.created_at),
  ...(row.mid !== null && { client_id: row.mid }),
  is_complete: row.finish_reason !== "aborted" && row.finish_reason !== "error",
  sources: (row.sources ?? []).map(widgetSource),
  ...(row.unsupported !== null && { unsupported: row.unsupported.map(({ sentence }) => sentence) }),
  ...(row.feedback !== null && { feedback: row.feedback }),
})
