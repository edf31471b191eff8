import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { Topics } from "../../services/topics/Topics.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "topics",
  Effect.fn(function* (handlers) {
    const topics = yield* Topics

    return handlers.handleAll({
      listTopics: Effect.fnUntraced(function* ({ params, query: { from, gaps, state, to, ...query } }) {
        const page = pageOf(query)
        const request = { from, to, state, onlyGaps: gaps === "true", page }
        const { total, ...list } = yield* topics.list(params.chatbotId, request)
        return { ...list, metadata: pageMetadata(page, total) }
      }),

      listTopicQuestions: Effect.fnUntraced(function* ({ params, query: { gaps, ...query } }) {
        const page = pageOf(query)
        const { chatbotId, topicId } = params
        const { questions, total } = yield* topics.questions(chatbotId, topicId, gaps === "true", page)
        return { data: questions, metadata: pageMetadata(page, total) }
      }),

      updateTopic: ({ params, payload }) =>
        Effect.map(topics.update(params.chatbotId, params.topicId, payload), (topic) => ({ topic })),

      suggestQuestions: ({ params }) => Effect.map(topics.suggested(params.chatbotId), (questions) => ({ questions })),
    })
  }),
)
