import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatbotId } from "../../domain/Ids.ts"
import {
  IMPORT_ROWS_MAX,
  Question,
  QuestionId,
  QuestionImport,
  QuestionInput,
  QuestionPatch,
} from "../../domain/knowledge/Question.ts"
import { SourceId } from "../../domain/knowledge/Source.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { textUpTo } from "../../domain/schema/Text.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described, RequestCost, slow } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { FormFile } from "../parts/FormFile.ts"
import { pageQuery } from "../parts/Paging.ts"

const questionsPath = "/api/external/chatbot/:chatbotId/sources/:sourceId/questions"
const questionPath = `${questionsPath}/:questionId` as const
const ofSource = { chatbotId: ChatbotId, sourceId: SourceId }
const ofQuestion = { ...ofSource, questionId: QuestionId }

const OneQuestion = withEtag(Schema.Struct({ question: Question }))

const conflict =
  "409 when another question of the chatbot, or one of its variants, is the same but for case, blanks and punctuation."

const createQuestion = HttpApiEndpoint.post("createQuestion", questionsPath, {
  params: ofSource,
  payload: QuestionInput,
  success: OneQuestion.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Create a question",
      `A question with the answer that people have approved. A user who asks it, or one of its variants, gets this answer: from a model, which sees it before everything else, or word for word from \`local/extractive\`. It is a document as well, which searches find. ${conflict}`,
    ),
  )

const listQuestions = HttpApiEndpoint.get("listQuestions", questionsPath, {
  params: ofSource,
  query: {
    ...pageQuery,
    query: Schema.optionalKey(
      textUpTo(500).annotate({ description: "Questions only that hold this text, in themselves or in their answers." }),
    ),
  },
  success: Schema.Struct({ data: Schema.Array(Question), metadata: PageMetadata }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(described("List questions", "Oldest first. 409 when the source is not of kind `questions`."))

const getQuestion = HttpApiEndpoint.get("getQuestion", questionPath, {
  params: ofQuestion,
  success: OneQuestion,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(described("Get a question", "With its variants and its answer."))

const updateQuestion = HttpApiEndpoint.patch("updateQuestion", questionPath, {
  params: ofQuestion,
  headers: IfMatch,
  payload: ChangePayload(QuestionPatch),
  success: OneQuestion,
  error: [Problem.NotFound, Problem.Conflict, Problem.PreconditionFailed, Problem.QuotaReached],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:write")
  .annotate(AlsoRequires, ["knowledge:read"])
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a question",
      description: `Absent fields stay; \`variants\` are replaced as a whole. The key needs \`knowledge:read\` as well. ${conflict} ${changeDescription}`,
    }),
  )

const deleteQuestion = HttpApiEndpoint.delete("deleteQuestion", questionPath, {
  params: ofQuestion,
  success: Schema.Struct({ message: Schema.Literal("Question deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(described("Delete a question", "With its document. Deleting the document deletes the question, too."))

const exportQuestions = HttpApiEndpoint.get("exportQuestions", `${questionsPath}/export`, {
  params: ofSource,
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
  error: [Problem.NotFound, Problem.Conflict],
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Export questions",
      "A CSV file (RFC 4180, UTF-8 with a byte order mark) with the columns `question`, `answer` and `variants`, of which the last has a line for each variant. Cells that a spreadsheet would take for formulas begin with an apostrophe, which an import removes.",
    ),
  )

export const ImportForm = Schema.Struct({
  file: FormFile.annotate({ description: "A CSV file of at most 20 MiB." }),
})

const importQuestions = HttpApiEndpoint.post("importQuestions", `${questionsPath}/import`, {
  params: ofSource,
  payload: ImportForm.pipe(HttpApiSchema.asMultipartStream()),
  success: Schema.Struct({ import: QuestionImport }),
  error: [Problem.NotFound, Problem.Conflict, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Import questions",
      `At most ${IMPORT_ROWS_MAX.toLocaleString("en")} rows below a header with the columns \`question\`, \`answer\` and, where there are variants, \`variants\`: in any order, with a line for each variant or several columns whose names begin with \`variant\`. A row whose question the source has already updates it. Rows that are refused change nothing, and the answer says why. The file may be sent again: rows that were imported are then unchanged.`,
    ),
  )

/** The endpoints that manage the questions of a source. */
export class QuestionsApi extends HttpApiGroup.make("questions")
  .add(
    createQuestion,
    listQuestions,
    // Before the others, for their paths would match the id of a question.
    exportQuestions,
    importQuestions,
    getQuestion,
    updateQuestion,
    deleteQuestion,
  )
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Questions", description: "Questions with answers that people have approved." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
