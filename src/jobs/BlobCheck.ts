import { Clock, Context, Duration, Effect, Layer, Option, Stream } from "effect"
import { type BlobInfo, BlobStore, USERS } from "../blobs/BlobStore.ts"
import { BLOB_FOLDERS, blobPrefix, bytesOf } from "../domain/BlobKey.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { BlobOwners, type OwnedBlob } from "../storage/blobs/BlobOwners.ts"
import { regularly } from "../system/Background.ts"
import { Blobs } from "../blobs/Blobs.ts"

/** Prefixes of the keys of blobs that rows own, and of those that the doctor writes. */
const PREFIXES = [...BLOB_FOLDERS.map(blobPrefix), "doctor/"]
/** Blobs that are checked between two pauses. */
const PAGE = 500
/** Pause in favour of other work. A million blobs take about two minutes. */
const PAUSE = Duration.millis(20)
/** Requests to the store at once. */
const CONCURRENCY = 16
/** Most examples in a report. */
const EXAMPLES = 5
/** Time between two checks. What they find is the exception, and a check reads every name in the store. */
const INTERVAL = Duration.days(1)
/** Delay of the first check, because a start has more urgent work, such as creating the first organization. */
const START_DELAY = Duration.seconds(10)
/** Shortest time between two checks, so that only one of several servers that start together makes a check. */
const CHECK_GAP = Duration.minutes(10)

/** The number of things that were found, with a few examples. */
export interface Sample<A> {
  readonly count: number
  readonly examples: ReadonlyArray<A>
}

export interface Comparison {
  /** The number of blobs that rows own. */
  readonly owned: number
  /** Blobs with an owner that are not in the store, or have another length there. */
  readonly missing: Sample<OwnedBlob>
  /** Keys of blobs in the store that have no owner and are not scheduled for deletion. */
  readonly orphans: Sample<string>
  /** Whether other databases have used the store, so that the orphans may be theirs. */
  readonly isShared: boolean
}

export interface BlobCheckSettings {
  /** Age from which an orphan is deleted. Younger ones stay, because an older copy of the database may be restored. */
  readonly orphanAge: Duration.Duration
}

/**
 * Compares the store of blobs with the database, a page at a time, to find what a fault left behind, or what somebody
 * deleted or restored by hand.
 */
export class BlobCheck extends Context.Service<BlobCheck>()("parley/jobs/BlobCheck", {
  make: (settings: BlobCheckSettings) =>
    Effect.gen(function* () {
      const store = yield* BlobStore
      const owners = yield* BlobOwners

      const pages = <A>(page: (after: A | undefined) => Effect.Effect<ReadonlyArray<A>, Unavailable>) =>
        Stream.paginate<A | undefined, ReadonlyArray<A>, Unavailable, never>(undefined, (after) =>
          Effect.map(page(after), (found) => [[found], Option.fromUndefinedOr(found.at(-1))]),
        )

      const findMissing = Effect.gen(function* () {
        let owned = 0
        const missing = new Collected<OwnedBlob>()
        yield* Stream.runForEach(
          pages<OwnedBlob>((after) => owners.owned(after?.key, PAGE)),
          Effect.fnUntraced(function* (page) {
            owned += page.length
            missing.add(
              yield* Effect.filter(
                page,
                ({ bytes, key }) =>
                  Effect.map(
                    store.info(key),
                    (info) => info === undefined || info.bytes !== (bytes ?? bytesOf(key) ?? info.bytes),
                  ),
                { concurrency: CONCURRENCY },
              ),
            )
            yield* Effect.sleep(PAUSE)
          }),
        )
        return { owned, missing }
      })

      const findOrphans = Effect.fnUntraced(function* (
        onOrphans: (found: ReadonlyArray<BlobInfo>) => Effect.Effect<void, Unavailable>,
      ) {
        const orphans = new Collected<string>()
        yield* Effect.forEach(PREFIXES, (prefix) =>
          Stream.runForEach(
            store.list(prefix),
            Effect.fnUntraced(function* (page) {
              const found = new Set(yield* owners.strangers(page.map(({ key }) => key)))
              if (found.size > 0) {
                orphans.add(Array.from(found))
                yield* onOrphans(page.filter(({ key }) => found.has(key)))
              }
              yield* Effect.sleep(PAUSE)
            }),
          ),
        )
        return orphans
      })

      /** The keys of the blobs that mark the use of the store by databases, and of that of this one, if it has one. */
      const marks = Effect.gen(function* () {
        const id = yield* owners.database
        const pages = yield* Stream.runCollect(store.list(USERS))
        const keys = pages.flat().map(({ key }) => key)
        const own = id === undefined ? undefined : `${USERS}${id}`
        return { keys, own, isShared: keys.some((key) => key !== own) }
      })

      const compare = Effect.gen(function* () {
        const { isShared } = yield* marks
        const comparison: Comparison = {
          orphans: yield* findOrphans(() => Effect.void),
          ...(yield* findMissing),
          isShared,
        }
        return comparison
      })

      const tidy = Effect.gen(function* () {
        const blobs = yield* Blobs
        const { keys, own, isShared: isMarked } = yield* marks
        if (own !== undefined && !keys.includes(own)) yield* store.put(own, Stream.succeed(new Uint8Array()))
        const isShared = own === undefined || isMarked
        const youngest = (yield* Clock.currentTimeMillis) - Duration.toMillis(settings.orphanAge)
        const condemn = (found: ReadonlyArray<BlobInfo>) => {
          const old = found.filter(({ writtenAt }) => writtenAt.getTime() < youngest).map(({ key }) => key)
          return isShared || old.length === 0 ? Effect.void : owners.discardStrangers(old)
        }
        const comparison: Comparison = { orphans: yield* findOrphans(condemn), ...(yield* findMissing), isShared }
        yield* blobs.nudge
        return comparison
      })

      return {
        /** Compares and changes nothing. */
        compare: Effect.withSpan(compare, "BlobCheck.compare"),

        /**
         * Compares, and schedules the deletion of orphans that are old enough, unless the store is shared. An orphan never
         * gets an owner later, because the key of a new blob is registered before the blob is written.
         */
        tidy: Effect.withSpan(tidy, "BlobCheck.tidy"),
      }
    }),
}) {
  static readonly layer = (settings: BlobCheckSettings) => Layer.effect(this, this.make(settings))
  /** Tidies the store soon after the start and then regularly, in turn with the other servers on the database. */
  static readonly layerRegularly = (interval = INTERVAL) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const check = yield* BlobCheck
        const owners = yield* BlobOwners
        const look = Effect.gen(function* () {
          if (yield* owners.beginCheck(Duration.min(CHECK_GAP, interval))) yield* report(yield* check.tidy)
        })
        yield* regularly(interval, "The store of files could not be compared with the database", look).pipe(
          Effect.delay(START_DELAY),
          Effect.forkScoped,
        )
      }),
    )
}

class Collected<A> implements Sample<A> {
  count = 0
  readonly examples: Array<A> = []

  add(found: ReadonlyArray<A>): void {
    this.count += found.length
    this.examples.push(...found.slice(0, EXAMPLES - this.examples.length))
  }
}

const report = Effect.fnUntraced(function* ({ missing, orphans, isShared }: Comparison) {
  if (missing.count > 0) {
    yield* Effect.logWarning("Files are missing in the store").pipe(
      Effect.annotateLogs({ files: missing.count, of: missing.examples.map(({ owner }) => owner).join(" ") }),
    )
  }
  if (orphans.count > 0) {
    yield* Effect.logWarning(
      isShared
        ? "Files have no owner; they are kept, because another database has used this store"
        : "Files have no owner; those that are old enough are deleted",
    ).pipe(Effect.annotateLogs({ files: orphans.count, examples: orphans.examples.join(" ") }))
  }
})
