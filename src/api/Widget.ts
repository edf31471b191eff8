import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Feedback, FeedbackInput } from "../domain/chat/Conversation.ts"
import { transcriptFormats } from "../domain/chat/Transcript.ts"
import { MessageId, SessionId } from "../domain/Ids.ts"
import { requestCosts } from "../domain/rates/RateLimit.ts"
import {
  VisitorSecret,
  VisitorSession,
  WidgetChatRequest,
  WidgetConfig,
  WidgetConversation,
  WidgetKey,
  WidgetMessage,
  WidgetSource,
} from "../domain/widget/Widget.ts"
import { chatFailures } from "./Chat.ts"
import { Problems, RequestBody } from "./Middleware.ts"
import { IsSlow, RequestCost } from "./parts/Annotations.ts"
import { cursorQuery, nextCursor } from "./parts/Paging.ts"
import { Problem } from "./failures/Problem.ts"

const conversationPath = "/api/widget/conversations/:conversationId"
const ofConversation = { conversationId: SessionId }
const messagePath = `${conversationPath}/messages/:messageId` as const
const ofMessage = { ...ofConversation, messageId: MessageId }
const replyPath = "/api/widget/chat/:replyId"
const ofReply = { replyId: MessageId }

const config = HttpApiEndpoint.get("config", "/api/widget/config/:key", {
  params: { key: WidgetKey },
  success: Schema.Struct({ config: WidgetConfig }),
  error: [Problem.NotFound, Problem.RateLimited],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Get the look of a widget",
    description:
      "What the widget shows before anybody has said anything, with every default filled in. It needs no key but the one that it names.",
  }),
)

const openSession = HttpApiEndpoint.post("openSession", "/api/widget/sessions", {
  payload: Schema.Struct({
    key: WidgetKey,
    visitor_secret: Schema.optionalKey(VisitorSecret),
    identity: Schema.optionalKey(
      Schema.String.annotate({
        description:
          "A JSON Web Token (HS256), signed by the customer's own server with the identity secret of the chatbot: `aud` the chatbot's id, `sub`, `exp` within 24 hours, and optionally `email` and `name`.",
      }),
    ),
  }),
  success: VisitorSession.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Unauthorized, Problem.RateLimited],
})
  .middleware(RequestBody)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Open a visitor's session",
      description:
        "The answer holds a token for the widget's other endpoints. It is good for an hour (`WIDGET_SESSION`), and as long as its key is valid, or its chatbot public. The same secret, and the same `sub` of an identity, is the same visitor again. With an identity token, the conversations that the visitor with this secret had before become those of the verified visitor. One that is refused fails with 401, and `detail` says why. Nothing is stored of the session.",
    }),
  )

/** The endpoints by which a page of any origin begins to talk with a chatbot. */
export class WidgetAccessApi extends HttpApiGroup.make("widgetAccess")
  .add(config, openSession)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Widget: access", description: "Who may talk in the widget." }))
  .middleware(Problems) {}

const conversations = HttpApiEndpoint.get("conversations", "/api/widget/conversations", {
  query: cursorQuery,
  success: Schema.Struct({ conversations: Schema.Array(WidgetConversation), ...nextCursor }),
})

const messages = HttpApiEndpoint.get("messages", `${conversationPath}/messages`, {
  params: ofConversation,
  query: cursorQuery,
  success: Schema.Struct({
    messages: Schema.Array(WidgetMessage).annotate({ description: "The latest of the conversation, oldest first." }),
    ...nextCursor,
    reply: Schema.optionalKey(Schema.Struct({ id: MessageId })).annotate({
      description: "The reply that is being made, which is in `messages` once it is stored.",
    }),
  }),
  error: Problem.NotFound,
})

const removeAll = HttpApiEndpoint.delete("removeAll", "/api/widget/conversations", {
  success: Schema.Struct({ deleted: Schema.Int }),
}).annotate(RequestCost, requestCosts.bulk)

const remove = HttpApiEndpoint.delete("remove", conversationPath, {
  params: ofConversation,
  success: Schema.Struct({ message: Schema.Literal("Conversation deleted successfully") }),
  error: Problem.NotFound,
})

const transcript = HttpApiEndpoint.get("transcript", `${conversationPath}/transcript`, {
  params: ofConversation,
  query: { format: Schema.optionalKey(Schema.Literals(transcriptFormats)) },
  success: Schema.Struct({ conversation: WidgetConversation, messages: Schema.Array(WidgetMessage) }),
  error: Problem.NotFound,
}).annotate(RequestCost, requestCosts.bulk)

const rate = HttpApiEndpoint.post("rate", `${messagePath}/feedback`, {
  params: ofMessage,
  payload: FeedbackInput,
  success: Schema.Struct({ message_id: MessageId, feedback: Schema.NullOr(Feedback) }),
  error: [Problem.NotFound, Problem.Conflict],
}).middleware(RequestBody)

const source = HttpApiEndpoint.get("source", `${messagePath}/sources/:index`, {
  params: { ...ofMessage, index: Schema.FiniteFromString },
  success: Schema.Struct({
    source: WidgetSource,
    section: Schema.NullOr(Schema.String),
    content: Schema.String.annotate({ description: "The passage, whole." }),
  }),
  error: Problem.NotFound,
})

const chat = HttpApiEndpoint.post("chat", "/api/widget/chat", {
  payload: WidgetChatRequest,
  success: HttpApiSchema.Empty(200),
  error: [...chatFailures(Problem), Problem.Conflict],
})
  .middleware(RequestBody)
  .annotate(IsSlow, true)
  .annotate(RequestCost, requestCosts.chat)

const resume = HttpApiEndpoint.get("resume", replyPath, {
  params: ofReply,
  query: { after: Schema.optionalKey(Schema.FiniteFromString) },
  success: HttpApiSchema.Empty(200),
  error: Problem.NotFound,
}).annotate(IsSlow, true)

const stop = HttpApiEndpoint.delete("stop", replyPath, {
  params: ofReply,
  success: Schema.Struct({ message: Schema.Literal("Reply stopped successfully") }),
  error: Problem.NotFound,
})

/** The endpoints of a visitor's conversations. */
export class WidgetApi extends HttpApiGroup.make("widget")
  .add(conversations, messages, removeAll, remove, transcript, rate, source, chat, resume, stop)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Widget", description: "A visitor's conversations." }))
  .middleware(Problems) {}
