import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { TestResult, TestRun, TestRunId, TestRunInput } from "../../domain/evaluation/TestRun.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described } from "../parts/Annotations.ts"
import { pageQuery } from "../parts/Paging.ts"

const runsPath = "/api/external/chatbot/:chatbotId/test-runs"
const runPath = `${runsPath}/:runId` as const
const ofChatbot = { chatbotId: ChatbotId }
const ofRun = { chatbotId: ChatbotId, runId: TestRunId }

/** Whether an expected text is found tells of the documents, so that numbers of passed tests do as well. */
const ofKnowledge = ["knowledge:read"] as const

const OneRun = Schema.Struct({ run: TestRun })

const startTestRun = HttpApiEndpoint.post("startTestRun", runsPath, {
  params: ofChatbot,
  payload: TestRunInput,
  success: OneRun.pipe(HttpApiSchema.status(202)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotate(AlsoRequires, ofKnowledge)
  .annotateMerge(
    described(
      "Run the tests",
      "All of them, or those with one of the tags, in the background. Default: the first tier, which costs nothing. The key needs `knowledge:read` as well; the second tier also needs `chat`, and is paid with tokens. 409 when there are no such tests, or a run is under way.",
    ),
  )

const listTestRuns = HttpApiEndpoint.get("listTestRuns", runsPath, {
  params: ofChatbot,
  query: pageQuery,
  success: Schema.Struct({
    data: Schema.Array(TestRun),
    is_outdated: Schema.NullOr(Schema.Boolean).annotate({
      description:
        "Whether prompt, model or other settings that make answers have changed since the last run of the second tier; null where there was none.",
    }),
    metadata: PageMetadata,
  }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, ofKnowledge)
  .annotateMerge(described("List runs of tests", "Newest first. The key needs `knowledge:read` as well."))

const getTestRun = HttpApiEndpoint.get("getTestRun", runPath, {
  params: ofRun,
  success: OneRun,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, ofKnowledge)
  .annotateMerge(described("Get a run of tests", "With its numbers so far. The key needs `knowledge:read` as well."))

const stopTestRun = HttpApiEndpoint.post("stopTestRun", `${runPath}/stop`, {
  params: ofRun,
  success: OneRun.pipe(HttpApiSchema.status(202)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotate(RequiredScope, "chatbots:write")
  .annotate(AlsoRequires, ofKnowledge)
  .annotateMerge(
    described(
      "Stop a run of tests",
      "What it has found so far stays. 409 when it has ended. The key needs `knowledge:read` as well.",
    ),
  )

const listTestResults = HttpApiEndpoint.get("listTestResults", `${runPath}/results`, {
  params: ofRun,
  query: {
    ...pageQuery,
    only: Schema.optionalKey(
      Schema.Literals(["worse", "better", "different", "failed"]).annotate({
        description: "Results only of tests that have changed so, or have failed.",
      }),
    ),
  },
  success: Schema.Struct({ data: Schema.Array(TestResult), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, ["conversations:read", ...ofKnowledge])
  .annotateMerge(
    described(
      "List results of a run",
      "Each beside the result before: worse ones first, then failed, better, different and all others. Tests that the run left untouched are left out. The key needs `conversations:read` and `knowledge:read` as well.",
    ),
  )

/** The endpoints of runs of a chatbot's tests. */
export class TestRunsApi extends HttpApiGroup.make("testRuns")
  .add(startTestRun, listTestRuns, getTestRun, stopTestRun, listTestResults)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Runs of tests", description: "What the tests of a chatbot have shown." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
