import { isDiskFull } from "../system/Disk.ts"
import { StartupError } from "../system/StartupError.ts"
import { wordsOf } from "../system/SystemError.ts"

/*
 * The reasons for which a backup cannot be made, read or restored, as one line for the operator.
 */

const printed = (path: string): string => JSON.stringify(path)

/** A file or directory of a backup cannot be written. */
export const notWritten = (path: string) => (error: unknown) =>
  new StartupError({
    what: `The backup cannot be written to ${printed(path)}: ${wordsOf(error)}.`,
    doThis: isDiskFull(error)
      ? "Free some space on its disk and run the same command again: it does not copy the files again that are there."
      : "Choose a directory that this user may write to.",
  })

/** The content of a backup is not what its manifest says, or is not a backup's. */
export const damaged = (path: string, what: string): StartupError =>
  new StartupError({
    what: `The backup is damaged: ${printed(path)} ${what}.`,
    doThis: "Nothing was restored from it. Use another backup; `parley verify-backup` shows which are whole.",
  })

/** A file or directory of a backup cannot be read. */
export const notRead = (path: string) => (error: unknown) => damaged(path, `cannot be read: ${wordsOf(error)}`)

/** A file of the store cannot be read or written. */
export const storeFailed =
  (key: string) =>
  ({ detail }: { readonly detail: string }): StartupError =>
    new StartupError({
      what: `The stored file ${key} cannot be copied. ${detail}`,
      doThis: "See that the store of files can be reached, and run the command again.",
    })

/** The database did not answer. */
export const databaseFailed = ({ detail }: { readonly detail: string }): StartupError =>
  new StartupError({ what: detail, doThis: "See that the database runs, and run the command again." })
