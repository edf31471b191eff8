import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Session } from "../../domain/chat/Conversation.ts"
import { ChatbotId, optionalId } from "../../domain/Ids.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Timestamp } from "../../domain/schema/Timestamp.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { momentParameter } from "../parts/Moment.ts"
import { Cursor, integer } from "../parts/Paging.ts"
import { Problem } from "../failures/Problem.ts"
import { described } from "../parts/Annotations.ts"

/** The most conversations on a page. */
const PAGE_MAX = 100

const list = HttpApiEndpoint.get("list", "/api/external/conversations", {
  query: {
    chatbot_id: optionalId(ChatbotId, "Conversations of this chatbot only."),
    search: Schema.optionalKey(
      textBetween(1, 200).annotate({
        description:
          "A text that a message of the conversation, or the visitor's e-mail address, contains; in upper or lower case alike.",
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
    from: momentParameter("The first moment of the latest activity, ISO 8601 with offset: `2026-11-20T00:00:00Z`."),
    to: momentParameter("The moment before which the latest activity was, likewise."),
    limit: Schema.optionalKey(integer(1, PAGE_MAX, { description: "Conversations on a page, at most.", default: 20 })),
    cursor: Schema.optionalKey(Cursor),
  },
  success: Schema.Struct({
    conversations: Schema.Array(Session),
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "Where the next page starts; null on the last page.",
    }),
    searched_to: Schema.optionalKey(
      Timestamp.annotate({
        description:
          "With `search` or `platform`, where this page ended before it was full: conversations whose latest activity was before this moment were not looked through yet. The next page goes on there.",
      }),
    ),
  }),
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "List the conversations of all chatbots",
      "Newest activity first, a page at a time. All conditions hold together. Texts of messages have no index: with `search` or `platform`, one request looks through a limited number of conversations, so that a page may hold fewer than `limit`, or none, and still have a `next_cursor`. All other conditions are found by an index however many conversations there are. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** The endpoint that lists conversations across chatbots. */
export class AllConversationsApi extends HttpApiGroup.make("allConversations")
  .add(list)
  .annotateMerge(
    OpenApi.annotations({ title: "Conversations of all chatbots", description: "What was said, in one list." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
