import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { ChatbotTest, TestPatch } from "../../domain/evaluation/ChatbotTest.ts"
import { TestPlan, TestPlanPatch } from "../../domain/evaluation/TestRun.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { TestPlans } from "../../services/evaluation/TestPlans.ts"
import { Tests } from "../../services/evaluation/Tests.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"

const testChange = changes(ChatbotTest, TestPatch, ["expectations"])
const planChange = changes(TestPlan, TestPlanPatch)

export const layer = HttpApiBuilder.group(
  Api,
  "tests",
  Effect.fn(function* (handlers) {
    const tests = yield* Tests
    const plans = yield* TestPlans

    return handlers.handleAll({
      createTest: ({ params, payload }) =>
        Effect.map(tests.create(params.chatbotId, payload), (test) => withEtag({ test }, test)),

      createTestOfReply: ({ params, payload }) =>
        Effect.map(tests.createOfReply(params.chatbotId, payload.message_id), (test) => withEtag({ test }, test)),

      listTests: Effect.fnUntraced(function* ({ params, query }) {
        const page = pageOf(query)
        const filter = { text: query.query ?? "", tag: query.tag ?? "" }
        const { tags, tests: data, total } = yield* tests.list(params.chatbotId, page, filter)
        return { data, tags, metadata: pageMetadata(page, total) }
      }),

      getTest: ({ params }) =>
        Effect.map(tests.get(params.chatbotId, params.testId), (test) => withEtag({ test }, test)),

      updateTest: ({ headers, params, payload }) =>
        Effect.map(tests.update(params.chatbotId, params.testId, testChange(payload), headers["if-match"]), (test) =>
          withEtag({ test }, test),
        ),

      deleteTest: ({ params }) =>
        Effect.as(tests.remove(params.chatbotId, params.testId), { message: "Test deleted successfully" as const }),

      getTestPlan: ({ params }) => Effect.map(plans.get(params.chatbotId), (row) => withEtag({ plan: row.plan }, row)),

      updateTestPlan: ({ headers, params, payload }) =>
        Effect.map(plans.update(params.chatbotId, planChange(payload), headers["if-match"]), (row) =>
          withEtag({ plan: row.plan }, row),
        ),
    })
  }),
)
