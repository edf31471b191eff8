import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { ChatReply } from "../domain/chat/Chat.ts"
import { Chat } from "../services/Chat.ts"
import type { ChatAnswer } from "../services/ChatAnswer.ts"
import { replyHeaders } from "./ReplyHeaders.ts"
import { respondWithStream, streamingOptions } from "./streams/Streaming.ts"
import { UiMessages } from "./streams/UiMessages.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "chat",
  Effect.fn(function* (handlers) {
    const chat = yield* Chat
    const streaming = yield* streamingOptions

    return handlers.handleAll({
      chat: ({
        params,
        query,
        payload: { messages, platform = "web", sessionToken, id, trigger, messageId },
        request,
      }) => {
        const asked = {
          messages,
          platform,
          sessionToken: sessionToken ?? id,
          again: trigger === "regenerate-message",
          replaces: trigger === "submit-message" && typeof messageId === "string" ? messageId : undefined,
        }
        return wantsStream(query.stream, request)
          ? respondWithStream((emit) => chat.reply(params.chatbotId, asked, emit), new UiMessages(), streaming)
          : Effect.map(chat.reply(params.chatbotId, asked), respond)
      },
    })
  }),
)

const wantsStream = (asked: "true" | "false" | undefined, { headers }: HttpServerRequest.HttpServerRequest) =>
  asked === undefined ? headers["accept"]?.includes("text/event-stream") === true : asked === "true"

/** What the wire has of an answer. */
const replyOf = ({ message_id: _, tokens: __, sources, ...reply }: ChatAnswer): typeof ChatReply.Encoded =>
  sources.length === 0 ? reply : { ...reply, sources }

/**
 * As the schema would encode it: the reply is its own encoded form, as the compiler sees. Going through its steps once
 * more, with all that their tools found, takes as long as a statement of the database.
 */
const respond = (answer: ChatAnswer) =>
  HttpServerResponse.jsonUnsafe(replyOf(answer), { headers: replyHeaders(answer) })
