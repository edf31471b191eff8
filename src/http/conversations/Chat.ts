import { Effect, identity } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../../domain/Caller.ts"
import type { ChatReply } from "../../domain/chat/Chat.ts"
import { readsConversations } from "../../domain/chat/SessionToken.ts"
import { Chat } from "../../services/conversations/Chat.ts"
import type { ChatAttempt } from "../../services/conversations/ChatAttempt.ts"
import { type ChatAnswer, withoutInternals } from "../../services/conversations/ChatAnswer.ts"
import { type TrialAnswer, Trials } from "../../services/conversations/Trials.ts"
import { currentAttempt } from "../edge/Idempotency.ts"
import { withServerTiming } from "../edge/ServerTiming.ts"
import { replyHeaders } from "../ReplyHeaders.ts"
import { respondWithStream, streamingOptions } from "../streams/Streaming.ts"
import { UiMessages } from "../streams/UiMessages.ts"
import { refuseUseChat } from "./UseChat.ts"
import { group } from "../Group.ts"

export const layer = group("chat", function* (handlers) {
  const chat = yield* Chat
  const trials = yield* Trials
  const streaming = yield* streamingOptions

  return handlers.handleAll({
    chat: ({
      params,
      query,
      payload: { messages, platform = "web", sessionToken, id, trigger, messageId },
      request,
    }) => {
      const answerTo = (attempt: ChatAttempt | undefined, showsRequests: boolean) => {
        const showStep = query.steps !== "true" ? undefined : showsRequests ? identity : withoutInternals
        const chatRequest = {
          attempt,
          showsRequests,
          messages,
          platform,
          sessionToken: sessionToken ?? id,
          again: trigger === "regenerate-message",
          replaces: trigger === "submit-message" && typeof messageId === "string" ? messageId : undefined,
        }
        return wantsStream(query.stream, request)
          ? respondWithStream(
              (emit) => chat.reply(params.chatbotId, chatRequest, emit),
              new UiMessages(showStep),
              streaming,
            )
          : withServerTiming(Effect.map(chat.reply(params.chatbotId, chatRequest), respond))
      }
      const answer = Effect.flatMap(currentAttempt, (attempt) =>
        query.steps === "true"
          ? Caller.use((caller) => answerTo(attempt, readsConversations(caller)))
          : answerTo(attempt, false),
      )
      return trigger === undefined || query.stream !== undefined || wantsStream(undefined, request)
        ? answer
        : Effect.andThen(refuseUseChat(request), answer)
    },
    tryChat: ({ params, payload, query, request }) =>
      wantsStream(query.stream, request)
        ? respondWithStream(
            (emit) => trials.reply(params.chatbotId, payload, emit),
            new UiMessages(query.steps === "true" ? identity : undefined),
            streaming,
          )
        : withServerTiming(
            Effect.map(trials.reply(params.chatbotId, payload), (answer) =>
              HttpServerResponse.jsonUnsafe({ ...trialOf(answer), written_by: answer.written_by }),
            ),
          ),
  })
})

const wantsStream = (parameter: "true" | "false" | undefined, { headers }: HttpServerRequest.HttpServerRequest) =>
  parameter === undefined ? headers["accept"]?.includes("text/event-stream") === true : parameter === "true"

type ShownReply = Omit<typeof ChatReply.Encoded, "session_id">

/** The body of the response with an answer that is not stored. */
const trialOf = ({
  finish_reason,
  output,
  sources,
  steps,
  tool_calls,
  tool_results,
  unsupported,
}: ChatAnswer | TrialAnswer): ShownReply => ({
  finish_reason,
  output,
  steps,
  tool_calls,
  tool_results,
  ...(sources.length > 0 && { sources }),
  ...(unsupported.length > 0 && { unsupported }),
})

/** The body of the response with an answer. */
const replyOf = (answer: ChatAnswer): typeof ChatReply.Encoded => ({
  session_id: answer.session_id,
  ...trialOf(answer),
  ...(answer.handover && { handover: answer.handover }),
})

/**
 * Responds with a reply without encoding it by its schema: the compiler checks that a reply equals its encoded form.
 * Encoding would traverse all steps with all results of their tools, which takes as long as a database statement.
 */
const respond = (answer: ChatAnswer) =>
  HttpServerResponse.jsonUnsafe(replyOf(answer), { headers: replyHeaders(answer) })
