import { Database, SQLiteError } from "bun:sqlite"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { notWritable } from "../../system/Disk.ts"
import { StartupError } from "../../system/StartupError.ts"
import { DATA_DIR } from "../../system/Variables.ts"

const LOCK_FILE = "lock"
/** The file with the holder's process id, for messages only: the lock file cannot be read while it is locked. */
const PID_FILE = "pid"

/**
 * Keeps other processes out of a directory until the scope closes. Two engines on one directory would lose data that
 * they have acknowledged. SQLite locks a file by the operating system, so that the lock ends with its process in any
 * case.
 */
export const lockDirectory = (directory: string): Effect.Effect<void, StartupError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => take(directory), catch: (error) => explain(directory, error) }),
    (lock) => Effect.sync(() => lock.close()),
  ).pipe(Effect.asVoid)

const take = (directory: string): Database => {
  const lock = new Database(join(directory, LOCK_FILE), { create: true })
  try {
    // The journal stays in memory, because a killed holder would leave one that the next has to roll back.
    lock.exec("pragma busy_timeout = 0; pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive")
    writeFileSync(join(directory, PID_FILE), String(process.pid))
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

const explain = (directory: string, error: unknown): StartupError => {
  const code = error instanceof SQLiteError ? (error.code ?? "") : ""
  if (code.startsWith("SQLITE_BUSY")) {
    return new StartupError({
      what: `The database directory ${directory} is in use by ${holder(directory)}.`,
      doThis: `Stop that process, or give this one another directory by ${DATA_DIR}.`,
      isInUse: true,
    })
  }
  if (code.startsWith("SQLITE_NOTADB") || code.startsWith("SQLITE_CORRUPT")) {
    return new StartupError({
      what: `The lock file ${join(directory, LOCK_FILE)} is damaged.`,
      doThis: "Make sure that no other Parley uses the directory, and delete the file; it holds no data.",
    })
  }
  return databaseNotWritable(directory, error)
}

/** The server cannot start, because it cannot write to the database directory. */
export const databaseNotWritable = (directory: string, error: unknown): StartupError =>
  notWritable(`The database directory ${directory}`, error)

const holder = (directory: string): string => {
  try {
    const pid = readFileSync(join(directory, PID_FILE), "utf8")
    return /^\d+$/.test(pid) ? `process ${pid}` : "another process"
  } catch {
    return "another process"
  }
}
