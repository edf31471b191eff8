import { Clock, Duration, Effect, FileSystem, Layer, Option, Path, type PlatformError, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Unavailable } from "../domain/Errors.ts"
import { StartupError } from "../domain/StartupError.ts"
import { wordsOf } from "../domain/SystemError.ts"
import { BlobNotFound, BlobStore } from "./BlobStore.ts"

const RETRY_AFTER_SECONDS = 10
/** What is written to, as far as it is there. Other directories, such as a mount's `lost+found`, are nobody's business. */
const WRITTEN = ["", "tmp", "avatars", "documents"]
/** A draft this old was left by a process that is gone. */
const DRAFT_MAX_AGE = Duration.hours(1)

/**
 * Blobs as files below a directory, made with mode 0700. A blob is written to a temporary file, synced, and renamed to
 * its key, so that it is whole or absent, whatever happens.
 */
export const layer = (
  directory: string,
): Layer.Layer<BlobStore, StartupError, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom> =>
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
        Effect.mapError(
          (error) =>
            new StartupError({
              what: `The directory for files, ${directory}, cannot be written: ${wordsOf(error)}.`,
              doThis: "Give the server's user the right to write there, or set DATA_DIR to another directory.",
            }),
        ),
      )

      const now = yield* Clock.currentTimeMillis
      yield* Effect.ignore(
        Effect.forEach(yield* Effect.orElseSucceed(files.readDirectory(temporary), () => []), (name) =>
          Effect.gen(function* () {
            const draft = paths.join(temporary, name)
            const written = Option.getOrElse((yield* files.stat(draft)).mtime, () => new Date(now))
            if (now - written.getTime() > Duration.toMillis(DRAFT_MAX_AGE)) yield* files.remove(draft)
          }),
        ),
      )

      const pathOf = (key: string) => paths.join(directory, key)

      const syncFile = (path: string) =>
        Effect.scoped(Effect.flatMap(files.open(path, { flag: "r" }), (file) => file.sync))

      const put = Effect.fn("BlobStore.put")(function* <E, R>(key: string, content: Stream.Stream<Uint8Array, E, R>) {
        const draft = paths.join(temporary, yield* random.uuidV4())
        const target = pathOf(key)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* Effect.mapError(files.open(draft, { flag: "wx", mode: 0o600 }), toUnavailable)
            yield* Stream.runForEach(content, (chunk) => Effect.mapError(file.writeAll(chunk), toUnavailable))
            yield* Effect.mapError(file.sync, toUnavailable)
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
            }).pipe(Effect.mapError(toUnavailable)),
          ),
          Effect.onError(() => Effect.ignore(files.remove(draft, { force: true }))),
        )
      })

      const get = Effect.fn("BlobStore.get")((key: string) =>
        Effect.mapError(files.readFile(pathOf(key)), (error) =>
          error.reason._tag === "NotFound" ? new BlobNotFound({ key }) : toUnavailable(error),
        ),
      )

      const has = Effect.fn("BlobStore.has")((key: string) => Effect.mapError(files.exists(pathOf(key)), toUnavailable))

      const remove = Effect.fn("BlobStore.remove")((key: string) =>
        Effect.mapError(files.remove(pathOf(key), { force: true }), toUnavailable),
      )

      return { put, get, has, remove }
    }),
  )

const toUnavailable = (error: PlatformError.PlatformError) =>
  new Unavailable({
    detail: `Files cannot be stored or read right now: ${wordsOf(error)}.`,
    retry_after_seconds: RETRY_AFTER_SECONDS,
  })
