import { Cause, Context, Duration, Effect, Latch, Layer, Semaphore, type Stream } from "effect"
import { BlobStore } from "./BlobStore.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { BlobGarbage } from "../storage/BlobGarbage.ts"
import { regularly } from "../system/Background.ts"

/** A blob whose owner has not committed after this time never gets one. Longer than any request lasts. */
const GRACE = Duration.hours(1)
const SWEEP_INTERVAL = Duration.minutes(1)
const SWEEP_WARNING = "The sweep of files was cut off"
const SWEEP_BATCH = 100
const REMOVED_AT_ONCE = 4
/** For one that cannot be deleted: it keeps none of the others. */
const RETRY_DELAY = Duration.minutes(10)
/** How long a request waits for the blobs that it made ownerless to be deleted; the next sweep goes on with the rest. */
const COLLECT_PATIENCE = Duration.seconds(5)
/** Blobs of one upload: most of the time that one takes is waiting for the disk, which brings several home at once. */
const WRITTEN_AT_ONCE = 4

export interface NewBlob<E, R> {
  readonly key: string
  readonly content: Stream.Stream<Uint8Array, E, R>
}

/**
 * Blobs together with the register of those that nobody owns: what is put here is either owned by a row that commits
 * within the grace, or it is swept away.
 */
export class Blobs extends Context.Service<
  Blobs,
  {
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>,
    ) => Effect.Effect<void, E | Unavailable, R>
    /** Some at a time. When one cannot be written, none gets an owner. */
    readonly putAll: <E, R>(blobs: ReadonlyArray<NewBlob<E, R>>) => Effect.Effect<void, E | Unavailable, R>
    /** Owners may be gone: the sweep deletes their blobs soon. */
    readonly nudge: Effect.Effect<void>
    /** Owners are gone: returns when their blobs are too, or when that takes long and goes on by itself. */
    readonly collect: Effect.Effect<void>
  }
>()("parley/blobs/Blobs") {
  /** Sweeps as long as it lives. */
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const store = yield* BlobStore
      const garbage = yield* BlobGarbage

      const putAll = Effect.fn("Blobs.putAll")(function* <E, R>(blobs: ReadonlyArray<NewBlob<E, R>>) {
        yield* garbage.announce(
          blobs.map(({ key }) => key),
          GRACE,
        )
        yield* Effect.forEach(blobs, ({ key, content }) => store.put(key, content), {
          concurrency: WRITTEN_AT_ONCE,
          discard: true,
        })
      })

      const remove = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
        const [removed, stuck] = yield* Effect.partition(
          keys,
          (key) => Effect.mapBoth(store.remove(key), { onSuccess: () => key, onFailure: (why) => ({ key, why }) }),
          { concurrency: REMOVED_AT_ONCE },
        )
        yield* garbage.forget(removed)
        const [first] = stuck
        if (first === undefined) return
        yield* garbage.postpone(
          stuck.map(({ key }) => key),
          RETRY_DELAY,
        )
        yield* Effect.logWarning("Files could not be deleted; they are tried again", first.why).pipe(
          Effect.annotateLogs({ files: stuck.length }),
        )
      })

      /** All that is due, batch by batch; what fails ends it until the next time. */
      const sweep = garbage.due(SWEEP_BATCH).pipe(
        Effect.tap(remove),
        Effect.repeat({ while: (keys) => keys.length === SWEEP_BATCH }),
        Effect.catchCause((cause) => Effect.logWarning(SWEEP_WARNING, Cause.squash(cause))),
        Semaphore.withPermit(yield* Semaphore.make(1)),
      )

      const bell = yield* Latch.make(false)
      yield* Effect.forkScoped(regularly(SWEEP_INTERVAL, SWEEP_WARNING, sweep, bell))

      const nudge = Effect.asVoid(bell.open)

      return {
        put: (key, content) => putAll([{ key, content }]),
        putAll,
        nudge,
        collect: Effect.timeoutOrElse(sweep, { duration: COLLECT_PATIENCE, orElse: () => nudge }).pipe(Effect.asVoid),
      }
    }),
  )
}
