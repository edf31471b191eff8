import { Cause, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Embeddings } from "../embeddings/Embeddings.ts"
import { textToEmbed } from "../knowledge/Indexer.ts"
import { sketch } from "../knowledge/segments/Sketch.ts"
import { type Reembedding, Reembeddings } from "../storage/Reembeddings.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { FAULT_DELAY, persistently, regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** How often it looks for chunks by other models: the setting changes seldom. */
const LOOK_INTERVAL = Duration.minutes(1)
/** Chunks embedded and stored in one go. */
const CHUNKS_AT_ONCE = 64
/** What the model does not take, it may take another day. */
const REFUSED_DELAY = Duration.hours(6)

export interface ReembeddingSettings {
  /** How long a document stays with a process that shows no sign of life. */
  readonly lease: Duration.Duration
}

/**
 * After a change of the embedding model, embeds what is there again, in the background, document by document and batch
 * by batch. Whoever is killed on the way, another goes on where it was; several processes share the work.
 */
export const layer = (settings: ReembeddingSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const reembeddings = yield* Reembeddings
      const embeddings = yield* Embeddings
      const random = yield* SecureRandom.SecureRandom
      const { model } = embeddings
      const { isAlone } = yield* DatabaseTraits

      /** Until nothing of it is outdated, or the lease is lost. */
      const embedAgain = (job: Reembedding) =>
        Effect.gen(function* () {
          const chunks = yield* reembeddings.outdated(job, model, CHUNKS_AT_ONCE)
          if (chunks.length === 0) {
            yield* reembeddings.finish(job, model)
            return false
          }
          const vectors = yield* embeddings.embedDocuments(
            chunks.map(({ title, headings, content }) => textToEmbed(title, { headings, text: content })),
          )
          return yield* reembeddings.store(
            job,
            model,
            chunks.flatMap(({ id }, index) => {
              const embedding = vectors[index]
              const sketched = embedding === undefined || embeddings.isSemantic ? null : sketch(embedding)
              return embedding === undefined ? [] : [{ id, embedding, sketch: sketched }]
            }),
          )
        }).pipe(Effect.repeat({ while: (goesOn) => goesOn }))

      const heartbeat = (job: Reembedding) =>
        reembeddings
          .renew(job, settings.lease)
          .pipe(Effect.delay(Duration.divideUnsafe(settings.lease, 3)), Effect.repeat({ while: (isHeld) => isHeld }))

      const giveBack = (job: Reembedding, delay: Duration.Duration) => Effect.ignore(reembeddings.release(job, delay))

      const handle = (job: Reembedding) =>
        Effect.raceFirst(embedAgain(job), heartbeat(job)).pipe(
          Effect.catchTags({
            TextRefused: () =>
              Effect.andThen(
                Effect.logWarning("The embedding model does not take a passage of a document"),
                giveBack(job, REFUSED_DELAY),
              ),
            Unavailable: ({ detail, retry_after_seconds }) => {
              const wait = Duration.seconds(retry_after_seconds)
              return Effect.logWarning("Embedding again waits", { detail }).pipe(
                Effect.andThen(giveBack(job, wait)),
                // The next document would fare no better.
                Effect.andThen(Effect.sleep(wait)),
              )
            },
          }),
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) =>
              Effect.andThen(Effect.logError("Embedding again was cut off", cause), giveBack(job, FAULT_DELAY)),
          ),
          Effect.onInterrupt(() => giveBack(job, Duration.zero)),
          Effect.annotateLogs({ document_id: job.document_id }),
          Effect.provideService(CurrentOrganization, job.organization_id),
          Effect.asVoid,
        )

      /** All that is queued. */
      const drain = Effect.gen(function* () {
        const job = yield* reembeddings.claim(model, { id: yield* random.uuidV4(), duration: settings.lease })
        if (job !== undefined) yield* handle(job)
        return job !== undefined
      }).pipe(Effect.repeat({ while: (found) => found }))

      const look = Effect.gen(function* () {
        const documents = yield* reembeddings.enqueue(model)
        if (documents > 0) yield* Effect.logInfo("Documents are embedded again", { documents, model })
        yield* drain
      })

      const begin = Effect.andThen(reembeddings.declare(model), isAlone ? reembeddings.releaseAll : Effect.void)
      const warning = "Embedding again waits"
      yield* persistently(warning, begin).pipe(
        Effect.andThen(regularly(LOOK_INTERVAL, warning, look)),
        withoutTimeLimit,
        Effect.forkScoped,
      )
    }),
  )
