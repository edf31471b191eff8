import { Effect } from "effect"
import { CannedAnswers } from "../../services/inbox/CannedAnswers.ts"
import { group } from "../Group.ts"

export const layer = group("cannedAnswers", function* (handlers) {
  const answers = yield* CannedAnswers

  return handlers.handleAll({
    list: ({ params }) => Effect.bindTo(answers.list(params.chatbotId), "canned_answers"),

    create: ({ params, payload }) => Effect.bindTo(answers.create(params.chatbotId, payload), "canned_answer"),

    update: ({ params, payload }) =>
      Effect.bindTo(answers.update(params.chatbotId, params.answerId, payload), "canned_answer"),

    remove: ({ params }) =>
      Effect.as(answers.remove(params.chatbotId, params.answerId), {
        message: "Canned answer deleted successfully" as const,
      }),
  })
})
