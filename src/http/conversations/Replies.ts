import { Effect } from "effect"
import { Replies } from "../../services/conversations/Replies.ts"
import { group } from "../Group.ts"

/** Handles the endpoint that reviews replies. */
export const layer = group("replies", function* (handlers) {
  const replies = yield* Replies

  return handlers.handleAll({
    reviewReply: ({ params }) => Effect.bindTo(replies.review(params.chatbotId, params.messageId), "reply"),
  })
})
