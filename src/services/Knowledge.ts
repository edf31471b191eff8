import { Context, Effect, Layer } from "effect"
import type { DocumentStatus } from "../domain/Document.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import { Retriever } from "../knowledge/Retriever.ts"
import * as ChatbotStorage from "../storage/chatbots/Chatbots.ts"
import { Documents } from "../storage/documents/Documents.ts"
import { Passages } from "../storage/documents/Passages.ts"
import { AfterCommit } from "../storage/sql/AfterCommit.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { Ingestion } from "../jobs/Ingestion.ts"
import { Shares } from "../admission/Shares.ts"

export type { Hit } from "../knowledge/Retriever.ts"

/** Manages the documents of chatbots and searches them. */
export class Knowledge extends Context.Service<Knowledge>()("parley/services/Knowledge", {
  make: Effect.gen(function* () {
    const retriever = yield* Retriever
    const chatbots = yield* ChatbotStorage.Chatbots
    const documents = yield* Documents
    const { ofDocument: passages } = yield* Passages
    const blobs = yield* Blobs
    const ingestion = yield* Ingestion
    const withinShare = (yield* Shares).within("searches")
    const afterCommit = yield* AfterCommit

    return {
      /**
       * Returns the passages that match a question, best first; none when no similarity reaches the threshold.
       */
      search: (chatbotId: ChatbotId, query: string, topK: number) =>
        withinShare(retriever.search({ chatbotId, query, topK })),

      /** Deletes a document, or all documents of the chatbot. */
      remove: Effect.fn("Knowledge.remove")(function* (chatbot: ChatbotId, id: DocumentId | "all") {
        yield* chatbots.get(chatbot)
        yield* documents.remove(chatbot, id)
        yield* blobs.collect
      }),

      get: documents.get,

      /** Returns the text of a document as searches find it, in reading order: so many passages, from a number on. */
      passages,

      /** Returns a page of the documents, oldest first, and their total number. */
      list: Effect.fn("Knowledge.list")(function* (chatbot: ChatbotId, page: Page, status: DocumentStatus | undefined) {
        yield* chatbots.get(chatbot)
        return yield* documents.list(chatbot, page, status)
      }),

      /** Queues a failed document for ingestion again. */
      retry: Effect.fn("Knowledge.retry")((chatbot: ChatbotId, id: DocumentId) =>
        Effect.tap(documents.retry(chatbot, id), () => afterCommit.run(ingestion.nudge)),
      ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
