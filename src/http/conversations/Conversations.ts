import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { notations } from "../../domain/chat/Transcript.ts"
import { Conversations } from "../../services/conversations/Conversations.ts"
import { formatOf, transcriptFile } from "./TranscriptFile.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "conversations",
  Effect.fn(function* (handlers) {
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

      get: ({ params }) =>
        Effect.map(conversations.get(params.chatbotId, params.sessionId), (session) => ({ session })),

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

      erase: ({ payload }) => Effect.map(conversations.erase(payload), (erased) => ({ erased })),

      delete: ({ params }) =>
        Effect.as(conversations.remove(params.chatbotId, params.sessionId), {
          message: "Conversation deleted successfully" as const,
        }),
    })
  }),
)
