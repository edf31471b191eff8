import { Clock, Effect, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { ReplaceAccepted, ReplaceFinished, ReplaceForm } from "../../api/knowledge/Knowledge.ts"
import { ArchiveForm } from "../../api/knowledge/Archives.ts"
import { Config } from "../../Config.ts"
import { isSettled } from "../../domain/knowledge/Document.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import { CurrentTimings, type Timings } from "../../observability/Border.ts"
import { Chatbots } from "../../services/chatbots/Chatbots.ts"
import { Archives } from "../../services/knowledge/Archives.ts"
import { Uploads } from "../../services/knowledge/Uploads.ts"
import { type ExplainedHit, type Hit, Knowledge } from "../../services/knowledge/Knowledge.ts"
import { serverTiming } from "../edge/ServerTiming.ts"
import { uploadHandler } from "./Uploads.ts"
import { UploadWaits, waitOf } from "./UploadWait.ts"
import { paged } from "../Listing.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { group } from "../Group.ts"

/** The largest archive that is imported, in sizes of the largest document: as large as the largest upload. */
const ARCHIVE_SIZE = 10
const TOP_K_DEFAULT = 5
const PASSAGES_DEFAULT = 20

export const layer = group("knowledge", function* (handlers) {
  const knowledge = yield* Knowledge
  const archives = yield* Archives
  const chatbots = yield* Chatbots
  const { fileLimit } = (yield* Config).uploads
  const waits = yield* UploadWaits
  const forms = yield* ReceivedForms
  const uploads = yield* Uploads
  const upload = yield* uploadHandler

  return handlers.handleAll({
    query: Effect.fnUntraced(function* ({ params, payload }) {
      const start = yield* Clock.monotonicTimeNanos
      const { explain = false, query, top_k = TOP_K_DEFAULT } = payload
      const found = explain
        ? Effect.map(knowledge.explain(params.chatbotId, query, top_k), ({ hits, leftOut, threshold }) => ({
            results: hits.map(explainedResultOf),
            left_out: leftOut.map(({ reason, ...hit }) => ({ ...explainedResultOf(hit), reason })),
            threshold,
          }))
        : Effect.map(knowledge.search(params.chatbotId, query, top_k), ({ hits, threshold }) => ({
            results: hits.map(resultOf),
            threshold,
          }))
      const timings: Timings = new Map()
      const { results, threshold, ...more } = yield* Effect.provideService(found, CurrentTimings, timings)
      timings.delete("search")
      const all = new Map([["search", Number((yield* Clock.monotonicTimeNanos) - start) / 1e6], ...timings])
      return HttpApiSchema.withHeaders({
        body: {
          results,
          similarity_threshold_setting: threshold,
          status: "OK" as const,
          total_docs: results.length,
          ...more,
        },
        headers: { "server-timing": serverTiming(all) },
      })
    }),

    suggestSynonyms: ({ params }) =>
      Effect.map(knowledge.suggestSynonyms(params.chatbotId), (suggestions) => ({
        suggestions: suggestions.map(([word, questions]) => ({
          word,
          questions: questions.length,
          latest_question: questions[0] ?? "",
        })),
      })),

    overview: ({ params }) => Effect.bindTo(chatbots.get(params.chatbotId), "chatbot"),

    replace: Effect.fnUntraced(function* ({ params, query, payload, headers }) {
      const settled = yield* Effect.scoped(
        Effect.gen(function* () {
          const limits = { fileSize: fileLimit, files: 1 }
          const { documentId, file } = yield* forms.receive(ReplaceForm, payload, limits)
          if (query.id !== undefined && query.id !== documentId) {
            return yield* InvalidRequest.at("query.id", "Expected the same document as in documentId")
          }
          return yield* uploads.replace(params.chatbotId, documentId, file)
        }),
      )
      const document = yield* settled(waitOf(headers.prefer, waits))
      const chatbot = yield* chatbots.get(params.chatbotId)
      return isSettled(document) ? new ReplaceFinished({ chatbot }) : new ReplaceAccepted({ chatbot })
    }),

    removeData: Effect.fnUntraced(function* ({ params, query }) {
      const all = query.all === "true"
      if (all === (query.id !== undefined)) {
        return yield* InvalidRequest.at("query", "Expected either id=<documentId> or all=true")
      }
      yield* knowledge.remove(params.chatbotId, query.id ?? "all")
      return { chatbot: yield* chatbots.get(params.chatbotId) }
    }),

    upload,

    listDocuments: ({ params, query }) => paged(query, (page) => knowledge.list(params.chatbotId, page, query)),

    getDocument: ({ params }) => Effect.bindTo(knowledge.get(params.chatbotId, params.documentId), "document"),

    removeDocument: ({ params }) =>
      Effect.as(knowledge.remove(params.chatbotId, params.documentId), {
        message: "Document deleted successfully" as const,
      }),

    passages: Effect.fnUntraced(function* ({ params, query: { cursor = 1, limit = PASSAGES_DEFAULT } }) {
      const range = { from: cursor, limit }
      const { passages, total } = yield* knowledge.passages(params.chatbotId, params.documentId, range)
      const last = passages.at(-1)?.chunk ?? total
      return { passages, total, next_cursor: last < total ? String(last + 1) : null }
    }),

    exportKnowledge: ({ params }) => Effect.map(archives.exported(params.chatbotId), archiveResponse),

    importKnowledge: Effect.fnUntraced(function* ({ params, payload }) {
      const limits = { fileSize: ARCHIVE_SIZE * fileLimit, files: 1 }
      const { file } = yield* forms.receive(ArchiveForm, payload, limits)
      return { imported: yield* archives.imported(params.chatbotId, file.path, fileLimit) }
    }, Effect.scoped),

    retryDocument: ({ params }) => Effect.bindTo(knowledge.retry(params.chatbotId, params.documentId), "document"),
  })
})

const archiveResponse = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  HttpServerResponse.stream(bytes, {
    contentType: "application/zip",
    headers: { "content-disposition": 'attachment; filename="knowledge-base.zip"', "cache-control": "no-store" },
  })

const resultOf = ({ content, ordinal, similarity, title }: Hit) => ({
  content: `Title: ${title}\nChunk: ${ordinal}\n\n${content}`,
  similarity,
})

const explainedResultOf = (hit: ExplainedHit) => ({
  ...resultOf(hit),
  document_id: hit.documentId,
  chunk: hit.ordinal,
  page: hit.page,
  url: hit.url,
  matched_words: hit.matchedWords,
  matched_synonyms: hit.matchedSynonyms,
  ranks: hit.ranks,
  reranked: hit.reranked ?? null,
  scores: hit.scores,
})
