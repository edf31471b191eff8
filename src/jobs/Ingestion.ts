import { Array, Cause, Context, Duration, Effect, Latch, Layer, PubSub, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { BlobStore } from "../blobs/BlobStore.ts"
import type { DocumentError } from "../domain/Document.ts"
import { detect, DETECT_LAST_BYTES } from "../domain/Formats.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { DocumentId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Extract } from "../knowledge/Extract.ts"
import { Indexer } from "../knowledge/Indexer.ts"
import { type Ingestion as Attempt, Ingestions } from "../storage/Ingestions.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { Blobs } from "../blobs/Blobs.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** How often an idle worker looks whether another process left it something. */
const POLL_INTERVAL = Duration.seconds(1)
/** Wait before the second attempt, doubled for each further one. */
const RETRY_DELAY = Duration.seconds(2)
/** How often a document shows how far it is: a short one is done before it has anything to show. */
const PROGRESS_INTERVAL = Duration.millis(250)
/** Share of the progress that lies before the first chunk is stored. */
const EXTRACTED = 0.2

export interface IngestionSettings {
  /** Documents worked on at once. */
  readonly concurrency: number
  /** Tries of one document that itself makes them fail, before it is given up. */
  readonly attempts: number
  /** Tries that may end because their process does, before the document is given up: it may be what kills them. */
  readonly lapses: number
  /** A document that was given up is tried anew after this, and after twice as long each time, */
  readonly retryDelay: Duration.Duration
  /** so often. */
  readonly retries: number
  /** How long an attempt may show no sign of life. */
  readonly lease: Duration.Duration
}

/** The document cannot become knowledge, however often it is tried. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { code: Schema.String, message: Schema.String }) {}

/** Another process has taken over, or the document is gone. */
class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/**
 * Turns queued files into searchable chunks: reads, splits, embeds, stores, and then publishes all of a document's
 * chunks at once. Works as long as it lives; several processes share one queue.
 */
export class Ingestion extends Context.Service<
  Ingestion,
  {
    /** Something was queued: look at once. */
    readonly nudge: Effect.Effect<void>
    /** Documents of which this process has ended an attempt, however it went. */
    readonly ended: PubSub.PubSub<DocumentId>
  }
>()("parley/jobs/Ingestion") {
  static readonly layer = (settings: IngestionSettings) =>
    Layer.effect(
      Ingestion,
      Effect.gen(function* () {
        const ingestions = yield* Ingestions
        const extract = yield* Extract
        const indexer = yield* Indexer
        const store = yield* BlobStore
        const blobs = yield* Blobs
        const random = yield* SecureRandom.SecureRandom
        const bell = yield* Latch.make(false)
        const ended = yield* PubSub.unbounded<DocumentId>()

        const report = Effect.fnUntraced(function* (attempt: Attempt, state: State) {
          const held = yield* ingestions.progress(attempt, { ...state, lease: settings.lease })
          if (!held) return yield* new LeaseLost()
        })

        const beat = Duration.divideUnsafe(settings.lease, 3)
        const look = Duration.min(PROGRESS_INTERVAL, beat)
        const looksPerBeat = Math.floor(Duration.toMillis(beat) / Duration.toMillis(look))

        /** Reports what has changed, and often enough to keep the lease what has not; ends when that is lost. */
        const showLife = (attempt: Attempt, state: () => State) => {
          let reported = state()
          let silent = 0
          return Effect.suspend(() => {
            silent++
            if (state() === reported && silent < looksPerBeat) return Effect.void
            reported = state()
            silent = 0
            return report(attempt, reported)
          }).pipe(Effect.delay(look), Effect.forever)
        }

        /** What the file says, in pieces. Neither its bytes nor its text as a whole are kept beside them. */
        const read = Effect.fnUntraced(function* (attempt: Attempt) {
          const bytes = yield* store.get(attempt.blob_key)
          const format = detect(attempt.name, bytes, bytes.subarray(-DETECT_LAST_BYTES))
          if (format === undefined) {
            return yield* refused("unsupported_format", "The file is of a kind that cannot be read.")
          }
          const { title, passages } = yield* extract.split({ format, name: attempt.name, bytes })
          if (passages.length === 0) return yield* refused("no_text", "The file has no text.")
          return { title, chunks: passages }
        })

        /** Stores the chunks of the attempt's revision, telling how far it is, and returns how many there are. */
        const ingest = Effect.fnUntraced(function* (attempt: Attempt, show: (state: State) => void) {
          const { title, chunks } = yield* read(attempt)
          show({ status: "embedding", progress: EXTRACTED })
          yield* indexer.index(
            {
              chatbotId: attempt.chatbot_id,
              documentId: attempt.document_id,
              revision: attempt.revision,
              title,
              chunks,
            },
            (done) => show({ status: "embedding", progress: EXTRACTED + (1 - EXTRACTED) * done }),
          )
          return chunks.length
        })

        /** It need not be the document's doing: again, much later, and not for ever. */
        const giveUp = Effect.fnUntraced(function* (attempt: Attempt, { code, message }: DocumentError) {
          yield* Effect.logWarning("A document is given up").pipe(
            Effect.annotateLogs({ document_id: attempt.document_id, code, given_up: attempt.given_up }),
          )
          const delay = Duration.times(settings.retryDelay, 2 ** attempt.given_up)
          yield* attempt.given_up < settings.retries
            ? ingestions.putOff(attempt, { code, message }, delay)
            : ingestions.fail(attempt, { code, message })
        })

        const run = Effect.fnUntraced(function* (attempt: Attempt) {
          if (attempt.lapses >= settings.lapses) {
            return yield* giveUp(attempt, {
              code: "gave_up",
              message: `Reading the file was cut off ${attempt.lapses} times.`,
            })
          }
          let current: State = { status: "extracting", progress: 0 }
          const count = yield* Effect.raceFirst(
            ingest(attempt, (state) => void (current = state)),
            showLife(attempt, () => current),
          )
          if (!(yield* ingestions.publish(attempt, count))) return yield* new LeaseLost()
        })

        const refuse = (attempt: Attempt, { code, message }: DocumentError) =>
          Effect.andThen(
            Effect.logInfo("A document cannot be read").pipe(
              Effect.annotateLogs({ document_id: attempt.document_id, code }),
            ),
            ingestions.fail(attempt, { code, message }),
          )

        /** What the document needs is out of reach, for which it can do nothing. */
        const postpone = (attempt: Attempt, { detail, retry_after_seconds }: Unavailable) =>
          Effect.logWarning("Ingestion waits", { document_id: attempt.document_id, detail }).pipe(
            Effect.andThen(ingestions.release(attempt, Duration.seconds(retry_after_seconds), false)),
          )

        /** A fault of ours, or a reader that ended: again, a while later, as long as there are tries. */
        const tryLater = (attempt: Attempt, cause: Cause.Cause<unknown>, last: DocumentError) =>
          Effect.gen(function* () {
            const tries = attempt.attempts + 1
            yield* Effect.logWarning("Ingestion was cut off", cause).pipe(
              Effect.annotateLogs({ document_id: attempt.document_id, attempt: tries }),
            )
            yield* tries >= settings.attempts
              ? giveUp(attempt, last)
              : ingestions.release(attempt, Duration.times(RETRY_DELAY, 2 ** attempt.attempts), true)
          })

        const abandon = (attempt: Attempt) => Effect.ignore(ingestions.abandon(attempt))

        /** One attempt with whatever becomes of it. */
        const handle = (attempt: Attempt) =>
          run(attempt).pipe(
            Effect.catchTags({
              Refused: (error) => refuse(attempt, error),
              ExtractionFailed: (error) =>
                error.code === "extraction_crashed"
                  ? tryLater(attempt, Cause.fail(error), error)
                  : refuse(attempt, error),
              TextRefused: () =>
                refuse(attempt, {
                  code: "embedding_refused",
                  message: "The embedding model does not take a passage of the file.",
                }),
              BlobNotFound: () => refuse(attempt, { code: "file_missing", message: "The stored file is gone." }),
              // Somebody else has it, or it was deleted: there is nothing left to do.
              LeaseLost: () => abandon(attempt),
              NotFound: () => abandon(attempt),
              Unavailable: (error) => postpone(attempt, error),
            }),
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterruptsOnly(cause),
              (cause) => tryLater(attempt, cause, ingestionFailed),
            ),
            Effect.andThen(blobs.nudge),
            Effect.ensuring(PubSub.publish(ended, attempt.document_id)),
            // The process stops: somebody else, or the next start, goes on at once.
            Effect.onInterrupt(() => Effect.ignore(ingestions.release(attempt, Duration.zero, false))),
            Effect.provideService(CurrentOrganization, attempt.organization_id),
          )

        const next = Effect.gen(function* () {
          yield* bell.close
          const attempt = yield* ingestions.claim({ id: yield* random.uuidV4(), duration: settings.lease })
          yield* attempt === undefined ? Effect.timeoutOption(bell.await, POLL_INTERVAL) : handle(attempt)
        }).pipe(
          Effect.catchTag("Unavailable", ({ retry_after_seconds }) =>
            Effect.sleep(Duration.seconds(retry_after_seconds)),
          ),
          // A worker that ended would be missed by nobody, and never come back.
          Effect.catchDefect((defect) =>
            Effect.andThen(Effect.logError("Ingestion failed", defect), Effect.sleep(POLL_INTERVAL)),
          ),
        )

        if ((yield* DatabaseTraits).isAlone) yield* ingestions.releaseAll
        yield* Effect.forkScoped(
          withoutTimeLimit(
            Effect.forEach(Array.range(1, settings.concurrency), () => Effect.forever(next), {
              concurrency: "unbounded",
              discard: true,
            }),
          ),
        )

        return { nudge: Effect.asVoid(bell.open), ended }
      }),
    )
}

interface State {
  readonly status: "extracting" | "embedding"
  readonly progress: number
}

const ingestionFailed: DocumentError = {
  code: "ingestion_failed",
  message: "The file could not be processed. The server's log says why.",
}

const refused = (code: string, message: string) => Effect.fail(new Refused({ code, message }))
