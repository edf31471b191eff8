import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem } from "effect"
import { wordsOf } from "../../system/SystemError.ts"
import { EngineFailure, openEngine } from "./Engine.ts"

/** This many files are synced at the same time: the file system writes them to the disk together. */
const CONCURRENT_SYNCS = 16

/**
 * A new database with the migrations of its time, as a tar of its files compressed by Zstandard. Unpacking it takes a
 * tenth of the time that the engine and the migrations take to make one, and newer migrations are applied afterwards, as
 * to any other database. `bun run image` makes it, and a test tells when the engine has become another one.
 */
export const IMAGE = fileURLToPath(new URL("image/cluster.tar.zst", import.meta.url))

/**
 * Makes a new cluster at `directory`, which must not exist, completely or not at all. A process that is killed
 * meanwhile leaves only a temporary directory behind, which the next attempt removes. With `isBare` the engine makes it,
 * without any migration: a backup may be older than the image.
 */
export const createCluster = Effect.fn("NewCluster.create")(
  function* (directory: string, isBare = false) {
    const files = yield* FileSystem.FileSystem
    const temporary = `${directory}.tmp`
    const removeTemporary = files.remove(temporary, { recursive: true, force: true })
    yield* removeTemporary
    yield* (isBare ? Effect.scoped(Effect.asVoid(openEngine(temporary))) : unpackImage(temporary)).pipe(
      Effect.andThen(syncAll(temporary)),
      Effect.andThen(files.rename(temporary, directory)),
      // The temporary directory may be what has filled the disk.
      Effect.onError(() => Effect.ignore(removeTemporary)),
    )
    yield* sync(dirname(directory))
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(new EngineFailure({ message: wordsOf(error) }))),
)

const unpackImage = (directory: string) =>
  Effect.tryPromise({
    try: async () => new Bun.Archive(await Bun.zstdDecompress(await Bun.file(IMAGE).bytes())).extract(directory),
    catch: (error) => new EngineFailure({ message: wordsOf(error) }),
  })

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
