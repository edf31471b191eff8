import { dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { StartupError } from "../system/StartupError.ts"
import { notWritten } from "./Failures.ts"
import { syncDirectory } from "./Files.ts"
import { MANIFEST } from "./Manifest.ts"

/** The directory with a file of lines for each table. */
export const TABLES = "tables"
/** The directory with the contents of stored files, each named by its SHA-256. */
export const BLOBS = "blobs"
/** The file that lists the stored files. */
export const BLOB_LIST = "blobs.ndjson"
/** The file that marks a backup that is under way, or was cut off. */
export const UNFINISHED = "unfinished"

const PRIVATE = 0o700
const MARK = "This backup is not finished. The command that began it makes it when it is run again.\n"

/**
 * Makes the directory of a new backup, or begins one anew that was cut off, and refuses any other directory that is not
 * empty. Returns the names in `blobs` that the earlier attempt has left.
 */
export const prepareDirectory = Effect.fn("Directory.prepare")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const refused = Effect.mapError(notWritten(directory))
  yield* refused(files.makeDirectory(directory, { recursive: true, mode: PRIVATE }))
  const names = yield* refused(files.readDirectory(directory))
  if (names.includes(MANIFEST)) {
    return yield* new StartupError({
      what: `There is a finished backup in ${JSON.stringify(directory)}.`,
      doThis: "Choose a new directory.",
    })
  }
  if (names.length === 0) {
    yield* refused(files.writeFileString(join(directory, UNFINISHED), MARK, { mode: 0o600, flag: "wx" }))
  } else if (!names.includes(UNFINISHED)) {
    return yield* new StartupError({
      what: `The directory ${JSON.stringify(directory)} is not empty.`,
      doThis: "Choose a new directory for the backup.",
    })
  }
  const [tables, blobs] = [join(directory, TABLES), join(directory, BLOBS)]
  yield* refused(files.remove(tables, { recursive: true, force: true }))
  yield* refused(files.makeDirectory(tables, { mode: PRIVATE }))
  yield* refused(files.makeDirectory(blobs, { recursive: true, mode: PRIVATE }))
  // Somebody else may have begun it: what follows a link would be written elsewhere.
  if ((yield* refused(files.lstat(blobs))).type !== "Directory") {
    return yield* new StartupError({
      what: `${JSON.stringify(blobs)} is not a directory.`,
      doThis: "Choose a new directory for the backup.",
    })
  }
  yield* syncDirectory(directory)
  yield* syncDirectory(dirname(directory))
  return new Set(yield* refused(files.readDirectory(blobs)))
})
