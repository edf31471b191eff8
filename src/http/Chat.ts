import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { ChatReply } from "../domain/Chat.ts"
import { Chat } from "../services/Chat.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "chat",
  Effect.fn(function* (handlers) {
    const chat = yield* Chat

    return handlers.handleAll({
      chat: ({ params, payload: { messages, platform = "web", sessionToken, id } }) =>
        Effect.map(chat.reply(params.chatbotId, { messages, platform, sessionToken: sessionToken ?? id }), respond),
    })
  }),
)

/**
 * As the schema would encode it: the reply is its own encoded form, as the compiler sees. Going through its steps once
 * more, with all that their tools found, takes as long as a statement of the database.
 */
const respond = (reply: typeof ChatReply.Encoded) =>
  HttpServerResponse.jsonUnsafe(reply, { headers: { "x-session-id": reply.session_id } })
