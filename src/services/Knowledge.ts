import { Context, Effect, Layer } from "effect"
import type { Document, DocumentStatus } from "../domain/Document.ts"
import type { Caller } from "../domain/Caller.ts"
import type { Conflict, NotFound, TooManyAtOnce, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { type Hit, Retriever } from "../knowledge/Retriever.ts"
import * as ChatbotStorage from "../storage/chatbots/Chatbots.ts"
import { Documents } from "../storage/documents/Documents.ts"
import { AfterCommit } from "../storage/sql/AfterCommit.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { Ingestion } from "../jobs/Ingestion.ts"
import { Shares } from "../admission/Shares.ts"

export type { Hit } from "../knowledge/Retriever.ts"

/** Manages the documents of chatbots and searches them. */
export class Knowledge extends Context.Service<
  Knowledge,
  {
    /**
     * Returns the passages that match a question, best first, without those whose similarity is below the threshold.
     */
    readonly search: (
      chatbot: ChatbotId,
      query: string,
      limit: number,
    ) => Effect.Effect<
      { readonly hits: ReadonlyArray<Hit>; readonly threshold: number },
      NotFound | TooManyAtOnce | Unavailable,
      Caller | CurrentOrganization
    >
    /** Deletes a document, or all documents of the chatbot. */
    readonly remove: (
      chatbot: ChatbotId,
      id: DocumentId | "all",
    ) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
    readonly get: (
      chatbot: ChatbotId,
      id: DocumentId,
    ) => Effect.Effect<Document, NotFound | Unavailable, CurrentOrganization>
    /** Returns a page of the documents, oldest first, and their total number. */
    readonly list: (
      chatbot: ChatbotId,
      page: Page,
      status: DocumentStatus | undefined,
    ) => Effect.Effect<
      { readonly documents: ReadonlyArray<Document>; readonly total: number },
      NotFound | Unavailable,
      CurrentOrganization
    >
    /** Queues a failed document for ingestion again. */
    readonly retry: (
      chatbot: ChatbotId,
      id: DocumentId,
    ) => Effect.Effect<Document, NotFound | Conflict | Unavailable, CurrentOrganization>
  }
>()("parley/services/Knowledge") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const retriever = yield* Retriever
      const chatbots = yield* ChatbotStorage.Chatbots
      const documents = yield* Documents
      const blobs = yield* Blobs
      const ingestion = yield* Ingestion
      const withinShare = (yield* Shares).within("searches")
      const afterCommit = yield* AfterCommit

      const list = Effect.fn("Knowledge.list")(function* (
        chatbot: ChatbotId,
        page: Page,
        status: DocumentStatus | undefined,
      ) {
        yield* chatbots.get(chatbot)
        return yield* documents.list(chatbot, page, status)
      })

      const remove = Effect.fn("Knowledge.remove")(function* (chatbot: ChatbotId, id: DocumentId | "all") {
        yield* chatbots.get(chatbot)
        yield* documents.remove(chatbot, id)
        yield* blobs.collect
      })

      const retry = Effect.fn("Knowledge.retry")((chatbot: ChatbotId, id: DocumentId) =>
        Effect.tap(documents.retry(chatbot, id), () => afterCommit.run(ingestion.nudge)),
      )

      return {
        search: (chatbotId, query, topK) => withinShare(retriever.search({ chatbotId, query, topK })),
        remove,
        get: documents.get,
        list,
        retry,
      }
    }),
  )
}
