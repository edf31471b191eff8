import { Array, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChunkId } from "../domain/Chunk.ts"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import { detectLanguage } from "../text/Language.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Embeddings, type TextRefused } from "../embeddings/Embeddings.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import type { Passage } from "./extract/Extraction.ts"
import { sketch } from "./segments/Sketch.ts"

/** One revision of a document, cut into chunks. */
export interface ChunkedDocument {
  readonly chatbotId: ChatbotId
  readonly documentId: DocumentId
  readonly revision: number
  readonly title: string
  readonly chunks: ReadonlyArray<Passage>
}

/** Chunks embedded and stored in one go, */
const CHUNKS_AT_ONCE = 128
/** and so many batches of a document under way: one is stored while the next is embedded. */
const BATCHES_AT_ONCE = 2

/** Makes a document searchable. */
export class Indexer extends Context.Service<
  Indexer,
  {
    /**
     * Embeds and stores the chunks. They are found once the document is moved to this revision, which is not done here.
     *
     * `NotFound` when the document was deleted meanwhile, `TextRefused` when the model does not take one of the chunks.
     *
     * @param onProgress told the share that is done, 0–1, after each batch
     */
    readonly index: (
      document: ChunkedDocument,
      onProgress: (done: number) => void,
    ) => Effect.Effect<void, NotFound | TextRefused | Unavailable, CurrentOrganization>
  }
>()("parley/knowledge/Indexer") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const chunks = yield* Chunks
      const embeddings = yield* Embeddings
      const random = yield* SecureRandom.SecureRandom

      const index = Effect.fn("Indexer.index")(function* (
        document: ChunkedDocument,
        onProgress: (done: number) => void,
      ) {
        const { chatbotId, documentId, revision, title } = document
        const language = detectLanguage(document.chunks.map((chunk) => chunk.text).join("\n"))
        let done = 0
        const store = Effect.fnUntraced(function* (batch: ChunkedDocument["chunks"]) {
          const vectors = yield* embeddings.embedDocuments(batch.map((chunk) => textToEmbed(title, chunk)))
          const rows = yield* Effect.forEach(Array.zip(batch, vectors), ([chunk, embedding]) =>
            Effect.map(random.uuidV7(), (id) => ({
              id: ChunkId.make(id),
              ordinal: chunk.ordinal,
              headings: chunk.headings,
              content: chunk.text,
              page: chunk.page,
              embedding,
              sketch: embeddings.isSemantic ? null : sketch(embedding),
            })),
          )
          yield* chunks.insert({
            chatbotId,
            documentId,
            revision,
            title,
            language,
            embeddingModel: embeddings.model,
            chunks: rows,
          })
          done += batch.length
          onProgress(done / document.chunks.length)
        })
        yield* Effect.forEach(Array.chunksOf(document.chunks, CHUNKS_AT_ONCE), store, {
          concurrency: BATCHES_AT_ONCE,
          discard: true,
        })
      })

      return { index }
    }),
  )
}

/** A passage alone often leaves out what it is about; its title and headings say it. */
export const textToEmbed = (
  title: string,
  chunk: { readonly headings: ReadonlyArray<string>; readonly text: string },
): string => `${[title, ...chunk.headings].join(" > ")}\n\n${chunk.text}`
