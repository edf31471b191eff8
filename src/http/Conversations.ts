import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Paging.ts"
import { pageMetadata } from "../domain/Page.ts"
import { Conversations } from "../services/Conversations.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "conversations",
  Effect.fn(function* (handlers) {
    const conversations = yield* Conversations

    return handlers.handleAll({
      messages: ({ params, query }) =>
        Effect.gen(function* () {
          const page = pageOf(query)
          const { messages, total } = yield* conversations.messages(params.chatbotId, params.sessionId, page)
          return { data: messages, metadata: pageMetadata(page, total) }
        }),

      list: ({ params, query }) =>
        Effect.gen(function* () {
          const page = pageOf(query)
          const { sessions, total } = yield* conversations.list(params.chatbotId, page)
          return { data: sessions, metadata: pageMetadata(page, total) }
        }),

      get: ({ params }) =>
        Effect.map(conversations.get(params.chatbotId, params.sessionId), (session) => ({ session })),

      delete: ({ params }) =>
        Effect.as(conversations.remove(params.chatbotId, params.sessionId), {
          message: "Conversation deleted successfully" as const,
        }),
    })
  }),
)
