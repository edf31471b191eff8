import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Feedback, FeedbackInput } from "../../domain/chat/Conversation.ts"
import { merge } from "../../domain/schema/Merge.ts"
import { transcriptFormats } from "../../domain/chat/Transcript.ts"
import { MessageId, SessionId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import {
  VisitorSecret,
  VisitorSession,
  WidgetChatRequest,
  WidgetConfig,
  WidgetConversation,
  WidgetHandover,
  WidgetHandoverRequest,
  WidgetKey,
  WidgetMessage,
  WidgetPresence,
  WidgetSource,
  WidgetUpdate,
} from "../../domain/widget/Widget.ts"
import { uploadOfVisitor } from "../conversations/Attachments.ts"
import { chatFailures } from "../conversations/Chat.ts"
import { turnOfVisitor } from "../voice/Voice.ts"
import { Problems, RequestBody, VisitorAuthorization } from "../Middleware.ts"
import { AnsweredBy, described, IsForStrangers, IsSlow, RequestCost, slow } from "../parts/Annotations.ts"
import { alsoStream, onlyStream } from "../parts/EventStream.ts"
import { cursorQuery, integer, nextCursor } from "../parts/Paging.ts"
import { Problem } from "../failures/Problem.ts"

/** Messages of one page, at most and when the request names no number. */
const MESSAGES_MAX_COUNT = 100
export const MESSAGES_DEFAULT_COUNT = 50
const SOURCE_INDEX_MAX = 10_000
const EVENT_NUMBER_MAX = 1_000_000_000

const conversationPath = "/api/widget/conversations/:conversationId"
const ofConversation = { conversationId: SessionId }
const messagePath = `${conversationPath}/messages/:messageId` as const
const ofMessage = { ...ofConversation, messageId: MessageId }
const replyPath = "/api/widget/chat/:replyId"
const ofReply = { replyId: MessageId }

const config = HttpApiEndpoint.get("config", "/api/widget/config/:key", {
  params: { key: WidgetKey },
  success: Schema.Struct({ config: WidgetConfig }),
  error: [Problem.Forbidden, Problem.NotFound, Problem.RateLimited],
}).annotateMerge(
  described(
    "Get the look of a widget",
    "What the widget shows before anybody has said anything, with every default filled in. It needs no key but the one that it names.",
  ),
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
  error: [Problem.Forbidden, Problem.NotFound, Problem.Unauthorized, Problem.RateLimited],
})
  .middleware(RequestBody)
  .annotate(IsForStrangers, true)
  .annotateMerge(
    described(
      "Open a visitor's session",
      "The answer holds a token for the widget's other endpoints. It is good for an hour, unless the server is set otherwise, and as long as its key is valid, or its chatbot public. That of a verified visitor ends with the identity token, and with the identity secret that signed it. The same secret, and the same `sub` of an identity, is the same visitor again. With an identity token, the conversations that the visitor with this secret had before become those of the verified visitor. One that is refused fails with 401, and `detail` says why. Nothing is stored of the session.",
    ),
  )

/** The endpoints by which a page of any origin begins to talk with a chatbot. */
export class WidgetAccessApi extends HttpApiGroup.make("widgetAccess")
  .add(config, openSession)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Widget: access",
      description:
        "Who may talk in the widget. A request of a web page, which has the header `Origin`, is refused (403) unless it is the widget's own page, or one of an allowed origin of the key.",
    }),
  )
  .middleware(Problems) {}

const conversations = HttpApiEndpoint.get("conversations", "/api/widget/conversations", {
  query: cursorQuery,
  success: Schema.Struct({ conversations: Schema.Array(WidgetConversation), ...nextCursor }),
}).annotateMerge(described("List a visitor's conversations", "Newest activity first."))

const messagesQuery = {
  ...cursorQuery,
  limit: Schema.optionalKey(
    integer(1, MESSAGES_MAX_COUNT, { description: "Messages of one page.", default: MESSAGES_DEFAULT_COUNT }),
  ),
}

const messages = HttpApiEndpoint.get("messages", `${conversationPath}/messages`, {
  params: ofConversation,
  query: messagesQuery,
  success: Schema.Struct({
    messages: Schema.Array(WidgetMessage).annotate({
      description: "The latest of the conversation, or those before the cursor, oldest first.",
    }),
    ...nextCursor,
    reply: Schema.optionalKey(Schema.Struct({ id: MessageId })).annotate({
      description: "The reply that is being made, which is in `messages` once it is stored.",
    }),
    handover: Schema.NullOr(WidgetHandover).annotate({ description: "Null where it was never handed over." }),
  }),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "Messages of a visitor's conversation",
    "The latest ones; `next_cursor` leads to those before. Of a reply that was made anew, only the last version is shown.",
  ),
)

const removeAll = HttpApiEndpoint.delete("removeAll", "/api/widget/conversations", {
  success: Schema.Struct({ deleted: Schema.Int }),
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described("Delete all conversations of a visitor", "With all messages. Replies that are being made are stopped."),
  )

const remove = HttpApiEndpoint.delete("remove", conversationPath, {
  params: ofConversation,
  success: Schema.Struct({ message: Schema.Literal("Conversation deleted successfully") }),
  error: Problem.NotFound,
}).annotateMerge(
  described("Delete a visitor's conversation", "With all its messages. A reply that is being made in it is stopped."),
)

const transcript = HttpApiEndpoint.get("transcript", `${conversationPath}/transcript`, {
  params: ofConversation,
  query: {
    format: Schema.optionalKey(Schema.Literals(transcriptFormats)).annotate({
      description: "Absent: as `Accept` says; `text/markdown` asks for Markdown.",
      default: "json",
    }),
  },
  success: Schema.Struct({ conversation: WidgetConversation, messages: Schema.Array(WidgetMessage) }),
  error: Problem.NotFound,
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Download a visitor's conversation",
      description: "The conversation as a file, as JSON or Markdown, with all messages and sources, oldest first.",
      transform: (operation) =>
        merge(operation, {
          responses: { 200: { content: { "text/markdown": { schema: { type: "string" } } } } },
        }),
    }),
  )

const rate = HttpApiEndpoint.post("rate", `${messagePath}/feedback`, {
  params: ofMessage,
  payload: FeedbackInput,
  success: Schema.Struct({ message_id: MessageId, feedback: Schema.NullOr(Feedback) }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Rate a reply as its visitor",
      "Takes the place of an earlier rating, comment included. The same again changes nothing.",
    ),
  )

const source = HttpApiEndpoint.get("source", `${messagePath}/sources/:index`, {
  params: {
    ...ofMessage,
    index: integer(0, SOURCE_INDEX_MAX, { description: "The `index` of the source." }),
  },
  success: Schema.Struct({
    source: WidgetSource,
    section: Schema.NullOr(Schema.String).annotate({ description: "The headings above the passage." }),
    content: Schema.String.annotate({ description: "The passage, whole." }),
  }),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "Read the passage of a source",
    "The whole passage that a reply to the visitor quotes: as it was when the reply was made, if that was kept, or else as it is. 404 when it is gone.",
  ),
)

const eventStream = alsoStream(
  "Server-sent events. The data of each is a JSON object with a `type`, and its `id` counts the events of the reply. `start` (`conversation_id`, `message_id`) comes first. `handover` says that people answer in the conversation, and that there is no reply. `tool` says what the chatbot is doing (`tool`: `search`, with `query`, `documents` or `other`), `text` has the next piece of the reply, whose pieces together are the stored text, and `source` a passage that it rests on (`index`, `title`, `page`, `quote`, and `url` where its document is a page). The last event is `finish` (`finish_reason`, and `written_by`, `model` or `rule`), `error` (`code`, `detail`) or `stopped`. A comment comes every now and then, so that nothing in between takes the connection for dead.",
)

const chat = HttpApiEndpoint.post("chat", "/api/widget/chat", {
  payload: WidgetChatRequest,
  success: HttpApiSchema.Empty(200),
  error: [...chatFailures(Problem), Problem.Conflict],
})
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotateMerge(
    OpenApi.annotations({
      summary: "Say something as a visitor",
      description:
        "The reply is a stream, and is made to its end even when the connection is lost: `GET /api/widget/chat/{replyId}` goes on with it, and `DELETE` stops it. A message that is sent again with the same `id` is not answered again, but by the stream of its reply from the beginning, or by the stored reply, unless that has failed. While a reply is made, another message in the same conversation is refused (409).",
      transform: eventStream,
    }),
  )

const resume = HttpApiEndpoint.get("resume", replyPath, {
  params: ofReply,
  query: {
    after: Schema.optionalKey(
      integer(0, EVENT_NUMBER_MAX, { description: "The `id` of the last event that was received.", default: 0 }),
    ),
  },
  success: HttpApiSchema.Empty(200),
  error: [...chatFailures(Problem), Problem.Conflict],
})
  .annotate(IsSlow, true)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Go on reading a reply",
      description:
        "Goes on exactly where a lost connection stopped. Events are kept for a while after the end, as the server's settings say (half a minute by default), by the server process that makes the reply. Where they are not, 404: then the reply is, or will be, among the messages of its conversation.",
      transform: eventStream,
    }),
  )

const stop = HttpApiEndpoint.delete("stop", replyPath, {
  params: ofReply,
  success: Schema.Struct({ message: Schema.Literal("Reply stopped successfully") }),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "Stop a reply",
    "What there is of it is stored, and its streams end with `stopped`. One that has ended already stays as it is.",
  ),
)

const handOver = HttpApiEndpoint.post("handOver", "/api/widget/handover", {
  payload: WidgetHandoverRequest,
  success: Schema.Struct({ conversation: WidgetConversation }),
  error: [Problem.Forbidden, Problem.NotFound, Problem.Conflict, Problem.ChatbotInactive, Problem.QuotaReached],
})
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Ask for a person",
      "From now on people answer in the conversation: a reply that is being made is stopped, and what there is of it stays. The message, if there is one, is stored with it; a new conversation needs one. Refused (403) unless `settings.handover.button` is set. A conversation that people have stays theirs. A visitor hands over ten conversations in an hour, and the visitors of one address sixty; further ones are refused (429).",
    ),
  )

const updates = HttpApiEndpoint.get("updates", `${conversationPath}/events`, {
  params: ofConversation,
  success: WidgetUpdate,
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .annotate(IsSlow, true)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Subscribe to a visitor's conversation",
      description: [
        "Server-sent events, each with a `WidgetUpdate` as JSON in `data`, within about a second of the change, whichever server made it. Replies that are being made have a stream of their own.",
        "Events are not kept. Every stream begins with `resync`, also after a lost connection: then read the messages anew. A comment is sent as a heartbeat. The stream ends when the conversation is deleted, when the token or its key ends, and when the server stops; clients connect again.",
      ].join("\n\n"),
      transform: onlyStream("Events, each with a `WidgetUpdate` as its `data`."),
    }),
  )

const presence = HttpApiEndpoint.post("presence", `${conversationPath}/presence`, {
  params: ofConversation,
  payload: WidgetPresence,
  success: Schema.Struct({ handover: Schema.NullOr(WidgetHandover) }),
  error: Problem.NotFound,
})
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Say what a visitor does",
      "That it writes holds for ten seconds. People see it, and how far the visitor has read, where the conversation was handed over.",
    ),
  )

/** The endpoints of a visitor's conversations. */
export class WidgetApi extends HttpApiGroup.make("widget")
  .add(
    conversations,
    messages,
    removeAll,
    remove,
    transcript,
    rate,
    source,
    chat,
    resume,
    stop,
    handOver,
    updates,
    presence,
    uploadOfVisitor,
    turnOfVisitor,
  )
  .annotateEndpoints(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateEndpoints(AnsweredBy, "the visitor's worker")
  .annotateMerge(
    OpenApi.annotations({
      title: "Widget",
      description: "What a visitor of the chat widget does: it talks, and sees its own conversations and no others.",
    }),
  )
  .middleware(VisitorAuthorization)
  .middleware(Problems) {}
