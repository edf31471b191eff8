import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Document } from "../../domain/knowledge/Document.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, slow } from "../parts/Annotations.ts"
import { FormFiles } from "../parts/FormFile.ts"
import { Idempotent, RequestBody, RequiredScope } from "../Middleware.ts"
import { Prefer } from "../parts/Prefer.ts"
import { Problem } from "../failures/Problem.ts"

export const UploadForm = Schema.Struct({
  chatbotId: ChatbotId,
  files: FormFiles.annotate({
    description:
      "1 to 10 files, each at most 25 MiB: pdf, docx, pptx, xlsx, xls, odt, odp, ods, rtf, epub, html, md, txt, csv, json, xml, ipynb, eml, msg, srt, vtt, told by extension and content.",
  }),
})

/** The response with status 200: every file is searchable, or has failed with its reason. */
export class UploadFinished extends Schema.Class<UploadFinished>("UploadFinished")(
  {
    message: Schema.String,
    documents: Schema.Array(Document),
  },
  { description: "Every file is searchable, or has failed with its reason." },
) {}

/** The response with status 202: some files are still being processed, as the `status` of their documents says. */
export class UploadAccepted extends Schema.Class<UploadAccepted>("UploadAccepted")(
  { message: Schema.String, documents: Schema.Array(Document) },
  { httpApiStatus: 202, description: "Some files are still being processed; `status` of each document tells." },
) {}

/** Adds files to a knowledge base. The endpoint belongs to the group `knowledge`. */
export const upload = HttpApiEndpoint.post("upload", "/api/embedfiles", {
  headers: Prefer,
  payload: UploadForm.pipe(HttpApiSchema.asMultipartStream()),
  success: [UploadFinished, UploadAccepted],
  error: [Problem.NotFound, Problem.QuotaReached, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.upload))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Upload knowledge base files",
      "Answers 200 when every file is searchable or has failed with its reason, else 202. The same bytes uploaded again to the same chatbot return the existing document with `duplicate: true`.",
    ),
  )
