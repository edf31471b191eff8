import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Chat } from "../services/Chat.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "chat",
  Effect.fn(function* (handlers) {
    const chat = yield* Chat

    return handlers.handleAll({
      chat: ({ params, payload: { messages, platform = "web", sessionToken, id } }) =>
        Effect.map(chat.reply(params.chatbotId, { messages, platform, sessionToken: sessionToken ?? id }), (reply) =>
          HttpApiSchema.withHeaders({ body: reply, headers: { "x-session-id": reply.session_id } }),
        ),
    })
  }),
)
