import { dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { StartupError } from "../system/StartupError.ts"
import { notWritten } from "./Failures.ts"
import { syncDirectory } from "./Files.ts"
import { type Manifest, MANIFEST, readManifest } from "./Manifest.ts"

/** The directory with a file of lines for each table. */
export const TABLES = "tables"
/** The directory with the contents of stored files, each named by its SHA-256. */
export const BLOBS = "blobs"
/** The file that lists the stored files. */
export const BLOB_LIST = "blobs.ndjson"
/** The file that marks a backup that is under way, or was cut off. */
export const UNFINISHED = "unfinished"

const PRIVATE = 0o700
const MARK = "This backup is not finished. The command that began it goes on with it when it is run again.\n"

/**
 * Makes the directory of a new backup. Returns whether a backup that was cut off is in it, which goes on, and refuses
 * any other directory that is not empty.
 */
export const prepareDirectory = Effect.fn("Directory.prepare")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const refused = Effect.mapError(notWritten(directory))
  yield* refused(files.makeDirectory(directory, { recursive: true, mode: PRIVATE }))
  const names = yield* refused(files.readDirectory(directory))
  if (names.includes(MANIFEST)) {
    return yield* new StartupError({
      what: `There is a finished backup in ${JSON.stringify(directory)}.`,
      doThis: "Choose a new directory; with `--previous` and this one, files that have not changed take no more space.",
    })
  }
  const isContinued = names.includes(UNFINISHED)
  if (names.length > 0 && !isContinued) {
    return yield* new StartupError({
      what: `The directory ${JSON.stringify(directory)} is not empty.`,
      doThis: "Choose a new directory for the backup.",
    })
  }
  if (!isContinued)
    yield* refused(files.writeFileString(join(directory, UNFINISHED), MARK, { mode: 0o600, flag: "wx" }))
  for (const name of [TABLES, BLOBS]) {
    const path = join(directory, name)
    yield* refused(files.makeDirectory(path, { recursive: true, mode: PRIVATE }))
    // Somebody else may have begun it: what follows a link would be written elsewhere.
    if ((yield* refused(files.lstat(path))).type !== "Directory") {
      return yield* new StartupError({
        what: `${JSON.stringify(path)} is not a directory.`,
        doThis: "Choose a new directory for the backup.",
      })
    }
  }
  yield* syncDirectory(directory)
  yield* syncDirectory(dirname(directory))
  return isContinued
})

/** Finds the newest finished backup that is, or is in, a directory; undefined where there is none yet. */
export const previousBackup = Effect.fn("Directory.previous")(function* (directory: string, own: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.mapError(
    files.readDirectory(directory),
    (error) =>
      new StartupError({
        what: `The earlier backup in ${JSON.stringify(directory)} cannot be read: ${notWritten(directory)(error).what}`,
        doThis: "Give the directory of a backup, or one with backups in it.",
      }),
  )
  if (names.includes(MANIFEST)) return directory
  const found: Array<{ readonly path: string; readonly manifest: Manifest }> = []
  for (const name of names) {
    const path = join(directory, name)
    if (path === own || !(yield* Effect.orElseSucceed(files.exists(join(path, MANIFEST)), () => false))) continue
    // A damaged one is of no use here, and no reason to make no backup.
    const manifest = yield* Effect.orElseSucceed(readManifest(path), () => undefined)
    if (manifest !== undefined) found.push({ path, manifest })
  }
  return found.toSorted((one, other) => other.manifest.taken_at.localeCompare(one.manifest.taken_at))[0]?.path
})
