import { join } from "node:path"
import type { PgPool } from "@effect/sql-pg"
import { Duration, Effect, FileSystem, type Scope } from "effect"
import { StartupError } from "../../domain/StartupError.ts"
import { lockDirectory, notWritable } from "./DirectoryLock.ts"
import { createCluster, type Engine, type EngineFailure, openEngine } from "./Engine.ts"

export interface EmbeddedSettings {
  /** Made when missing, with its parents. Holds the cluster and the lock, and belongs to this process alone. */
  readonly directory: string
}

/** Postgres's own files, inside of the directory. */
const CLUSTER = "cluster"
/** Only the server's user may look inside. */
const PRIVATE = 0o700

/** Locks the directory, makes the cluster in it when there is none, and opens it, all until the scope closes. */
export const openEmbedded = Effect.fn("Embedded.open")(function* (
  settings: EmbeddedSettings,
): Effect.fn.Return<Engine, StartupError, Scope.Scope | FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const cluster = join(settings.directory, CLUSTER)
  const refused = Effect.mapError((error: Error) => notWritable(settings.directory, error))
  yield* refused(files.makeDirectory(settings.directory, { recursive: true, mode: PRIVATE }))
  yield* lockDirectory(settings.directory)
  if (!(yield* refused(files.exists(cluster)))) {
    yield* Effect.logInfo(`Making a new database in ${settings.directory}`)
    yield* Effect.mapError(createCluster(cluster), cannotOpen(settings.directory))
  }
  yield* refused(files.chmod(cluster, PRIVATE))
  return yield* Effect.mapError(openEngine(cluster), cannotOpen(settings.directory))
})

/**
 * One connection: the engine has one session, and runs one statement at a time whatever is asked of it. Transactions
 * wait in the pool's queue, in order, and interrupting one that waits costs nothing.
 */
export const poolOver = (engine: Engine): PgPool.Config => ({
  stream: () => engine.wire.connect(),
  ssl: false,
  username: "postgres",
  database: "postgres",
  minConnections: 1,
  maxConnections: 1,
  idleTimeout: Duration.infinity,
  connectTimeout: CONNECT_TIMEOUT,
})

/** A new connection waits for the end of what the one before left running, which cannot be cancelled. */
const CONNECT_TIMEOUT = Duration.minutes(2)

const cannotOpen = (directory: string) => (failure: EngineFailure) =>
  new StartupError({
    what: `The database in ${directory} cannot be opened: ${failure.message}.`,
    doThis: "Restore the directory from a backup, or choose a new one.",
  })
