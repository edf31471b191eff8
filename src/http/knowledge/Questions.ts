import { Effect, FileSystem } from "effect"
import { HttpServerResponse } from "effect/http"
import { ImportForm } from "../../api/knowledge/Questions.ts"
import { IMPORT_MAX_BYTES, Question, QuestionPatch } from "../../domain/knowledge/Question.ts"
import { Questions } from "../../services/knowledge/questions/Questions.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { paged } from "../Listing.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { group } from "../Group.ts"

const questionChange = changes(Question, QuestionPatch)

const exportHeaders = { "content-disposition": 'attachment; filename="questions.csv"' }

export const layer = group("questions", function* (handlers) {
  const questions = yield* Questions
  const forms = yield* ReceivedForms
  const files = yield* FileSystem.FileSystem

  return handlers.handleAll({
    createQuestion: ({ params, payload }) =>
      Effect.map(questions.create(params.chatbotId, params.sourceId, payload), (question) =>
        withEtag({ question }, question),
      ),

    listQuestions: ({ params, query: { query: text = "", ...query } }) =>
      paged(query, (page) => questions.list(params.chatbotId, params.sourceId, page, text)),

    getQuestion: ({ params }) =>
      Effect.map(questions.get(params.chatbotId, params.sourceId, params.questionId), (question) =>
        withEtag({ question }, question),
      ),

    updateQuestion: ({ headers, params, payload }) =>
      Effect.map(
        questions.update(
          params.chatbotId,
          params.sourceId,
          params.questionId,
          questionChange(payload),
          headers["if-match"],
        ),
        (question) => withEtag({ question }, question),
      ),

    deleteQuestion: ({ params }) =>
      Effect.as(questions.remove(params.chatbotId, params.sourceId, params.questionId), {
        message: "Question deleted successfully" as const,
      }),

    exportQuestions: ({ params }) =>
      Effect.map(questions.exported(params.chatbotId, params.sourceId), (text) =>
        HttpServerResponse.stream(text, { contentType: "text/csv; charset=utf-8", headers: exportHeaders }),
      ),

    importQuestions: Effect.fnUntraced(function* ({ params, payload }) {
      const limits = { fileSize: IMPORT_MAX_BYTES, files: 1 }
      const received = Effect.flatMap(forms.receive(ImportForm, payload, limits), ({ file }) =>
        Effect.orDie(files.readFile(file.path)),
      )
      const bytes = yield* Effect.scoped(received)
      return { import: yield* questions.imported(params.chatbotId, params.sourceId, bytes) }
    }),
  })
})
