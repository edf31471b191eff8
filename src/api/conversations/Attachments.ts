import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Attachment, AttachmentId } from "../../domain/chat/Attachment.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { described, IsCrossOrigin, slow } from "../parts/Annotations.ts"
import { FormFile } from "../parts/FormFile.ts"

/** The multipart form of an attachment. */
export const AttachmentForm = Schema.Struct({
  file: FormFile.annotate({
    description: "PNG, JPEG, WebP, GIF or PDF, told by its content, at most 10 MiB. PDFs with scripts are refused.",
  }),
})

const success = Schema.Struct({ attachment: Attachment }).pipe(HttpApiSchema.status(201))

const upload = HttpApiEndpoint.post("upload", "/api/external/chatbot/:chatbotId/attachments", {
  params: { chatbotId: ChatbotId },
  payload: AttachmentForm.pipe(HttpApiSchema.asMultipartStream()),
  success,
  error: [Problem.NotFound, Problem.QuotaReached, Problem.TooManyAtOnce, Problem.UnsafeFile],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.upload))
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(
    described(
      "Upload an attachment",
      "A message names it by its id. One that is not sent within a day is deleted, and a sent one with its conversation. It counts for the quota `bytes`. Nothing of it becomes knowledge of the chatbot.",
    ),
  )

/** Uploads a file as a visitor. The endpoint belongs to the group `widget`. */
export const uploadOfVisitor = HttpApiEndpoint.post("upload", "/api/widget/attachments", {
  payload: AttachmentForm.pipe(HttpApiSchema.asMultipartStream()),
  success,
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached, Problem.TooManyAtOnce, Problem.UnsafeFile],
})
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.upload))
  .annotateMerge(
    described(
      "Upload an attachment as a visitor",
      "Where the chatbot has `attachments` in its settings, else 403. `message.attachments` of a chat names it.",
    ),
  )

/** Serves an attachment without an API key. The endpoint belongs to the group `system`. */
export const attachment = HttpApiEndpoint.get("attachment", "/api/attachments/:attachmentId/:secret/:name", {
  params: {
    attachmentId: AttachmentId,
    secret: Schema.String.annotate({ description: "The unguessable part of its address." }),
    name: Schema.String.annotate({ description: "The file's name, which may be any." }),
  },
  success: HttpApiSchema.StreamUint8Array({ contentType: "*/*" }),
  error: Problem.NotFound,
})
  .annotate(IsCrossOrigin, true)
  .annotateMerge(
    described(
      "A file of a message",
      "Everyone who knows the address may read it. Browsers show images, download PDFs and execute nothing of either.",
    ),
  )

/** The endpoint by which people and programs upload files for messages. */
export class AttachmentsApi extends HttpApiGroup.make("attachments")
  .add(upload)
  .annotateMerge(OpenApi.annotations({ title: "Attachments", description: "Files of messages." }))
  .middleware(Authorization)
  .middleware(Problems) {}
