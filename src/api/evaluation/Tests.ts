import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  ChatbotTest,
  TestId,
  TestImport,
  TestInput,
  TestPatch,
  TESTS_MAX,
} from "../../domain/evaluation/ChatbotTest.ts"
import { ListedTest, TestPlan, TestPlanPatch } from "../../domain/evaluation/TestRun.ts"
import { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { merge } from "../../domain/schema/Merge.ts"
import { textUpTo } from "../../domain/schema/Text.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described, RequestCost, slow } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { FormFile } from "../parts/FormFile.ts"
import { pageQuery } from "../parts/Paging.ts"

const testsPath = "/api/external/chatbot/:chatbotId/tests"
const testPath = `${testsPath}/:testId` as const
const planPath = "/api/external/chatbot/:chatbotId/test-plan"
const ofChatbot = { chatbotId: ChatbotId }
const ofTest = { chatbotId: ChatbotId, testId: TestId }

/** A test may be made from a reply: it then quotes the visitor, and the passages that must be found. */
const quoted = ["conversations:read", "knowledge:read"] as const
const quotedDescription = "The key needs `conversations:read` and `knowledge:read` as well."

const OneTest = withEtag(Schema.Struct({ test: ChatbotTest }))
const OnePlan = withEtag(Schema.Struct({ plan: TestPlan }))

const createTest = HttpApiEndpoint.post("createTest", testsPath, {
  params: ofChatbot,
  payload: TestInput,
  success: OneTest.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Create a test",
      `A question, or a conversation up to it, with what the search must find and what the answer must and must not say. 409 when the chatbot has ${TESTS_MAX.toLocaleString("en")} tests.`,
    ),
  )

const createTestOfReply = HttpApiEndpoint.post("createTestOfReply", `${testsPath}/from-reply`, {
  params: ofChatbot,
  payload: Schema.Struct({ message_id: MessageId }),
  success: OneTest.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotate(AlsoRequires, quoted)
  .annotateMerge(
    described(
      "Create a test from a reply",
      `The question of the reply with the turns before it, and the passages on which the reply rests as what must be found. ${quotedDescription} 409 when there is a test of this reply, or the message is none.`,
    ),
  )

const listTests = HttpApiEndpoint.get("listTests", testsPath, {
  params: ofChatbot,
  query: {
    ...pageQuery,
    query: Schema.optionalKey(textUpTo(500).annotate({ description: "Tests only whose questions hold this text." })),
    tag: Schema.optionalKey(textUpTo(50).annotate({ description: "Tests only with this tag." })),
  },
  success: Schema.Struct({
    data: Schema.Array(ListedTest),
    tags: Schema.Array(Schema.String).annotate({ description: "The tags of all tests of the chatbot." }),
    metadata: PageMetadata,
  }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, quoted)
  .annotateMerge(described("List tests", `Oldest first. ${quotedDescription}`))

const getTest = HttpApiEndpoint.get("getTest", testPath, {
  params: ofTest,
  success: OneTest,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, quoted)
  .annotateMerge(described("Get a test", `With its expectations. ${quotedDescription}`))

const updateTest = HttpApiEndpoint.patch("updateTest", testPath, {
  params: ofTest,
  headers: IfMatch,
  payload: ChangePayload(TestPatch),
  success: OneTest,
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotate(AlsoRequires, quoted)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a test",
      description: `Absent fields stay; \`expectations\`, \`history\` and \`tags\` are replaced as a whole. ${quotedDescription} ${changeDescription}`,
    }),
  )

const deleteTest = HttpApiEndpoint.delete("deleteTest", testPath, {
  params: ofTest,
  success: Schema.Struct({ message: Schema.Literal("Test deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(described("Delete a test", "With its results."))

const TestFormat = Schema.Literals(["csv", "jsonl"]).annotate({
  description:
    "`csv`: a row for each test, its lists with a line for each element. `jsonl`: a test in each line, as the API has it.",
})

const exportTests = HttpApiEndpoint.get("exportTests", `${testsPath}/export`, {
  params: ofChatbot,
  query: { format: Schema.optionalKey(TestFormat) },
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
  error: Problem.NotFound,
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "chatbots:read")
  .annotate(AlsoRequires, quoted)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Export tests",
      description: `All of them, as a file. Default: \`csv\`. ${quotedDescription}`,
      transform: (operation) =>
        merge(operation, {
          responses: {
            200: { content: { "application/jsonl": { schema: { type: "string" } } } },
          },
        }),
    }),
  )

export const TestImportForm = Schema.Struct({
  file: FormFile.annotate({ description: "A file of at most 20 MiB: CSV or JSONL." }),
})

const importTests = HttpApiEndpoint.post("importTests", `${testsPath}/import`, {
  params: ofChatbot,
  payload: TestImportForm.pipe(HttpApiSchema.asMultipartStream()),
  success: Schema.Struct({ import: TestImport }),
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Import tests",
      "From a file of a format of the export, which its name or its content tells. A test whose id, or whose question and history, a test of the chatbot has updates it.",
    ),
  )

const getTestPlan = HttpApiEndpoint.get("getTestPlan", planPath, {
  params: ofChatbot,
  success: OnePlan,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(described("Get the plan of the tests", "When they run by themselves, and who judges."))

const updateTestPlan = HttpApiEndpoint.patch("updateTestPlan", planPath, {
  params: ofChatbot,
  headers: IfMatch,
  payload: ChangePayload(TestPlanPatch),
  success: OnePlan,
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update the plan of the tests",
      description: `Absent fields stay. A plan that runs the second tier takes a key with \`chat\` as well. ${changeDescription}`,
    }),
  )

/** The endpoints that manage the tests of a chatbot. */
export class TestsApi extends HttpApiGroup.make("tests")
  .add(
    createTest,
    listTests,
    // Before the others, for their paths would match the id of a test.
    createTestOfReply,
    exportTests,
    importTests,
    getTest,
    updateTest,
    deleteTest,
    getTestPlan,
    updateTestPlan,
  )
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Tests", description: "What a chatbot is expected to find and to say." }))
  .middleware(Authorization)
  .middleware(Problems) {}
