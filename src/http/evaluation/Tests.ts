import { Effect, FileSystem } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestImportForm } from "../../api/evaluation/Tests.ts"
import { ChatbotTest, TestPatch } from "../../domain/evaluation/ChatbotTest.ts"
import { TestPlan, TestPlanPatch } from "../../domain/evaluation/TestRun.ts"
import { IMPORT_MAX_BYTES } from "../../domain/knowledge/Question.ts"
import { testFormats } from "../../services/evaluation/files/TestFiles.ts"
import { Tests } from "../../services/evaluation/Tests.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { paged } from "../Listing.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { group } from "../Group.ts"

const testChange = changes(ChatbotTest, TestPatch, ["expectations"])
/** The content types and names of exported files. */
const files = {
  csv: { contentType: "text/csv; charset=utf-8", name: "tests.csv" },
  jsonl: { contentType: "application/jsonl", name: "tests.jsonl" },
}

const planChange = changes(TestPlan, TestPlanPatch)

export const layer = group("tests", function* (handlers) {
  const tests = yield* Tests
  const forms = yield* ReceivedForms
  const disk = yield* FileSystem.FileSystem

  return handlers.handleAll({
    createTest: ({ params, payload }) =>
      Effect.map(tests.create(params.chatbotId, payload), (test) => withEtag({ test }, test)),

    createTestOfReply: ({ params, payload }) =>
      Effect.map(tests.createOfReply(params.chatbotId, payload.message_id), (test) => withEtag({ test }, test)),

    listTests: ({ params, query: { query: text = "", tag = "", ...query } }) =>
      paged(query, (page) => tests.list(params.chatbotId, page, { text, tag })),

    getTest: ({ params }) => Effect.map(tests.get(params.chatbotId, params.testId), (test) => withEtag({ test }, test)),

    updateTest: ({ headers, params, payload }) =>
      Effect.map(tests.update(params.chatbotId, params.testId, testChange(payload), headers["if-match"]), (test) =>
        withEtag({ test }, test),
      ),

    deleteTest: ({ params }) =>
      Effect.as(tests.remove(params.chatbotId, params.testId), { message: "Test deleted successfully" as const }),

    exportTests: ({ params, query: { format = "csv" } }) =>
      Effect.map(tests.exported(params.chatbotId, testFormats[format]), (text) => {
        const { contentType, name } = files[format]
        const headers = { "content-disposition": `attachment; filename="${name}"` }
        return HttpServerResponse.stream(text, { contentType, headers })
      }),

    importTests: Effect.fnUntraced(function* ({ params, payload }) {
      const limits = { fileSize: IMPORT_MAX_BYTES, files: 1 }
      const received = Effect.flatMap(forms.receive(TestImportForm, payload, limits), ({ file }) =>
        Effect.map(Effect.orDie(disk.readFile(file.path)), (bytes) => ({ bytes, name: file.name })),
      )
      const { bytes, name } = yield* Effect.scoped(received)
      return { import: yield* tests.imported(params.chatbotId, name, bytes) }
    }),

    getTestPlan: ({ params }) => Effect.map(tests.plan(params.chatbotId), (row) => withEtag({ plan: row.plan }, row)),

    updateTestPlan: ({ headers, params, payload }) =>
      Effect.map(tests.updatePlan(params.chatbotId, planChange(payload), headers["if-match"]), (row) =>
        withEtag({ plan: row.plan }, row),
      ),
  })
})
