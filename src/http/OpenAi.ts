import { Clock, DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import type { Model } from "../api/OpenAi.ts"
import { Chat } from "../services/conversations/Chat.ts"
import type { ChatAttempt } from "../services/conversations/ChatAttempt.ts"
import type { ChatRequest } from "../services/conversations/ChatHistory.ts"
import { Chatbots } from "../services/chatbots/Chatbots.ts"
import { currentAttempt } from "./edge/Idempotency.ts"
import { completion, CompletionChunks, type CompletionOptions } from "./streams/Completions.ts"
import { nextPage, rangeOf } from "./Listing.ts"
import { withServerTiming } from "./edge/ServerTiming.ts"
import { replyHeaders } from "./ReplyHeaders.ts"
import { respondWithStream, streamingOptions } from "./streams/Streaming.ts"
import { group } from "./Group.ts"

/** The platform that is stored for conversations of OpenAI's clients. */
const PLATFORM = "openai"

export const layer = group("openai", function* (handlers) {
  const chat = yield* Chat
  const chatbots = yield* Chatbots
  const streaming = yield* streamingOptions

  return handlers.handleAll({
    completions: ({ headers, payload: { messages, metadata, model, stream, stream_options } }) => {
      const answerTo = (attempt: ChatAttempt | undefined) => {
        const request: ChatRequest = {
          attempt,
          ...conversationOf(messages),
          platform: PLATFORM,
          sessionToken: metadata?.session_id ?? headers["x-session-id"],
          again: Number(headers["x-stainless-retry-count"] ?? 0) > 0,
        }
        return Effect.flatMap(Clock.currentTimeMillis, (millis) => {
          const options: CompletionOptions = {
            model,
            created: Math.floor(millis / 1_000),
            includeUsage: stream_options?.include_usage === true,
          }
          return stream === true
            ? respondWithStream((emit) => chat.replyAs(model, request, emit), new CompletionChunks(options), streaming)
            : withServerTiming(
                Effect.map(chat.replyAs(model, request), (answer) =>
                  HttpServerResponse.jsonUnsafe(completion(answer, options), { headers: replyHeaders(answer) }),
                ),
              )
        })
      }
      return Effect.flatMap(currentAttempt, answerTo)
    },

    models: ({ query, request }) =>
      Effect.map(chatbots.list(rangeOf(query)), ({ items, next }) => {
        const { body, headers } = nextPage(request.url, query, next)
        const data = items.map(({ created_at, slug }) => modelOf({ slug, created_at: created_at.getTime() }))
        return HttpApiSchema.withHeaders({ body: { object: "list" as const, data, ...body }, headers })
      }),

    model: ({ params }) =>
      Effect.map(chatbots.named(params.model), ({ created_at, slug }) =>
        modelOf({ slug, created_at: DateTime.toEpochMillis(DateTime.makeUnsafe(created_at)) }),
      ),
  })
})

type Role = "system" | "developer" | "user" | "assistant"

/** Separates the application's instructions from the messages of the conversation. */
const conversationOf = (
  messages: ReadonlyArray<{ readonly role: Role; readonly content: string }>,
): Pick<ChatRequest, "instructions" | "messages"> => ({
  instructions: messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(({ content }) => content)
    .join("\n\n"),
  messages: messages.flatMap(({ role, content }) =>
    role === "user" || role === "assistant" ? [{ role, content }] : [],
  ),
})

const modelOf = ({ created_at, slug }: { readonly slug: string; readonly created_at: number }): Model => ({
  id: slug,
  object: "model",
  created: Math.floor(created_at / 1_000),
  owned_by: "parley",
})
