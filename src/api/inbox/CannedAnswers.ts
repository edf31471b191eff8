import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  CANNED_ANSWERS_MAX,
  CannedAnswer,
  CannedAnswerId,
  CannedAnswerInput,
  CannedAnswerPatch,
} from "../../domain/inbox/CannedAnswer.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described } from "../parts/Annotations.ts"

const path = "/api/external/chatbot/:chatbotId/canned-answers"
const ofChatbot = { chatbotId: ChatbotId }
const ofAnswer = { ...ofChatbot, answerId: CannedAnswerId }
const One = Schema.Struct({ canned_answer: CannedAnswer })

const list = HttpApiEndpoint.get("list", path, {
  params: ofChatbot,
  success: Schema.Struct({ canned_answers: Schema.Array(CannedAnswer) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(described("List canned answers", "By shortcut."))

const create = HttpApiEndpoint.post("create", path, {
  params: ofChatbot,
  payload: CannedAnswerInput,
  success: One.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(
    described("Create a canned answer", `409 when the shortcut is taken, or the chatbot has ${CANNED_ANSWERS_MAX}.`),
  )

const update = HttpApiEndpoint.patch("update", `${path}/:answerId`, {
  params: ofAnswer,
  payload: CannedAnswerPatch,
  success: One,
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(described("Update a canned answer", "Absent fields stay."))

const remove = HttpApiEndpoint.delete("remove", `${path}/:answerId`, {
  params: ofAnswer,
  success: Schema.Struct({ message: Schema.Literal("Canned answer deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(described("Delete a canned answer", "Messages that were made of it stay."))

/** The endpoints of the texts that people send often. */
export class CannedAnswersApi extends HttpApiGroup.make("cannedAnswers")
  .add(list, create, update, remove)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Canned answers", description: "Texts that people send often." }))
  .middleware(Authorization)
  .middleware(Problems) {}
