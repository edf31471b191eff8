import { Duration, Effect, Layer } from "effect"
import { Embeddings, type TextRefused } from "../embeddings/Embeddings.ts"
import { textToEmbed } from "../knowledge/Indexer.ts"
import { sketch } from "../knowledge/segments/Sketch.ts"
import { type Reembedding, Reembeddings } from "../storage/documents/Reembeddings.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { FAULT_DELAY, persistently, regularly } from "../system/Background.ts"
import { LEASE, LeaseLost, makeWorker, type Verdict } from "./Worker.ts"

/** Time between two looks for chunks by other models. It is long because the setting changes seldom. */
const LOOK_INTERVAL = Duration.minutes(1)
/** Chunks that are embedded and stored together. */
const CHUNKS_AT_ONCE = 64
/** Delay of a document that the model refuses: it may accept the document another day. */
const REFUSED_DELAY = Duration.hours(6)

/**
 * Embeds all chunks again in the background after a change of the embedding model, document by document and batch by
 * batch. Several processes share the work, and another continues after the last batch of one that was killed.
 */
export const layer = (leaseFor = LEASE) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const reembeddings = yield* Reembeddings
      const embeddings = yield* Embeddings
      const { model } = embeddings
      const lease = Duration.fromInputUnsafe(leaseFor)

      /** Embeds a batch of the document's chunks, and returns false if none were left. */
      const embedSome = Effect.fnUntraced(function* (job: Reembedding) {
        const chunks = yield* reembeddings.outdated(job, model, CHUNKS_AT_ONCE)
        if (chunks.length === 0) return false
        const vectors = yield* embeddings.embedDocuments(
          chunks.map(({ title, headings, content }) => textToEmbed(title, { headings, text: content })),
        )
        const isStored = yield* reembeddings.store(
          job,
          model,
          chunks.flatMap(({ id }, index) => {
            const embedding = vectors[index]
            const sketched = embedding === undefined || embeddings.isSemantic ? null : sketch(embedding)
            return embedding === undefined ? [] : [{ id, embedding, sketch: sketched }]
          }),
        )
        return isStored ? true : yield* new LeaseLost()
      })

      const worker = yield* makeWorker({
        name: "Embedding again",
        metricsName: "embedding",
        labels: ({ document_id }: Reembedding) => ({ document_id }),
        queue: { ...reembeddings, claim: (lease) => reembeddings.claim(model, lease) },
        concurrency: 1,
        lease,
        untilDue: (bell) => Effect.timeoutOption(bell.await, LOOK_INTERVAL),
        attempt: (job) => ({
          work: Effect.repeat(embedSome(job), { while: (goesOn) => goesOn }),
          renew: reembeddings.renew(job, lease),
          finish: () => reembeddings.finish(job, model),
        }),
        judge: ({ reason = "" }: TextRefused): Verdict<never> => ({
          is: "early",
          delay: REFUSED_DELAY,
          detail: `The embedding model does not take a passage of the document. ${reason}`,
        }),
        backOff: () => FAULT_DELAY,
        waitsForAll: true,
      })

      const look = Effect.gen(function* () {
        const documents = yield* reembeddings.enqueue(model)
        if (documents === 0) return
        yield* Effect.logInfo("Documents are embedded again", { documents, model })
        yield* worker.nudge
      })

      const warning = "Embedding again waits"
      yield* persistently(warning, reembeddings.declare(model)).pipe(
        Effect.andThen(Effect.all([regularly(LOOK_INTERVAL, warning, look), worker.run], { concurrency: 2 })),
        withoutTimeLimit,
        Effect.forkScoped,
      )
    }),
  )
