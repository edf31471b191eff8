import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { merge } from "../../domain/schema/Merge.ts"
import {
  Feedback,
  FeedbackInput,
  Message,
  Session,
  SessionPatch,
  SessionState,
  Tag,
  TranscriptMessage,
} from "../../domain/chat/Conversation.ts"
import { Erased, ErasureRequest } from "../../domain/chat/Erasure.ts"
import { ChatbotId, MessageId, optionalId, PersonId } from "../../domain/Ids.ts"
import { Handover } from "../../domain/inbox/Handover.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Timestamp } from "../../domain/schema/Timestamp.ts"
import { transcriptFormats } from "../../domain/chat/Transcript.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { momentParameter } from "../parts/Moment.ts"
import { Cursor, integer, pageQuery } from "../parts/Paging.ts"
import { AlsoRequires, described, RequestCost } from "../parts/Annotations.ts"
import { Problem } from "../failures/Problem.ts"

const base = "/api/external/chatbot/:chatbotId/conversations"

const sessionParams = {
  chatbotId: ChatbotId,
  sessionId: textBetween(1, 200).annotate({
    description:
      "The session's id, or the `sessionToken` it was opened with. Of several sessions with the same short token, the token names the one that this API key opened, or else the one with the latest activity.",
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
    described("Messages of a conversation", "Ascending by `created_at`, then `id`. A page past the end is empty."),
  )

const list = HttpApiEndpoint.get("list", base, {
  params: { chatbotId: ChatbotId },
  query: pageQuery,
  success: Schema.Struct({ data: Schema.Array(Session), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(described("List conversations", "Newest activity first."))

const get = HttpApiEndpoint.get("get", `${base}/:sessionId`, {
  params: sessionParams,
  success: Schema.Struct({ session: Session }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "Get a conversation",
      "Who takes part in it, its last message and how many there are. The messages have an address of their own.",
    ),
  )

const update = HttpApiEndpoint.patch("update", `${base}/:sessionId`, {
  params: sessionParams,
  payload: SessionPatch,
  success: Schema.Struct({ session: Session }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read"])
  .annotateMerge(
    described(
      "Close, assign or tag a conversation",
      "Closing says that nobody has to look after the conversation any more. It hinders nobody from going on in it: a new message of the user opens it again, and the chatbot answers it. Closing and opening is no activity, so that `updated_at` stays, unless people had the conversation. A conversation that the chatbot has cannot be assigned (409): take it over. The key needs `conversations:read` as well.",
    ),
  )

const remove = HttpApiEndpoint.delete("delete", `${base}/:sessionId`, {
  params: sessionParams,
  success: Schema.Struct({ message: Schema.Literal("Conversation deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(described("Delete a conversation", "With all its messages."))

const rate = HttpApiEndpoint.post("rate", `${base}/:sessionId/messages/:messageId/feedback`, {
  params: { ...sessionParams, messageId: MessageId },
  payload: FeedbackInput,
  success: Schema.Struct({
    message_id: MessageId,
    feedback: Schema.NullOr(Feedback).annotate({ description: "As it is now." }),
  }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chat")
  .annotateMerge(
    described(
      "Rate a reply",
      "What the user thinks of a reply of the chatbot; of the user's own messages it is refused (409). It takes the place of an earlier rating, comment included, and is then part of the message wherever that is read. The scope is `chat`, so that the key of a website serves for it; without `conversations:read`, a short `sessionToken` names only what the key itself opened.",
    ),
  )

const transcript = HttpApiEndpoint.get("transcript", `${base}/:sessionId/transcript`, {
  params: sessionParams,
  query: {
    format: Schema.optionalKey(Schema.Literals(transcriptFormats)).annotate({
      description: "Absent: as `Accept` says, `text/markdown` or else JSON.",
    }),
  },
  success: Schema.Struct({ session: Session, messages: Schema.Array(TranscriptMessage) }),
  error: Problem.NotFound,
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Export a conversation",
      description: "The whole of it, as a file to keep.",
      transform: (operation) =>
        merge(operation, {
          responses: {
            200: {
              content: {
                "text/markdown": {
                  schema: {
                    type: "string",
                    description:
                      "A section for each message. What was said stands in a code fence, exactly as it was said, so that nothing in it can look like another message.",
                  },
                },
              },
            },
          },
        }),
    }),
  )

const erase = HttpApiEndpoint.post("erase", "/api/external/erasures", {
  payload: ErasureRequest,
  success: Schema.Struct({ erased: Erased }),
  error: Problem.NotFound,
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(
    described(
      "Erase a visitor",
      "Deletes everything that is stored about a visitor, who is named by exactly one of `email`, `session_token` and `visitor_id`: conversations with their messages, ratings and replies that are being made. A chat of the visitor that is under way is answered, and nothing of it is stored any more. Nothing is found: 200 with zeros. Repeat it when it fails. The audit log gets the numbers, and nothing that identifies the visitor.",
    ),
  )

/** The endpoints of conversations: operation 9 of the source specification, and those of sessions. */
export class ConversationsApi extends HttpApiGroup.make("conversations")
  .add(messages, list, get, update, remove, rate, transcript, erase)
  .annotateEndpoints(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Conversations", description: "The conversations of one chatbot." }))
  .middleware(Authorization)
  .middleware(Problems) {}

const PAGE_MAX = 100

const listAll = HttpApiEndpoint.get("list", "/api/external/conversations", {
  query: {
    chatbot_id: optionalId(ChatbotId, "Conversations of this chatbot only."),
    search: Schema.optionalKey(
      textBetween(1, 200).annotate({
        description:
          "A text that a message of the conversation, or the visitor's e-mail address or name, contains; in upper or lower case alike.",
      }),
    ),
    email: Schema.optionalKey(
      textBetween(1, 320).annotate({
        description: "The visitor's whole e-mail address, in upper or lower case alike.",
      }),
    ),
    rating: Schema.optionalKey(
      Schema.Literals(["up", "down"]).annotate({ description: "Conversations in which a reply is rated so." }),
    ),
    unanswered: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({
        description: "`true`: conversations that hold a reply without an answer. `false`: all, as when it is absent.",
      }),
    ),
    platform: Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^[a-z0-9_-]{1,32}$/, { message: "Expected a platform, such as web" }),
      ).annotate({ description: "Conversations on this platform only.", examples: ["web"] }),
    ),
    state: Schema.optionalKey(SessionState.annotate({ description: "Conversations in this state only." })),
    owner: Schema.optionalKey(
      Handover.fields.owner.annotate({ description: "Conversations in which the bot, or people, answer." }),
    ),
    assignee: Schema.optionalKey(
      Schema.Union([Schema.Literals(["me", "none"]), PersonId]).annotate({
        description:
          "Conversations that this person looks after; `me`: the person who asks. `none`: those of people that nobody looks after.",
      }),
    ),
    waiting: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({
        description: "`true`: conversations whose visitor waits for people. `false`: all, as when it is absent.",
      }),
    ),
    tag: Schema.optionalKey(Tag.annotate({ description: "Conversations with this tag." })),
    from: momentParameter("The first moment of the latest activity, ISO 8601 with offset: `2026-11-20T00:00:00Z`."),
    to: momentParameter("The moment before which the latest activity was, likewise."),
    limit: Schema.optionalKey(integer(1, PAGE_MAX, { description: "Conversations on a page, at most.", default: 20 })),
    cursor: Schema.optionalKey(Cursor),
  },
  success: Schema.Struct({
    conversations: Schema.Array(Session),
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "The cursor of the next page; null on the last page.",
    }),
    searched_to: Schema.optionalKey(
      Timestamp.annotate({
        description:
          "With `search`, `platform` or `state`, where this page ended before it was full: conversations whose latest activity was before this moment were not looked through yet. The next page goes on there.",
      }),
    ),
  }),
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "List the conversations of all chatbots",
      "Newest activity first, a page at a time. All conditions hold together. Texts of messages have no index: with `search`, `platform` or `state`, one request looks through a limited number of conversations, so that a page may hold fewer than `limit`, or none, and still have a `next_cursor`. All other conditions are found by an index however many conversations there are. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** The endpoint that lists conversations across chatbots. */
export class AllConversationsApi extends HttpApiGroup.make("allConversations")
  .add(listAll)
  .annotateMerge(
    OpenApi.annotations({ title: "Conversations of all chatbots", description: "One list of all conversations." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
