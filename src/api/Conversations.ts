import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Message, Session } from "../domain/Conversation.ts"
import { ChatbotId } from "../domain/Ids.ts"
import { PageMetadata } from "../domain/Page.ts"
import { textBetween } from "../domain/Text.ts"
import { Authorization, Problems, RequiredScope } from "./Middleware.ts"
import { pageQuery } from "./Paging.ts"
import * as Problem from "./Problem.ts"

const base = "/api/external/chatbot/:chatbotId/conversations"

const sessionParams = {
  chatbotId: ChatbotId,
  sessionId: textBetween(1, 200).annotate({
    description: "The session's id, or the `sessionToken` it was opened with.",
  }),
}

const messages = HttpApiEndpoint.get("messages", `${base}/:sessionId/messages`, {
  params: sessionParams,
  query: pageQuery,
  success: Schema.Struct({ data: Schema.Array(Message), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Messages of a conversation",
      description: "Ascending by `created_at`, then `id`. A page past the end is empty.",
    }),
  )

const list = HttpApiEndpoint.get("list", base, {
  params: { chatbotId: ChatbotId },
  query: pageQuery,
  success: Schema.Struct({ data: Schema.Array(Session), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(OpenApi.annotations({ summary: "List conversations", description: "Newest activity first." }))

const get = HttpApiEndpoint.get("get", `${base}/:sessionId`, {
  params: sessionParams,
  success: Schema.Struct({ session: Session }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(OpenApi.annotations({ summary: "Get a conversation" }))

const remove = HttpApiEndpoint.delete("delete", `${base}/:sessionId`, {
  params: sessionParams,
  success: Schema.Struct({ message: Schema.Literal("Conversation deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(OpenApi.annotations({ summary: "Delete a conversation", description: "With all its messages." }))

/** Conversations: operation 9, and the sessions. */
export class ConversationsApi extends HttpApiGroup.make("conversations")
  .add(messages, list, get, remove)
  .annotateMerge(OpenApi.annotations({ title: "Conversations", description: "What was said, kept." }))
  .middleware(Authorization)
  .middleware(Problems) {}
