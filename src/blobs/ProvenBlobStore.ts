import { Effect, Layer, Semaphore, Stream } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { BlobOwners } from "../storage/blobs/BlobOwners.ts"
import { FileStores } from "../storage/blobs/FileStores.ts"
import { StartupError } from "../system/StartupError.ts"
import { BLOBS, DATA_DIR, S3_BUCKET } from "../system/Variables.ts"
import { BlobStore, STORES } from "./BlobStore.ts"

/** The number of files that are looked for in a store without a mark. */
const SAMPLE = 32
const LOOKS_AT_ONCE = 8
const RETRY_AFTER = 30

/** The failure of a store without the mark of its database. */
const stranger = (key: string) =>
  new StartupError({
    what: `The store of files is not the one that belongs to the database: it lacks the file ${key}.`,
    doThis: `Let ${BLOBS} and ${DATA_DIR}, or ${S3_BUCKET}, name the store that the other servers of the database use or used; if the files are lost, put an empty file of this name there.`,
  })

/**
 * Lets a server use another blob store only where that is the one of its database, so that servers which share a
 * database share their files. The first server marks the store, unless it lacks files that the database knows. A store
 * that cannot be reached at the start is compared before its first use.
 */
export const layer: Layer.Layer<BlobStore, StartupError, BlobStore | BlobOwners | FileStores> = Layer.effect(
  BlobStore,
  Effect.gen(function* () {
    const store = yield* BlobStore
    const owners = yield* BlobOwners
    const fileStores = yield* FileStores

    const has = (key: string) => Effect.map(store.info(key), (info) => info !== undefined)

    const prove = Effect.gen(function* () {
      const row = yield* fileStores.get
      if (row === undefined) return
      const mark = `${STORES}${row.id}`
      if (!(yield* has(mark))) {
        const owned = yield* owners.owned(undefined, SAMPLE)
        const there = yield* Effect.filter(owned, ({ key }) => has(key), { concurrency: LOOKS_AT_ONCE })
        if (there.length * 2 < owned.length) return yield* stranger(mark)
        yield* fileStores.claim(store.put(mark, Stream.succeed(new Uint8Array())))
        // Nothing was claimed where a server has marked this store, or another one, before.
        if (!(yield* has(mark))) return yield* stranger(mark)
      } else if (!row.is_marked) {
        yield* fileStores.claim(Effect.void)
      }
    }).pipe(Effect.withSpan("ProvenBlobStore.prove"))

    let isProven = false
    const turn = yield* Semaphore.make(1)
    const proof = Effect.suspend(() =>
      isProven ? Effect.void : Effect.tap(prove, () => Effect.sync(() => void (isProven = true))),
    ).pipe(turn.withPermit)

    yield* Effect.catchTag(proof, "Unavailable", (error) =>
      Effect.logWarning("The store of files is compared with the database when it can be reached", error),
    )

    const proven = Effect.suspend(() => (isProven ? Effect.void : proof)).pipe(
      Effect.catchTag("StartupError", (error) =>
        Effect.andThen(
          Effect.logError("Files cannot be stored or read", error),
          Effect.fail(new Unavailable({ detail: "Files cannot be stored or read.", retry_after_seconds: RETRY_AFTER })),
        ),
      ),
    )
    const first = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.andThen(proven, work)
    const firstOf = <A, E, R>(work: Stream.Stream<A, E, R>) => Stream.unwrap(Effect.as(proven, work))

    return BlobStore.of({
      put: (key, content) => first(store.put(key, content)),
      get: (key) => first(store.get(key)),
      read: (key) => firstOf(store.read(key)),
      open: (key) => first(store.open(key)),
      info: (key) => first(store.info(key)),
      list: (prefix) => firstOf(store.list(prefix)),
      remove: (key) => first(store.remove(key)),
      ready: first(store.ready),
      examine: store.examine,
    })
  }),
)
