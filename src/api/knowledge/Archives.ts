import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { ArchiveImport } from "../../domain/knowledge/Archive.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Problem } from "../failures/Problem.ts"
import { Idempotent, RequestBody, RequiredScope } from "../Middleware.ts"
import { described, slow } from "../parts/Annotations.ts"
import { FormFile } from "../parts/FormFile.ts"

const base = "/api/external/chatbot/:chatbotId/knowledge-base"
const params = { chatbotId: ChatbotId }

/** Downloads a knowledge base. The endpoint belongs to the group `knowledge`. */
export const exportKnowledge = HttpApiEndpoint.get("exportKnowledge", `${base}/export`, {
  params,
  success: HttpApiSchema.StreamUint8Array({ contentType: "application/zip" }),
  error: Problem.NotFound,
})
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Export a knowledge base",
      "A zip of the documents' files, the sources, and the questions, for an import elsewhere.",
    ),
  )

/** The multipart form of `importKnowledge`. */
export const ArchiveForm = Schema.Struct({
  file: FormFile.annotate({ description: "An export of a knowledge base, at most ten times as large as a document." }),
})

/** Adds an export to a knowledge base. The endpoint belongs to the group `knowledge`. */
export const importKnowledge = HttpApiEndpoint.post("importKnowledge", `${base}/import`, {
  params,
  payload: ArchiveForm.pipe(HttpApiSchema.asMultipartStream()),
  success: Schema.Struct({ imported: ArchiveImport }),
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Import a knowledge base",
      "Adds what an export holds: nothing is replaced, and what is there already is not added twice, so that an import that was cut off can be repeated. Sources go on by their schedules.",
    ),
  )
