import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { TestRuns } from "../../services/evaluation/TestRuns.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "testRuns",
  Effect.fn(function* (handlers) {
    const runs = yield* TestRuns

    return handlers.handleAll({
      startTestRun: ({ params, payload }) => Effect.map(runs.start(params.chatbotId, payload), (run) => ({ run })),
      listTestRuns: Effect.fnUntraced(function* ({ params, query }) {
        const page = pageOf(query)
        const { isOutdated, runs: data, total } = yield* runs.list(params.chatbotId, page)
        return { data, is_outdated: isOutdated, metadata: pageMetadata(page, total) }
      }),
      getTestRun: ({ params }) => Effect.map(runs.get(params.chatbotId, params.runId), (run) => ({ run })),
      stopTestRun: ({ params }) => Effect.map(runs.stop(params.chatbotId, params.runId), (run) => ({ run })),
      listTestResults: Effect.fnUntraced(function* ({ params, query }) {
        const page = pageOf(query)
        const { results, total } = yield* runs.results(params.chatbotId, params.runId, page, query.only)
        return { data: results, metadata: pageMetadata(page, total) }
      }),
    })
  }),
)
