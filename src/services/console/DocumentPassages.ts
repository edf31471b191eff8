import { Context, Effect, Layer } from "effect"
import type { NotFound, Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type PassagePage, Passages } from "../../storage/documents/Passages.ts"

/** The text of documents as searches find it. */
export class DocumentPassages extends Context.Service<
  DocumentPassages,
  {
    /** Returns passages of a document in reading order: so many, from this number on. */
    readonly read: (
      chatbot: ChatbotId,
      document: DocumentId,
      range: { readonly from: number; readonly limit: number },
    ) => Effect.Effect<PassagePage, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/services/console/DocumentPassages") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Passages, ({ ofDocument }) => ({ read: ofDocument })),
  )
}
