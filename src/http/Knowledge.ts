import { Clock, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import {
  ReplaceAccepted,
  ReplaceFinished,
  ReplaceForm,
  UploadAccepted,
  UploadFinished,
  UploadForm,
} from "../api/Knowledge.ts"
import { pageOf } from "../api/Paging.ts"
import { Config } from "../Config.ts"
import { ensureServes } from "../domain/Caller.ts"
import { type Document, isSettled } from "../domain/Document.ts"
import { InvalidRequest } from "../domain/Errors.ts"
import { pageMetadata } from "../domain/Page.ts"
import { Chatbots } from "../services/Chatbots.ts"
import { type Hit, Knowledge } from "../services/Knowledge.ts"
import { waitOf } from "./Prefer.ts"
import { Uploads } from "./Uploads.ts"

const DEFAULT_RESULTS = 5

export const layer = HttpApiBuilder.group(
  Api,
  "knowledge",
  Effect.fn(function* (handlers) {
    const knowledge = yield* Knowledge
    const chatbots = yield* Chatbots
    const settings = (yield* Config).uploads
    const uploads = yield* Uploads
    const limits = { fileSize: settings.fileLimit, files: settings.filesLimit }

    return handlers.handleAll({
      query: ({ params, payload }) =>
        Effect.gen(function* () {
          const start = yield* Clock.monotonicTimeNanos
          const { hits, threshold } = yield* knowledge.search(
            params.chatbotId,
            payload.query,
            payload.top_k ?? DEFAULT_RESULTS,
          )
          const milliseconds = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
          return HttpApiSchema.withHeaders({
            body: {
              results: hits.map((hit) => ({
                content: `Title: ${hit.title}\nChunk: ${hit.ordinal}\n\n${hit.content}`,
                similarity: hit.similarity,
                ...(payload.explain === true && explanationOf(hit)),
              })),
              similarity_threshold_setting: threshold,
              status: "OK" as const,
              total_docs: hits.length,
            },
            headers: { "server-timing": `search;dur=${milliseconds.toFixed(1)}` },
          })
        }),

      overview: ({ params }) => Effect.map(chatbots.get(params.chatbotId), (chatbot) => ({ chatbot })),

      replace: ({ params, query, payload, headers }) =>
        Effect.gen(function* () {
          const { documentId, file } = yield* uploads.receive(ReplaceForm, payload, { ...limits, files: 1 })
          if (query.id !== undefined && query.id !== documentId) {
            return yield* InvalidRequest.at("query.id", "Expected the same document as in documentId")
          }
          const document = yield* knowledge.replace(
            params.chatbotId,
            documentId,
            file,
            waitOf(headers.prefer, settings),
          )
          const chatbot = yield* chatbots.get(params.chatbotId)
          return isSettled(document) ? new ReplaceFinished({ chatbot }) : new ReplaceAccepted({ chatbot })
        }),

      removeData: ({ params, query }) =>
        Effect.gen(function* () {
          const all = query.all === "true"
          if (all === (query.id !== undefined)) {
            return yield* InvalidRequest.at("query", "Expected either id=<documentId> or all=true")
          }
          yield* knowledge.remove(params.chatbotId, query.id ?? "all")
          return { chatbot: yield* chatbots.get(params.chatbotId) }
        }),

      upload: ({ payload, headers }) =>
        Effect.gen(function* () {
          const { chatbotId, files } = yield* uploads.receive(UploadForm, payload, limits)
          yield* ensureServes(chatbotId)
          const documents = yield* knowledge.upload(chatbotId, files, waitOf(headers.prefer, settings))
          const body = { message: summary(documents), documents }
          return documents.every(isSettled) ? new UploadFinished(body) : new UploadAccepted(body)
        }),

      listDocuments: ({ params, query }) =>
        Effect.gen(function* () {
          const page = pageOf(query)
          const { documents, total } = yield* knowledge.list(params.chatbotId, page, query.status)
          return { data: documents, metadata: pageMetadata(page, total) }
        }),

      getDocument: ({ params }) =>
        Effect.map(knowledge.get(params.chatbotId, params.documentId), (document) => ({ document })),

      removeDocument: ({ params }) =>
        Effect.as(knowledge.remove(params.chatbotId, params.documentId), {
          message: "Document deleted successfully" as const,
        }),

      retryDocument: ({ params }) =>
        Effect.map(knowledge.retry(params.chatbotId, params.documentId), (document) => ({ document })),
    })
  }),
)

const explanationOf = ({ documentId, ordinal, page, scores }: Hit) => ({
  document_id: documentId,
  chunk: ordinal,
  page,
  scores,
})

/** "4 files uploaded: 2 ready, 1 failed, 1 already there" */
const summary = (documents: ReadonlyArray<Document>): string => {
  const states = Map.groupBy(documents, (document) => {
    if (!isSettled(document)) return "being processed"
    return document.duplicate && document.status === "ready" ? "already there" : document.status
  })
  const told = ["ready", "failed", "being processed", "already there"] as const
  const counts = told.flatMap((state) => {
    const number = states.get(state)?.length ?? 0
    return number === 0 ? [] : [`${number} ${state}`]
  })
  return `${documents.length} ${documents.length === 1 ? "file" : "files"} uploaded: ${counts.join(", ")}`
}
