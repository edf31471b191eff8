import { Cause, Context, Duration, Effect, Layer, type Stream } from "effect"
import { BlobStore } from "../blobs/BlobStore.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { BlobGarbage } from "../storage/BlobGarbage.ts"
import { regularly } from "./Background.ts"

/** A blob whose owner has not committed after this time never gets one. Longer than any request lasts. */
const GRACE = Duration.hours(1)
const SWEEP_INTERVAL = Duration.minutes(1)
const SWEEP_BATCH = 100
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
    /** Deletes blobs whose owner is gone. What cannot be deleted now is left to the sweep. */
    readonly discard: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("parley/services/Blobs") {
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

      const remove = Effect.fn("Blobs.remove")(function* (keys: ReadonlyArray<string>) {
        const [removed, failures] = yield* Effect.partition(keys, (key) => Effect.as(store.remove(key), key))
        yield* garbage.forget(removed)
        // One that can never be deleted keeps none of the others.
        const [failure] = failures
        if (failure !== undefined) return yield* failure
      })

      const discard = (keys: ReadonlyArray<string>) =>
        Effect.catchCause(remove(keys), (cause) =>
          Effect.logWarning("Files could not be deleted; they are tried again", Cause.squash(cause)),
        )

      /** All that is due, batch by batch; what fails ends it until the next time. */
      const sweep = garbage
        .due(SWEEP_BATCH)
        .pipe(Effect.tap(remove), Effect.repeat({ while: (keys) => keys.length === SWEEP_BATCH }))

      yield* Effect.forkScoped(regularly(SWEEP_INTERVAL, "The sweep of files was cut off", sweep))

      return { put: (key, content) => putAll([{ key, content }]), putAll, discard }
    }),
  )
}
