import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatMessages, ChatReply } from "../domain/Chat.ts"
import { ChatbotId } from "../domain/Ids.ts"
import { textBetween } from "../domain/Text.ts"
import { Authorization, RequestBody, Problems, RequiredScope } from "./Middleware.ts"
import * as Problem from "./Problem.ts"

const SessionToken = textBetween(1, 200).annotate({ examples: ["visitor-4711"] })

const chat = HttpApiEndpoint.post("chat", "/api/external/chatbot/:chatbotId/chat", {
  params: { chatbotId: ChatbotId },
  payload: Schema.Struct({
    messages: ChatMessages.annotate({
      description:
        "One message: the model sees the stored session and it. Several: the model sees them as sent, and what the session does not hold yet is stored.",
    }),
    platform: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^[a-z0-9_-]{1,32}$/)).annotate({
        description: "Where the user writes. Default `web`.",
        examples: ["web"],
      }),
    ),
    sessionToken: Schema.optionalKey(
      SessionToken.annotate({
        description:
          "Names the conversation: chosen by the client, or a `session_id` that was answered before. Absent: a new conversation.",
      }),
    ),
    id: Schema.optionalKey(SessionToken.annotate({ description: "AI SDK name of `sessionToken`." })),
  }),
  success: HttpApiSchema.WithHeaders(ChatReply, { "x-session-id": Schema.String }),
  error: [Problem.NotFound, Problem.TooManyRequests, Problem.ProviderFailed, Problem.ProviderTimeout],
})
  .middleware(RequestBody)
  .annotate(RequiredScope, "chat")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Chat",
      description:
        "Answers the last message. With `settings.isToolEnabled` the model searches the knowledge base with the tool `searchKnowledgeBase`; without, it is searched once with the user's message. The user's message is stored before the model is called.",
    }),
  )

/** Chat: operation 8. */
export class ChatApi extends HttpApiGroup.make("chat")
  .add(chat)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Replies, with the steps that led to them." }))
  .middleware(Authorization)
  .middleware(Problems) {}
