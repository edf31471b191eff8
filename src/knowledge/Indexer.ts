import { Array, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChunkId } from "../domain/knowledge/Chunk.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import { bounded, type BoundedText } from "../text/BoundedText.ts"
import { detectLanguage, SAMPLE_CHARACTERS } from "../languages/Detection.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import type { Passage } from "./extract/Extraction.ts"
import { sketch } from "./segments/Sketch.ts"

/** One revision of a document, split into chunks. */
interface ChunkedDocument {
  readonly chatbotId: ChatbotId
  readonly documentId: DocumentId
  readonly revision: number
  readonly title: string
  readonly chunks: ReadonlyArray<Passage>
}

/** The number of chunks that are embedded and stored together. */
const BATCH_SIZE = 128
/** The number of batches in progress: one is stored while the next is embedded. */
const CONCURRENT_BATCHES = 2

/** The number of documents, the newest ones, whose languages help to recognize that of another. */
const DOCUMENTS_TO_COMPARE = 100
/** The number of chunks by which the language of a document is recognized: its beginning may be in another one. */
const CHUNKS_TO_SAMPLE = 8

/** Embeds and stores the chunks of documents. */
export class Indexer extends Context.Service<Indexer>()("parley/knowledge/Indexer", {
  make: Effect.gen(function* () {
    const chunks = yield* Chunks
    const embeddings = yield* Embeddings
    const random = yield* SecureRandom.SecureRandom

    return {
      /**
       * Embeds and stores the chunks of a revision. Searches find them once `Ingestions.publish` has published it.
       *
       * Fails with `NotFound` when the document was deleted meanwhile, and with `TextRefused` when the embedding model
       * refuses one of the chunks.
       *
       * @param onProgress called after each batch with the share of the chunks that are stored, 0–1
       */
      index: Effect.fn("Indexer.index")(function* (document: ChunkedDocument, onProgress: (share: number) => void) {
        const { chatbotId, documentId, revision, title } = document
        const others = yield* chunks.languages(chatbotId, DOCUMENTS_TO_COMPARE)
        const language = detectLanguage(sampleOf(document.chunks), others)
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
        yield* Effect.forEach(Array.chunksOf(document.chunks, BATCH_SIZE), store, {
          concurrency: CONCURRENT_BATCHES,
          discard: true,
        })
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Text from all parts of a document, of `SAMPLE_CHARACTERS` altogether. */
const sampleOf = (chunks: ReadonlyArray<Passage>): BoundedText => {
  const count = Math.min(CHUNKS_TO_SAMPLE, chunks.length)
  const texts = Array.makeBy(count, (index) => chunks[Math.floor((index * chunks.length) / count)]?.text ?? "")
  return bounded(texts.map((text) => text.slice(0, SAMPLE_CHARACTERS / count)).join("\n"))
}

/** The text of a chunk with its title and headings, which often name a subject that the chunk leaves out. */
export const textToEmbed = (
  title: string,
  chunk: { readonly headings: ReadonlyArray<string>; readonly text: string },
): string => `${[title, ...chunk.headings].join(" > ")}\n\n${chunk.text}`
