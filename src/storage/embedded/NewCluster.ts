import { dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { wordsOf } from "../../system/SystemError.ts"
import { unpackImage } from "./DatabaseImage.ts"
import { EngineFailure, initialize } from "./Engine.ts"

/** This many files are synced at the same time: the file system writes them to the disk together. */
const CONCURRENT_SYNCS = 16

/**
 * Makes a new cluster at `directory`, which must not exist, completely or not at all. A process that is killed
 * meanwhile leaves only a temporary directory behind, which the next attempt removes. When the image cannot be used,
 * the engine makes an empty cluster.
 */
export const createCluster = Effect.fn("NewCluster.create")(
  function* (directory: string, image: string) {
    const files = yield* FileSystem.FileSystem
    const temporary = `${directory}.tmp`
    const removeTemporary = files.remove(temporary, { recursive: true, force: true })
    yield* removeTemporary
    yield* unpackImage(image, temporary).pipe(
      Effect.catchTag("ImageUnusable", ({ reason }) =>
        Effect.logWarning("The image of a new database cannot be used, so making one takes longer", { reason }).pipe(
          Effect.andThen(removeTemporary),
          Effect.andThen(initialize(temporary)),
        ),
      ),
      Effect.andThen(syncAll(temporary)),
      Effect.andThen(files.rename(temporary, directory)),
      // The temporary directory may be what has filled the disk.
      Effect.onError(() => Effect.ignore(removeTemporary)),
    )
    yield* sync(dirname(directory))
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(new EngineFailure({ message: wordsOf(error) }))),
)

const syncAll = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* files.readDirectory(directory, { recursive: true })
  yield* Effect.forEach([".", ...paths], (path) => sync(join(directory, path)), {
    concurrency: CONCURRENT_SYNCS,
    discard: true,
  })
})

/** Syncs a file, or the names in a directory, to the disk. */
const sync = (path: string) =>
  Effect.scoped(
    FileSystem.FileSystem.use((files) => Effect.flatMap(files.open(path, { flag: "r" }), (file) => file.sync)),
  )
