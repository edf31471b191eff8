import { Effect } from "effect"
import { Topics } from "../../services/topics/Topics.ts"
import { paged } from "../Listing.ts"
import { group } from "../Group.ts"

export const layer = group("topics", function* (handlers) {
  const topics = yield* Topics

  return handlers.handleAll({
    listTopics: ({ params, query: { from, gaps, state, to, ...query } }) =>
      paged(query, (page) => topics.list(params.chatbotId, { from, to, state, onlyGaps: gaps === "true", page })),

    listTopicQuestions: ({ params, query: { gaps, ...query } }) =>
      paged(query, (page) => topics.questions(params.chatbotId, params.topicId, gaps === "true", page)),

    updateTopic: ({ params, payload }) =>
      Effect.bindTo(topics.update(params.chatbotId, params.topicId, payload), "topic"),

    suggestQuestions: ({ params }) => Effect.bindTo(topics.suggested(params.chatbotId), "questions"),
  })
})
