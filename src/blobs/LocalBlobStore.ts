import {
  Array,
  Clock,
  Duration,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  type PlatformError,
  Schedule,
  Stream,
} from "effect"
import { SecureRandom } from "effect/crypto"
import { filesUnavailable, freeBytes, isDiskFull, mebibytes, notWritable } from "../system/Disk.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { StartupError } from "../system/StartupError.ts"
import { BlobNotFound, BlobStore } from "./BlobStore.ts"

/** What is written to, as far as it is there. Other directories, such as a mount's `lost+found`, are nobody's business. */
const WRITTEN = ["", "tmp", "avatars", "documents"]
/** A draft this old was left by a process that is gone. */
const DRAFT_MAX_AGE = Duration.hours(1)
/** Keys that are listed at once. */
const PAGE = 500

export interface LocalBlobStoreSettings {
  readonly directory: string
}

/**
 * Blobs as files below a directory, made with mode 0700. A blob is written to a temporary file, synced, and renamed to
 * its key, so that it is whole or absent, whatever happens.
 */
export const layer = ({
  directory,
}: LocalBlobStoreSettings): Layer.Layer<
  BlobStore,
  StartupError,
  FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom
> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const random = yield* SecureRandom.SecureRandom

      const temporary = paths.join(directory, "tmp")
      yield* files.makeDirectory(temporary, { recursive: true, mode: 0o700 }).pipe(
        // Where there is a directory already, making it tells nothing.
        Effect.andThen(
          Effect.forEach(WRITTEN, (name) =>
            Effect.catchIf(
              files.access(paths.join(directory, name), { writable: true }),
              ({ reason }) => reason._tag === "NotFound",
              () => Effect.void,
            ),
          ),
        ),
        Effect.mapError((error) => notWritable(`The directory for files, ${directory},`, error)),
      )

      const sweepDrafts = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* Effect.forEach(yield* files.readDirectory(temporary), (name) =>
          Effect.gen(function* () {
            const draft = paths.join(temporary, name)
            const written = Option.getOrElse((yield* files.stat(draft)).mtime, () => new Date(now))
            if (now - written.getTime() > Duration.toMillis(DRAFT_MAX_AGE)) yield* files.remove(draft)
          }).pipe(Effect.ignore),
        )
      }).pipe(Effect.ignore)
      yield* sweepDrafts
      yield* Effect.forkScoped(Effect.repeat(sweepDrafts, Schedule.spaced(DRAFT_MAX_AGE)))

      /** What went wrong is for the log: a client can do nothing about it. */
      const toUnavailable = Effect.fnUntraced(function* (error: PlatformError.PlatformError) {
        const isFull = isDiskFull(error)
        const free = isFull ? yield* freeBytes(directory) : undefined
        yield* Effect.logError(
          isFull ? "The disk is full: files cannot be stored" : "Files cannot be stored or read",
        ).pipe(
          Effect.annotateLogs({ directory, ...(free !== undefined && { free: mebibytes(free) }), why: error.message }),
        )
        return yield* filesUnavailable(error)
      })
      const orUnavailable = <A, R>(work: Effect.Effect<A, PlatformError.PlatformError, R>) =>
        Effect.catch(work, toUnavailable)

      const pathOf = (key: string) => paths.join(directory, key)

      const syncFile = (path: string) =>
        Effect.scoped(Effect.flatMap(files.open(path, { flag: "r" }), (file) => file.sync))

      const put = Effect.fn("BlobStore.put")(function* <E, R>(key: string, content: Stream.Stream<Uint8Array, E, R>) {
        const draft = paths.join(temporary, yield* random.uuidV4())
        const target = pathOf(key)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* orUnavailable(files.open(draft, { flag: "wx", mode: 0o600 }))
            yield* Stream.runForEach(content, (chunk) => orUnavailable(file.writeAll(chunk)))
            yield* orUnavailable(file.sync)
          }),
        ).pipe(
          Effect.andThen(
            Effect.gen(function* () {
              yield* Effect.catchIf(
                files.rename(draft, target),
                // The first of its directory.
                (error) => error.reason._tag === "NotFound",
                () =>
                  Effect.andThen(
                    files.makeDirectory(paths.dirname(target), { recursive: true, mode: 0o700 }),
                    files.rename(draft, target),
                  ),
              )
              // The rename itself is durable once the directory is.
              yield* syncFile(paths.dirname(target))
            }).pipe(orUnavailable),
          ),
          Effect.onError(() => Effect.ignore(files.remove(draft, { force: true }))),
        )
      })

      const orNotFound = <A>(key: string, reading: Effect.Effect<A, PlatformError.PlatformError>) =>
        Effect.catch(reading, (error): Effect.Effect<never, BlobNotFound | Unavailable> =>
          error.reason._tag === "NotFound" ? Effect.fail(new BlobNotFound({ key })) : toUnavailable(error),
        )

      const get = Effect.fn("BlobStore.get")((key: string) => orNotFound(key, files.readFile(pathOf(key))))

      const has = Effect.fn("BlobStore.has")((key: string) => orUnavailable(files.exists(pathOf(key))))

      const remove = Effect.fn("BlobStore.remove")((key: string) =>
        orUnavailable(files.remove(pathOf(key), { force: true })),
      )

      const writtenAt = Effect.fn("BlobStore.writtenAt")(function* (key: string) {
        const { mtime } = yield* orNotFound(key, files.stat(pathOf(key)))
        const now = yield* Clock.currentTimeMillis
        return Option.getOrElse(mtime, () => new Date(now))
      })

      // The names of one directory are read at once: for a million, this measured 0.4 s beside the event loop, and 90 MB.
      const list = (prefix: string) =>
        files.readDirectory(pathOf(prefix)).pipe(
          // No blob of the prefix was ever written.
          Effect.catchIf(
            (error) => error.reason._tag === "NotFound",
            () => Effect.succeed([]),
          ),
          orUnavailable,
          Effect.map((names) => Stream.fromIterable(Array.chunksOf(names, PAGE))),
          Stream.unwrap,
          Stream.map((names) => names.map((name) => prefix + name)),
        )

      return { put, get, has, remove, writtenAt, list }
    }),
  )
