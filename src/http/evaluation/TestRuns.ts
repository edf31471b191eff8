import { Effect } from "effect"
import { TestRuns } from "../../services/evaluation/TestRuns.ts"
import { paged } from "../Listing.ts"
import { group } from "../Group.ts"

export const layer = group("testRuns", function* (handlers) {
  const runs = yield* TestRuns

  return handlers.handleAll({
    startTestRun: ({ params, payload }) => Effect.bindTo(runs.start(params.chatbotId, payload), "run"),
    listTestRuns: ({ params, query }) => paged(query, (page) => runs.list(params.chatbotId, page)),
    getTestRun: ({ params }) => Effect.bindTo(runs.get(params.chatbotId, params.runId), "run"),
    stopTestRun: ({ params }) => Effect.bindTo(runs.stop(params.chatbotId, params.runId), "run"),
    listTestResults: ({ params, query: { only, ...query } }) =>
      paged(query, (page) => runs.results(params.chatbotId, params.runId, page, only)),
  })
})
