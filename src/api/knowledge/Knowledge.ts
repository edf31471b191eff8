import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Chatbot } from "../../domain/chatbot/Chatbot.ts"
import {
  Document,
  DocumentPassage,
  DocumentSort,
  DocumentState,
  DocumentStatus,
} from "../../domain/knowledge/Document.ts"
import { ChatbotId, DocumentId, optionalId } from "../../domain/Ids.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, slow } from "../parts/Annotations.ts"
import { exportKnowledge, importKnowledge } from "./Archives.ts"
import { upload } from "./Uploads.ts"
import { FormFile } from "../parts/FormFile.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { query, suggestSynonyms } from "./KnowledgeSearch.ts"
import { integer, pageQuery } from "../parts/Paging.ts"
import { Prefer } from "../parts/Prefer.ts"
import { textUpTo } from "../../domain/schema/Text.ts"
import { Problem } from "../failures/Problem.ts"

const base = "/api/external/chatbot/:chatbotId"
const params = { chatbotId: ChatbotId }
const documentParams = { chatbotId: ChatbotId, documentId: DocumentId }

/** A chatbot as the operations of its knowledge base show it. */
const KnowledgeChatbot = Chatbot.mapFields(
  Struct.pick([
    "id",
    "name",
    "description",
    "slug",
    "active",
    "is_public",
    "created_at",
    "updated_at",
    "organization_id",
    "personality_config",
    "settings",
    "llm_api_key",
  ]),
).annotate({ identifier: "KnowledgeChatbot" })

const Overview = Schema.Struct({ chatbot: KnowledgeChatbot })

/** The response with status 200: searches find the new content. */
export class ReplaceFinished extends Schema.Class<ReplaceFinished>("ReplaceFinished")(
  { chatbot: KnowledgeChatbot },
  { description: "The new content answers searches." },
) {}

/** The response with status 202: searches find the old content until the document's `status` is `ready`. */
export class ReplaceAccepted extends Schema.Class<ReplaceAccepted>("ReplaceAccepted")(
  { chatbot: KnowledgeChatbot },
  {
    httpApiStatus: 202,
    description: "The old content still answers searches; `status` of the document tells when the new does.",
  },
) {}

const overview = HttpApiEndpoint.get("overview", `${base}/knowledge-base`, {
  params,
  success: Overview,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Knowledge base of a chatbot",
      "The chatbot only; its documents are listed at `/knowledge-base/documents`.",
    ),
  )

export const ReplaceForm = Schema.Struct({ documentId: DocumentId, file: FormFile })

const replace = HttpApiEndpoint.patch("replace", `${base}/knowledge-base`, {
  params,
  query: {
    id: optionalId(DocumentId, "The document once more; must equal `documentId` when sent."),
  },
  headers: Prefer,
  payload: ReplaceForm.pipe(HttpApiSchema.asMultipartStream()),
  success: [ReplaceFinished, ReplaceAccepted],
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached, Problem.UnreadableDocument, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.upload))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Replace a document",
      "The old content answers searches until the new content is ready, then none of it does. When the new file cannot be read the old content stays, and the answer (422) or the document's `error` says why. 409 for a document of a source.",
    ),
  )

const removeData = HttpApiEndpoint.delete("removeData", `${base}/knowledge-base`, {
  params,
  query: {
    id: optionalId(DocumentId, "Delete this document."),
    all: Schema.optionalKey(
      Schema.Literals(["true", "false"]).annotate({ description: "`true` deletes every document of the chatbot." }),
    ),
  },
  success: Overview,
  error: Problem.NotFound,
})
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Delete knowledge base data",
      "Exactly one of `id` and `all=true`. Text, vectors and files are gone when it answers. A source that is a text is deleted with its document. After `all=true` the other sources stay, without questions, and their next run reads every page anew.",
    ),
  )

const listDocuments = HttpApiEndpoint.get("listDocuments", `${base}/knowledge-base/documents`, {
  params,
  query: {
    ...pageQuery,
    status: Schema.optionalKey(DocumentStatus.annotate({ description: "Documents of this status only." })),
    state: Schema.optionalKey(
      DocumentState.annotate({
        description:
          "`in_progress`: documents that are neither ready nor failed. `failed`: those that failed, and ready ones whose replacement failed.",
      }),
    ),
    search: Schema.optionalKey(
      textUpTo(200).annotate({ description: "A part of the name, of the address, or of the source's name." }),
    ),
    sort: Schema.optionalKey(DocumentSort.annotate({ description: "What the documents are in the order of." })),
    order: Schema.optionalKey(Schema.Literals(["asc", "desc"]).annotate({ description: "Default: `asc`." })),
  },
  success: Schema.Struct({ data: Schema.Array(Document), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(described("List documents", "Oldest first, unless `sort` or `order` says otherwise."))

const getDocument = HttpApiEndpoint.get("getDocument", `${base}/knowledge-base/documents/:documentId`, {
  params: documentParams,
  success: Schema.Struct({ document: Document }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Get a document",
      "Its `status` and `progress` tell how far it has been read; `error` says why it failed.",
    ),
  )

const removeDocument = HttpApiEndpoint.delete("removeDocument", `${base}/knowledge-base/documents/:documentId`, {
  params: documentParams,
  success: Schema.Struct({ message: Schema.Literal("Document deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(described("Delete a document", "With its text, vectors and file: they are gone when it answers."))

/** The most passages on a page. */
const PASSAGES_MAX = 100

const passages = HttpApiEndpoint.get("passages", `${base}/knowledge-base/documents/:documentId/passages`, {
  params: documentParams,
  query: {
    limit: Schema.optionalKey(integer(1, PASSAGES_MAX, { description: "Passages on a page, at most.", default: 20 })),
    cursor: Schema.optionalKey(
      integer(1, 2_147_483_647, {
        description: "`next_cursor` of the page before: the number of the first passage of this page.",
      }),
    ),
  },
  success: Schema.Struct({
    passages: Schema.Array(DocumentPassage),
    total: Schema.Int.annotate({ description: "Passages of the document." }),
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "The cursor of the next page; null on the last page.",
    }),
  }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "Read the passages of a document",
      "The text as searches find it, in reading order. While a replacement is being read, these are the passages of the old content; a document that was never ready has none.",
    ),
  )

const retryDocument = HttpApiEndpoint.post("retryDocument", `${base}/knowledge-base/documents/:documentId/retry`, {
  params: documentParams,
  success: Schema.Struct({ document: Document }).pipe(HttpApiSchema.status(202)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(described("Try a failed document again", "409 when it has not failed."))

/** The endpoints of knowledge bases: operations 10 to 14 of the source specification, and those of documents. */
export class KnowledgeApi extends HttpApiGroup.make("knowledge")
  .add(
    query,
    suggestSynonyms,
    overview,
    replace,
    removeData,
    upload,
    listDocuments,
    getDocument,
    removeDocument,
    passages,
    retryDocument,
    exportKnowledge,
    importKnowledge,
  )
  .annotateMerge(OpenApi.annotations({ title: "Knowledge", description: "Documents and the search in them." }))
  .middleware(Authorization)
  .middleware(Problems) {}
