import { Clock, Context, Duration, Effect, Layer, Option, Stream } from "effect"
import { BlobStore } from "../blobs/BlobStore.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { BlobOwners, type OwnedBlob } from "../storage/BlobOwners.ts"
import { regularly } from "../system/Background.ts"
import { Blobs } from "../blobs/Blobs.ts"

/** Where blobs that rows own are kept, and those that a look at the store writes. */
const PREFIXES = ["avatars/", "documents/", "doctor/"]
/** The blobs of each database that has used the store; their keys end in what tells it from others. */
export const USERS = "databases/"
/** Blobs between which others have their turn, */
const PAGE = 500
/** for so long: a million takes about two minutes. */
const PAUSE = Duration.millis(20)
const ASKED_AT_ONCE = 16
/** What is told of many. */
const EXAMPLES = 5
/** A start has more urgent work, such as making the first organization. */
const START_DELAY = Duration.seconds(10)
/** Of servers that start together, one makes the comparison. */
const CHECK_GAP = Duration.minutes(10)

/** Some of many. */
export interface Sample<A> {
  readonly count: number
  readonly examples: ReadonlyArray<A>
}

export interface Comparison {
  /** Blobs that rows own. */
  readonly owned: number
  /** Owners whose blob is not in the store. */
  readonly missing: Sample<OwnedBlob>
  /** Keys of blobs in the store that nobody owns and that are not to be deleted either. */
  readonly strangers: Sample<string>
  /** Other databases have used the store: the strangers may be theirs. */
  readonly isShared: boolean
}

export interface BlobCheckSettings {
  readonly interval: Duration.Duration
  /** A stranger that is younger is left alone: an older copy of the database may be in use for a while. */
  readonly strangerAge: Duration.Duration
}

/**
 * Compares the store of blobs with the database, a page at a time. It finds what a fault has left behind, or what somebody
 * has deleted or restored by hand.
 */
export class BlobCheck extends Context.Service<
  BlobCheck,
  {
    /** Looks, and changes nothing. */
    readonly compare: Effect.Effect<Comparison, Unavailable>
    /**
     * Compares, and has the strangers deleted that are old enough, unless the store is shared. A blob never belongs to
     * somebody afterwards: whoever writes one has its key on the register before.
     */
    readonly tidy: Effect.Effect<Comparison, Unavailable, Blobs>
  }
>()("parley/jobs/BlobCheck") {
  static readonly layer = (settings: Pick<BlobCheckSettings, "strangerAge">) =>
    Layer.effect(
      BlobCheck,
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
                yield* Effect.filter(page, ({ key }) => Effect.map(store.has(key), (isThere) => !isThere), {
                  concurrency: ASKED_AT_ONCE,
                }),
              )
              yield* Effect.sleep(PAUSE)
            }),
          )
          return { owned, missing }
        })

        const isOld = Effect.fnUntraced(
          function* (key: string) {
            const now = yield* Clock.currentTimeMillis
            const written = yield* store.writtenAt(key)
            return now - written.getTime() > Duration.toMillis(settings.strangerAge)
          },
          Effect.catchTag("BlobNotFound", () => Effect.succeed(false)),
        )

        const findStrangers = Effect.fnUntraced(function* (
          meet: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>,
        ) {
          const strangers = new Collected<string>()
          yield* Effect.forEach(PREFIXES, (prefix) =>
            Stream.runForEach(
              store.list(prefix),
              Effect.fnUntraced(function* (page) {
                const found = yield* owners.strangers(page)
                strangers.add(found)
                if (found.length > 0) yield* meet(found)
                yield* Effect.sleep(PAUSE)
              }),
            ),
          )
          return strangers
        })

        const users = Effect.map(Stream.runCollect(store.list(USERS)), (lists) => lists.flat())

        const compareAnd = Effect.fnUntraced(function* (
          meet: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>,
          isShared: boolean,
        ) {
          const strangers = yield* findStrangers(meet)
          return { ...(yield* findMissing), strangers, isShared } satisfies Comparison
        })

        const isOthers = (own: string | undefined) => (key: string) => key !== own

        const compare = Effect.gen(function* () {
          const isShared = (yield* users).some(isOthers(yield* ownMark(owners)))
          return yield* compareAnd(() => Effect.void, isShared)
        })

        const tidy = Effect.gen(function* () {
          const blobs = yield* Blobs
          const own = yield* ownMark(owners)
          const marks = yield* users
          if (own !== undefined && !marks.includes(own)) yield* store.put(own, Stream.succeed(new Uint8Array()))
          const isShared = own === undefined || marks.some(isOthers(own))
          const condemn = (keys: ReadonlyArray<string>) =>
            isShared
              ? Effect.void
              : Effect.flatMap(Effect.filter(keys, isOld, { concurrency: ASKED_AT_ONCE }), owners.discardStrangers)
          const comparison = yield* compareAnd(condemn, isShared)
          yield* blobs.nudge
          return comparison
        })

        return {
          compare: Effect.withSpan(compare, "BlobCheck.compare"),
          tidy: Effect.withSpan(tidy, "BlobCheck.tidy"),
        }
      }),
    )

  /** Tidies soon after the start, and then regularly, as one of the servers that share the database. */
  static readonly layerRegularly = ({ interval }: Pick<BlobCheckSettings, "interval">) =>
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

const ownMark = (owners: BlobOwners["Service"]) =>
  Effect.map(owners.database, (id) => (id === undefined ? undefined : `${USERS}${id}`))

const report = Effect.fnUntraced(function* ({ missing, strangers, isShared }: Comparison) {
  if (missing.count > 0) {
    yield* Effect.logWarning("Files are missing in the store").pipe(
      Effect.annotateLogs({ files: missing.count, of: missing.examples.map(({ owner }) => owner).join(" ") }),
    )
  }
  if (strangers.count > 0) {
    yield* Effect.logWarning(
      isShared
        ? "Files belong to nobody; they are kept, because another database has used this store"
        : "Files belong to nobody; those that are old enough are deleted",
    ).pipe(Effect.annotateLogs({ files: strangers.count, examples: strangers.examples.join(" ") }))
  }
})
