import { HttpApiBuilder } from "effect/http-api"
import { DateTime, Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { cursorOf } from "../../api/parts/Paging.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { Conversations } from "../../services/conversations/Conversations.ts"

const PAGE_DEFAULT = 20

export const layer = HttpApiBuilder.group(
  Api,
  "allConversations",
  Effect.fn(function* (handlers) {
    const conversations = yield* Conversations

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const {
          chatbot_id,
          cursor,
          email,
          from,
          limit = PAGE_DEFAULT,
          platform,
          rating,
          search,
          to,
          unanswered,
        } = query
        const filter = {
          chatbot: chatbot_id,
          search,
          email,
          rating,
          isUnanswered: unanswered === "true",
          platform,
          from: from && DateTime.toDate(from),
          to: to && DateTime.toDate(to),
        }
        const page = yield* conversations.listAll(filter, { limit, after: cursor })
        return {
          conversations: page.conversations,
          next_cursor: page.next === undefined ? null : cursorOf(page.next),
          ...(page.searchedTo !== undefined && { searched_to: timestamp(page.searchedTo) }),
        }
      }),
    })
  }),
)
