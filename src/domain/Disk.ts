import { statfs } from "node:fs/promises"
import { Effect, Predicate } from "effect"

/** No space, or none of what this user may take. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Whether a file could not be written because its disk is full. Looks at the causes of the error, too. */
export const isDiskFull = (error: unknown): boolean =>
  Predicate.isObject(error) &&
  ((Predicate.hasProperty(error, "code") && FULL.has(error.code)) ||
    (Predicate.hasProperty(error, "cause") && isDiskFull(error.cause)))

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
