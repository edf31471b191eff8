import { Array, type Duration, Effect, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChunkId } from "../domain/knowledge/Chunk.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Service } from "../domain/Service.ts"
import { bounded, type BoundedText } from "../text/BoundedText.ts"
import { detectLanguage, SAMPLE_CHARACTERS } from "../language/Detection.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { Chunks } from "../storage/search/Chunks.ts"
import { NO_MODEL } from "../storage/documents/ChunkVectors.ts"
import type { Passage } from "../readers/extract/Extraction.ts"
import { sketch } from "./segments/Sketch.ts"

/** One revision of a document, split into chunks. */
interface ChunkedDocument {
  readonly chatbotId: ChatbotId
  readonly documentId: DocumentId
  readonly revision: number
  readonly title: string
  readonly chunks: ReadonlyArray<Passage>
}

interface IndexOptions {
  /** Called after each batch with the share of the chunks that are stored with their vectors, 0–1. */
  readonly onProgress: (share: number) => void
  /** Called with the reason, in sentences for people, before it waits or fails because the embedding model does not answer. */
  readonly onWait?: (reason: string) => void
  /**
   * Lets searches find the document by its words where vectors of meaning are not there after some time. All of its chunks
   * are stored by then. Without it, the chunks are stored with their vectors only.
   */
  readonly serveWords?: {
    readonly after: Duration.Duration
    readonly serve: Effect.Effect<void, Unavailable, CurrentOrganization>
  }
}

/** Chunks that are embedded and stored together, with their ids once they are stored. */
interface Batch {
  readonly passages: ReadonlyArray<Passage>
  ids: ReadonlyArray<ChunkId>
}

/** Stands for a vector in the table, which requires one. */
const NO_VECTOR = Float32Array.of(0)

/** The number of chunks that are embedded and stored together. */
const BATCH_SIZE = 128
/** The number of batches in progress: one is stored while the next is embedded. */
const CONCURRENT_BATCHES = 2

/** The number of documents, the newest ones, whose languages help to recognize that of another. */
const DOCUMENTS_TO_COMPARE = 100
/** The number of chunks by which the language of a document is recognized: its beginning may be in another one. */
const CHUNKS_TO_SAMPLE = 8

/** Embeds and stores the chunks of documents. */
export class Indexer extends Service<Indexer>()("parley/knowledge/Indexer", function* () {
  const chunks = yield* Chunks
  const embeddings = yield* Embeddings
  const random = yield* SecureRandom.SecureRandom

  return {
    /**
     * Embeds and stores the chunks of a revision. Searches find them once `Ingestions.publish` has published it.
     *
     * Fails with `NotFound` when the document was deleted meanwhile, and with `TextRefused` when the embedding model
     * refuses one of the chunks.
     */
    index: Effect.fn("Indexer.index")(function* (
      document: ChunkedDocument,
      { onProgress, onWait, serveWords }: IndexOptions,
    ) {
      const { chatbotId, documentId, revision, title } = document
      const others = yield* chunks.languages(chatbotId, DOCUMENTS_TO_COMPARE)
      const language = detectLanguage(sampleOf(document.chunks), others)
      const batches = Array.chunksOf(document.chunks, BATCH_SIZE).map((passages): Batch => ({ passages, ids: [] }))
      const lock = yield* Semaphore.make(1)
      const insert = Effect.fnUntraced(function* (batch: Batch, vectors?: ReadonlyArray<Float32Array>) {
        const rows = yield* Effect.forEach(batch.passages, (chunk, index) =>
          Effect.map(random.uuidV7(), (id) => {
            const embedding = vectors?.[index] ?? NO_VECTOR
            return {
              id: ChunkId.make(id),
              ordinal: chunk.ordinal,
              headings: chunk.headings,
              content: chunk.text,
              page: chunk.page,
              embedding,
              sketch: embeddings.isSemantic ? null : sketch(embedding),
            }
          }),
        )
        const embeddingModel = vectors === undefined ? NO_MODEL : embeddings.model
        yield* chunks.insert({ chatbotId, documentId, revision, title, language, embeddingModel, chunks: rows })
        batch.ids = rows.map(({ id }) => id)
      })
      let done = 0
      const embed = Effect.fnUntraced(function* (batch: Batch) {
        const texts = batch.passages.map((chunk) => textToEmbed(title, chunk))
        const vectors = yield* Effect.tapErrorTag(
          embeddings.embedDocuments(texts, onWait),
          "Unavailable",
          ({ detail }) => Effect.sync(() => onWait?.(detail)),
        )
        const store = Effect.suspend(() =>
          batch.ids.length === 0
            ? insert(batch, vectors)
            : chunks.replaceVectors(
                documentId,
                embeddings.model,
                Array.zip(batch.ids, vectors).map(([id, embedding]) => ({ id, embedding, sketch: null })),
              ),
        )
        yield* Semaphore.withPermit(lock, store)
        done += batch.passages.length
        onProgress(done / document.chunks.length)
      })
      const embedAll = Effect.forEach(batches, embed, { concurrency: CONCURRENT_BATCHES, discard: true })
      if (serveWords === undefined || !embeddings.isSemantic) return yield* embedAll
      const storeWords = Effect.suspend(() =>
        Effect.forEach(
          batches.filter(({ ids }) => ids.length === 0),
          (batch) => insert(batch),
        ),
      ).pipe(Effect.andThen(serveWords.serve), (work) => Semaphore.withPermit(lock, work))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forkScoped(Effect.ignore(Effect.delay(storeWords, serveWords.after)))
          yield* Effect.tapErrorTag(embedAll, "Unavailable", () => Effect.ignore(storeWords))
        }),
      )
    }),
  }
}) {}

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
