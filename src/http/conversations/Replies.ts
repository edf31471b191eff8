import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { Replies } from "../../services/conversations/Replies.ts"

/** Handles the endpoint that reviews replies. */
export const layer = HttpApiBuilder.group(
  Api,
  "replies",
  Effect.fn(function* (handlers) {
    const replies = yield* Replies

    return handlers.handleAll({
      reviewReply: ({ params }) => Effect.bindTo(replies.review(params.chatbotId, params.messageId), "reply"),
    })
  }),
)
