import { statfs } from "node:fs/promises"
import { Effect, Predicate } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { StartupError } from "./StartupError.ts"
import { wordsOf } from "./SystemError.ts"
import { DATA_DIR } from "./Variables.ts"

/** Error codes of a full disk, or of a disk quota that is used up. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"])

/** Whether an error, or one of its causes, says that a disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  Predicate.isObject(error) &&
  ((Predicate.hasProperty(error, "code") && FULL.has(error.code)) ||
    (Predicate.hasProperty(error, "cause") && isDiskFull(error.cause)))

/** Nothing can be stored until somebody has made space on the disk. Safe to show to clients. */
export const diskFull = new Unavailable({ detail: "The server's disk is full.", retry_after_seconds: 10 })

const notNow = new Unavailable({ detail: "Files cannot be stored or read right now.", retry_after_seconds: 10 })

/** The failure of storing or reading a file, as clients see it: the reason is shown only when the disk is full. */
export const filesUnavailable = (error: unknown): Unavailable => (isDiskFull(error) ? diskFull : notNow)

/**
 * The server cannot start, because it cannot write to a directory. `which` names it, such as "The directory for files,
 * …,".
 */
export const notWritable = (which: string, error: unknown): StartupError =>
  new StartupError({
    what: `${which} cannot be written: ${wordsOf(error)}.`,
    doThis: isDiskFull(error)
      ? "Free some space on its disk and start again."
      : `Give the server's user the right to write there, or set ${DATA_DIR} to another directory.`,
  })

/** The free bytes on a directory's disk that this process may use; undefined when the file system does not say. */
export const freeBytes = (directory: string): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    ),
  )

/** A number of bytes for people to read, such as `12 MiB`, rounded down. */
export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`
