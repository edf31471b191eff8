import { statfs } from "node:fs/promises"
import { Effect, Predicate } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { StartupError } from "./StartupError.ts"
import { wordsOf } from "./SystemError.ts"

/** No space, or none of what this user may take. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"])

/** Whether a file could not be written because its disk is full. Looks at the causes of the error, too. */
export const isDiskFull = (error: unknown): boolean =>
  Predicate.isObject(error) &&
  ((Predicate.hasProperty(error, "code") && FULL.has(error.code)) ||
    (Predicate.hasProperty(error, "cause") && isDiskFull(error.cause)))

/** For clients: nothing can be stored until somebody has made space. */
export const diskFull = new Unavailable({ detail: "The server's disk is full.", retry_after_seconds: 10 })

const notNow = new Unavailable({ detail: "Files cannot be stored or read right now.", retry_after_seconds: 10 })

/** For clients: a file could not be stored or read. Why is for the log, unless the disk is full. */
export const filesUnavailable = (error: unknown): Unavailable => (isDiskFull(error) ? diskFull : notNow)

/** Why the server cannot start without a directory. `which` names the directory, such as "The directory for files, …,". */
export const notWritable = (which: string, error: unknown): StartupError =>
  new StartupError({
    what: `${which} cannot be written: ${wordsOf(error)}.`,
    doThis: isDiskFull(error)
      ? "Free some space on its disk and start again."
      : "Give the server's user the right to write there, or set DATA_DIR to another directory.",
  })

/** Bytes that the disk of a directory has left for this process; undefined when it does not tell. */
export const freeBytes = (directory: string): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    ),
  )

/** For people: `12 MiB`. */
export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`
