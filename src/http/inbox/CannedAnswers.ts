import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { CannedAnswers } from "../../services/inbox/CannedAnswers.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "cannedAnswers",
  Effect.fn(function* (handlers) {
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
  }),
)
