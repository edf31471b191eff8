import { DateTime, Effect, Layer } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { PersonId } from "../../domain/Ids.ts"
import { cursorOf, pageOf } from "../../api/parts/Paging.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { notations } from "../../domain/chat/Transcript.ts"
import { Conversations } from "../../services/conversations/Conversations.ts"
import { formatOf, transcriptFile } from "./TranscriptFile.ts"
import { group } from "../Group.ts"

const PAGE_DEFAULT = 20

const ofChatbot = group("conversations", function* (handlers) {
  const conversations = yield* Conversations

  return handlers.handleAll({
    messages: Effect.fnUntraced(function* ({ params, query }) {
      const page = pageOf(query)
      const { messages, total } = yield* conversations.messages(params.chatbotId, params.sessionId, page)
      return { data: messages, metadata: pageMetadata(page, total) }
    }),

    list: Effect.fnUntraced(function* ({ params, query }) {
      const page = pageOf(query)
      const { sessions, total } = yield* conversations.list(params.chatbotId, page)
      return { data: sessions, metadata: pageMetadata(page, total) }
    }),

    get: ({ params }) => Effect.bindTo(conversations.get(params.chatbotId, params.sessionId), "session"),

    update: ({ params, payload }) =>
      Effect.bindTo(conversations.update(params.chatbotId, params.sessionId, payload), "session"),

    rate: ({ params, payload: { rating, comment = null } }) => {
      const feedback = rating === null ? null : { rating, comment }
      return Effect.as(conversations.rate(params.chatbotId, params.sessionId, params.messageId, feedback), {
        message_id: params.messageId,
        feedback,
      })
    },

    transcript: ({ params, query, request }) =>
      Effect.map(conversations.transcript(params.chatbotId, params.sessionId), ({ messages, session }) =>
        transcriptFile(notations[formatOf(query, request)], session, messages),
      ),

    erase: ({ payload }) => Effect.bindTo(conversations.erase(payload), "erased"),

    delete: ({ params }) =>
      Effect.as(conversations.remove(params.chatbotId, params.sessionId), {
        message: "Conversation deleted successfully" as const,
      }),
  })
})

const ofAllChatbots = group("allConversations", function* (handlers) {
  const conversations = yield* Conversations

  return handlers.handleAll({
    list: Effect.fnUntraced(function* ({ query }) {
      const {
        assignee,
        chatbot_id,
        cursor,
        email,
        from,
        limit = PAGE_DEFAULT,
        owner,
        platform,
        rating,
        search,
        state,
        tag,
        to,
        unanswered,
        waiting,
      } = query
      const filter = {
        chatbots: chatbot_id === undefined ? null : [chatbot_id],
        search,
        email,
        rating,
        isUnanswered: unanswered === "true",
        platform,
        state,
        owner,
        assignee: yield* Caller.use(({ apiKeyId }) =>
          Effect.succeed(assignee === "me" ? PersonId.make(apiKeyId) : assignee === "none" ? null : assignee),
        ),
        isWaiting: waiting === "true",
        tag,
        from: from && DateTime.toDate(from),
        to: to && DateTime.toDate(to),
      }
      const page = yield* conversations.listAll(filter, { limit, after: cursor })
      return {
        conversations: page.conversations,
        next_cursor: page.next === undefined ? null : cursorOf(page.next),
        ...(page.searchedTo !== undefined && { searched_to: timestamp(page.searchedTo) }),
      }
    }),
  })
})

export const layer = Layer.merge(ofChatbot, ofAllChatbots)
