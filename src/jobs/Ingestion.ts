import { Context, Duration, Effect, Layer, PubSub, Schema } from "effect"
import { type BlobLost, BlobStore } from "../blobs/BlobStore.ts"
import type { Document, DocumentError } from "../domain/knowledge/Document.ts"
import { formatOfContentType } from "../domain/knowledge/Formats.ts"
import type { NotFound, QuotaReached } from "../domain/Errors.ts"
import type { DocumentId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import type { TextRefused } from "../embeddings/Embeddings.ts"
import { Extract, type ExtractionFailed, type ScanWaits } from "../readers/Extract.ts"
import { Indexer } from "../knowledge/Indexer.ts"
import { type Ingestion as Attempt, Ingestions } from "../storage/documents/Ingestions.ts"
import { Quotas } from "../storage/organizations/Quotas.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { atBorder } from "../observability/Border.ts"
import { jobs as metrics } from "../observability/Metrics.ts"
import { LEASE, makeWorker, type Verdict } from "./Worker.ts"

/** Progress of a document that is extracted, before its first chunk is stored: recognizing a scan takes longest. */
const EXTRACTED = 0.2
const RECOGNIZED = 0.8

export interface IngestionSettings {
  /** Documents that this process works on at once. */
  readonly concurrency: number
}

const defaultBounds = {
  /** Attempts that fail because of the document itself, before it is given up. */
  attempts: 3,
  /** Attempts that end with their process, which the document may kill: far more than servers are restarted meanwhile. */
  lapses: 50,
  /** After 1, 2, 4, 8 and 16 hours it is tried anew: an outage of a provider of embeddings may last that long. */
  retryDelay: Duration.hours(1),
  retries: 5,
  /** Time after which a new document is found by its words. Nearly all have their vectors by then, and are stored once only. */
  wordsAfter: Duration.seconds(3),
  lease: LEASE,
}
export type IngestionBounds = Readonly<typeof defaultBounds>
export const IngestionBounds: Context.Reference<IngestionBounds> = Context.Reference<IngestionBounds>(
  "parley/jobs/IngestionBounds",
  { defaultValue: () => defaultBounds },
)

/** What is published of a document with its chunks. */
interface Ingested {
  readonly count: number
  readonly omissions: Document["omissions"]
}

/** The document cannot become knowledge, so further attempts are useless. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { code: Schema.String, message: Schema.String }) {}

/**
 * Turns queued files into searchable chunks: reads, splits, embeds and stores them, and then publishes all chunks of a
 * document at once. It works in the background as long as the layer lives; several processes share one queue.
 */
export class Ingestion extends Context.Service<Ingestion>()("parley/jobs/Ingestion", {
  make: (settings: IngestionSettings) =>
    Effect.gen(function* () {
      const bounds = yield* IngestionBounds
      const lease = Duration.fromInputUnsafe(bounds.lease)
      const ingestions = yield* Ingestions
      const extract = yield* Extract
      const indexer = yield* Indexer
      const store = yield* BlobStore
      const blobs = yield* Blobs
      const quotas = yield* Quotas
      const ended = yield* PubSub.unbounded<DocumentId>()

      /** The beginnings of other documents of the chatbot. Scans are read without them as well. */
      const textsBeside = (attempt: Attempt) =>
        ingestions.beginnings(attempt.chatbot_id).pipe(
          Effect.provideService(CurrentOrganization, attempt.organization_id),
          Effect.orElseSucceed(() => []),
        )

      /** Reads the title and the passages of a file, which is never in this process's memory as a whole. */
      const read = Effect.fnUntraced(function* (attempt: Attempt, onProgress: (done: number) => void) {
        const content = yield* stage("fetch", store.open(attempt.blob_key))
        const format = formatOfContentType(attempt.content_type)
        if (format === undefined) {
          return yield* refused("unsupported_format", "The file is of a kind that cannot be read.")
        }
        const { omissions, passages, title } = yield* stage(
          "extract",
          extract.split({ format, name: attempt.name, content }, { texts: textsBeside(attempt), onProgress }),
        )
        if (passages.length === 0) return yield* refused("no_text", "The file has no text.")
        return { title, omissions, chunks: passages }
      }, Effect.scoped)

      /** Stores the chunks of a document, reports its progress, and returns what is published of it. */
      const ingest = Effect.fnUntraced(function* (attempt: Attempt, show: (change: Partial<State>) => void) {
        let extracted = EXTRACTED
        const { chunks, omissions, title } = yield* read(attempt, (done) => {
          extracted = RECOGNIZED
          show({ progress: RECOGNIZED * done })
        })
        yield* quotas.ensureRoom({ chunks: chunks.length - attempt.chunk_count })
        show({ status: "embedding", progress: extracted })
        yield* stage(
          "index",
          indexer.index(
            {
              chatbotId: attempt.chatbot_id,
              documentId: attempt.document_id,
              revision: attempt.revision,
              title,
              chunks,
            },
            {
              onProgress: (done) => show({ progress: extracted + (1 - extracted) * done, error: null }),
              onWait: (reason) => show({ error: { code: "embedding_waits", message: `${reason} ${GOES_ON}` } }),
              serveWords: {
                after: bounds.wordsAfter,
                // It is announced as a document that can be found, and only then as one that waits.
                serve: Effect.tap(
                  ingestions.serveWords(attempt, chunks.length),
                  Effect.sync(() => show({})),
                ),
              },
            },
          ),
        )
        return { count: chunks.length, omissions }
      })

      const worker = yield* makeWorker({
        name: "Ingestion",
        labels: ({ document_id }) => ({ document_id }),
        queue: ingestions,
        concurrency: settings.concurrency,
        lease,
        untilDue: ingestions.untilDue,
        attempt: (attempt, showSoon) => {
          let state: State = { status: "extracting", progress: 0, error: null }
          const renew = Effect.suspend(() => ingestions.progress(attempt, { ...state, lease }))
          const work = ingest(attempt, (change) => {
            state = { ...state, ...change }
            showSoon()
          })
          return {
            work: Effect.tapErrorTag(work, "Unavailable", () => Effect.ignore(renew)),
            renew,
            finish: ({ count, omissions }: Ingested) => stage("publish", ingestions.publish(attempt, count, omissions)),
          }
        },
        judge,
        givingUp: {
          ...bounds,
          ofLapses: ({ lapses }) => ({ code: "gave_up", message: `Reading the file was cut off ${lapses} times.` }),
          ofDefect: ingestionFailed,
          giveUp: (attempt, reason, delay) =>
            Effect.logWarning("A document is given up").pipe(
              Effect.annotateLogs({ code: reason.code, given_up: attempt.given_up }),
              Effect.andThen(ingestions.fail(attempt, reason, delay)),
            ),
          refuse: (attempt, reason) =>
            Effect.logInfo("A document cannot be read").pipe(
              Effect.annotateLogs({ code: reason.code }),
              Effect.andThen(ingestions.fail(attempt, reason)),
            ),
        },
        abandon: ingestions.abandon,
        ended: ({ document_id }) => Effect.andThen(blobs.nudge, PubSub.publish(ended, document_id)),
      })
      yield* Effect.forkScoped(worker.run)

      return {
        /** Wakes the worker, because a document was queued. */
        nudge: worker.nudge,

        /** Publishes the id of each document of which this process has ended an attempt, successful or not. */
        ended,
      }
    }),
}) {
  static readonly layer = (settings: IngestionSettings) => Layer.effect(this, this.make(settings))
}

/** Measures a stage of the ingestion of a document. */
const stage = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  atBorder(work, { span: `ingestion ${name}`, measure: (seconds) => metrics.stages(name).observe(seconds) })

interface State {
  readonly status: "extracting" | "embedding"
  readonly progress: number
  /** Why the document waits; null while it does not. */
  readonly error: DocumentError | null
}

const GOES_ON = "The document goes on by itself once it can."

const ingestionFailed: DocumentError = {
  code: "ingestion_failed",
  message: "The file could not be processed. The server's log says why.",
}

const refused = (code: string, message: string) => Effect.fail(new Refused({ code, message }))

type Failure = Refused | ExtractionFailed | ScanWaits | TextRefused | BlobLost | NotFound | QuotaReached

const judge = (failure: Failure): Verdict<DocumentError> => {
  switch (failure._tag) {
    case "Refused":
      return hopeless(failure)
    case "ExtractionFailed":
      return failure.code === "extraction_crashed" ? { is: "faulty", reason: reasonOf(failure) } : hopeless(failure)
    case "ScanWaits":
      return { is: "early", delay: failure.delay, detail: "Other scans are being read." }
    case "TextRefused":
      return hopeless({
        code: "embedding_refused",
        message: ["The embedding model does not take a passage of the file.", failure.reason ?? []].flat().join(" "),
      })
    case "BlobNotFound":
      return hopeless({ code: "file_missing", message: "The stored file is gone." })
    case "BlobDamaged":
      return hopeless({ code: "file_damaged", message: "The stored file is not what was uploaded." })
    case "QuotaReached":
      return hopeless({ code: "quota_reached", message: failure.detail })
    case "NotFound":
      return { is: "gone" }
  }
}

const reasonOf = ({ code, message }: DocumentError): DocumentError => ({ code, message })
const hopeless = (failure: DocumentError): Verdict<DocumentError> => ({ is: "hopeless", reason: reasonOf(failure) })
