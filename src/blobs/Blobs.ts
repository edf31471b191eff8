import { Service } from "../domain/Service.ts"
import { Cause, Duration, Effect, Latch, Semaphore, type Stream } from "effect"
import { BlobStore } from "./BlobStore.ts"
import { BlobGarbage } from "../storage/blobs/BlobGarbage.ts"
import { AfterCommit } from "../storage/sql/AfterCommit.ts"
import { regularly } from "../system/Background.ts"

/** The time in which the owner of a new blob has to be committed. It is longer than any request. */
const GRACE = Duration.hours(1)
const SWEEP_INTERVAL = Duration.minutes(1)
const SWEEP_WARNING = "The sweep of files was cut off"
const SWEEP_BATCH = 100
const REMOVED_AT_ONCE = 4
/** The time until the deletion of a blob is retried. The sweep goes on with the others meanwhile. */
const RETRY_DELAY = Duration.minutes(10)
/** The longest time that a request waits for the deletion of its blobs. The next sweep deletes the rest. */
const COLLECT_PATIENCE = Duration.seconds(5)
/** The number of blobs that are written at once, most of whose time is waiting for the disk. */
const WRITTEN_AT_ONCE = 4

interface NewBlob<E, R> {
  readonly key: string
  readonly content: Stream.Stream<Uint8Array, E, R>
}

/**
 * Stores blobs, and deletes those without an owner, which is a row of the database that names the blob. A blob whose
 * owner is not committed within an hour is deleted.
 */
export class Blobs extends Service<Blobs>()("parley/blobs/Blobs", function* () {
  const store = yield* BlobStore
  const garbage = yield* BlobGarbage
  const afterCommit = yield* AfterCommit

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
    yield* Effect.logWarning("Files could not be deleted, which is retried", first.why).pipe(
      Effect.annotateLogs({ files: stuck.length }),
    )
  })

  /** Deletes all blobs that are due, in batches. A failure is logged, and ends the sweep. */
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
    /** Stores a blob, which needs an owner within an hour. */
    put: <E, R>(key: string, content: Stream.Stream<Uint8Array, E, R>) => putAll([{ key, content }]),

    /** Stores several blobs, a few at a time. When one fails, those that were written are deleted later. */
    putAll,

    /** Starts the next sweep soon, after owners may have been deleted. */
    nudge,

    /**
     * Deletes the blobs of deleted owners, for at most 5 s, once the tenant's open transaction is committed. The next
     * sweep deletes the rest.
     */
    collect: afterCommit.run(
      Effect.asVoid(Effect.timeoutOrElse(sweep, { duration: COLLECT_PATIENCE, orElse: () => nudge })),
    ),
  }
}) {}
