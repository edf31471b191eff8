import { Clock, Duration, Effect, FileSystem, Option, Path, type PlatformError, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Unavailable } from "../domain/Errors.ts"
import { regularly } from "../system/Background.ts"
import { filesUnavailable, freeBytes, isDiskFull, mebibytes, notWritable } from "../system/Disk.ts"
import type { StartupError } from "../system/StartupError.ts"

/** The age from which a temporary file is known to be that of a dead process. */
const DRAFT_MAX_AGE = Duration.hours(1)

/** Temporary files of a store. */
export interface Drafts {
  /** Makes the path of a file that does not exist yet. */
  readonly path: Effect.Effect<string>
  /** Logs an error of a file, and fails with one for clients, who learn of the cause only when the disk is full. */
  readonly toUnavailable: (error: PlatformError.PlatformError) => Effect.Effect<never, Unavailable>
}

/**
 * Makes the subdirectory `tmp` of a directory, with mode 0700, for temporary files. Those that dead processes have left
 * are deleted at the start, and then every hour. `subdirectories` have to be writable if they exist.
 */
export const makeDrafts = Effect.fnUntraced(function* (
  directory: string,
  subdirectories: ReadonlyArray<string> = [],
): Effect.fn.Return<Drafts, StartupError, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom

  const temporary = paths.join(directory, "tmp")
  yield* files.makeDirectory(temporary, { recursive: true, mode: 0o700 }).pipe(
    // Making a directory that exists succeeds even when it is not writable.
    Effect.andThen(
      Effect.forEach(["", "tmp", ...subdirectories], (name) =>
        Effect.catchIf(
          files.access(paths.join(directory, name), { writable: true }),
          ({ reason }) => reason._tag === "NotFound",
          () => Effect.void,
        ),
      ),
    ),
    Effect.mapError((error) => notWritable(`The directory for files, ${directory},`, error)),
  )

  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      yield* files.readDirectory(temporary),
      Effect.fnUntraced(
        function* (name) {
          const draft = paths.join(temporary, name)
          const written = Option.getOrElse((yield* files.stat(draft)).mtime, () => new Date(now))
          if (now - written.getTime() > Duration.toMillis(DRAFT_MAX_AGE)) yield* files.remove(draft)
        },
        (sweep) => Effect.ignore(sweep),
      ),
    )
  })
  yield* Effect.ignore(sweep)
  const sweeping = regularly(DRAFT_MAX_AGE, "Temporary files of dead processes could not be deleted", sweep)
  yield* Effect.forkScoped(Effect.delay(sweeping, DRAFT_MAX_AGE))

  const toUnavailable = Effect.fnUntraced(function* (error: PlatformError.PlatformError) {
    const isFull = isDiskFull(error)
    const free = isFull ? yield* freeBytes(directory) : undefined
    yield* Effect.logError(isFull ? "The disk is full: files cannot be stored" : "Files cannot be stored or read").pipe(
      Effect.annotateLogs({ directory, ...(free !== undefined && { free: mebibytes(free) }), why: error.message }),
    )
    return yield* filesUnavailable(error)
  })

  return { path: Effect.map(random.uuidV4(), (name) => paths.join(temporary, name)), toUnavailable }
})
