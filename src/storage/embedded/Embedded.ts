import { join } from "node:path"
import type { PgPool } from "@effect/sql-pg"
import { Duration, Effect, FileSystem, type Scope } from "effect"
import { freeBytes, mebibytes } from "../../system/Disk.ts"
import { nothingThere, StartupError } from "../../system/StartupError.ts"
import { createCluster } from "./NewCluster.ts"
import { databaseNotWritable, lockDirectory } from "./DirectoryLock.ts"
import { type EngineFailure, openEngine } from "./Engine.ts"
import type { Wire } from "./Wire.ts"

export interface EmbeddedSettings {
  /** The directory of the cluster and the lock, for this process alone. It is made, with its parents, when missing. */
  readonly directory: string
  /** Whether there has to be a database already. Nothing is made where there is none. */
  readonly mustExist?: boolean
  /** Whether a new database is without the migrations of the image. */
  readonly isBare?: boolean
}

/** The open engine. */
export interface Embedded {
  readonly wire: Wire
  /** Fails when the engine ends by itself; from then on, every statement fails too. */
  readonly lost: Effect.Effect<never, StartupError>
}

/** The bytes that a new cluster takes, which is more than the engine ever allocates at once. */
const SPACE_NEEDED = 64 * 1024 * 1024

/** The subdirectory with Postgres's own files. */
const CLUSTER = "cluster"
/** The mode of directories that only the server's user may read. */
const PRIVATE = 0o700

/** Locks the directory, makes a cluster in it if there is none, and opens the cluster, until the scope closes. */
export const openEmbedded = Effect.fn("Embedded.open")(function* (
  settings: EmbeddedSettings,
): Effect.fn.Return<Embedded, StartupError, Scope.Scope | FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const cluster = join(settings.directory, CLUSTER)
  const refused = Effect.mapError((error: Error) => databaseNotWritable(settings.directory, error))
  if (settings.mustExist === true && !(yield* refused(files.exists(cluster)))) {
    return yield* nothingThere(settings.directory)
  }
  yield* refused(files.makeDirectory(settings.directory, { recursive: true, mode: PRIVATE }))
  yield* lockDirectory(settings.directory)
  if (!(yield* refused(files.exists(cluster)))) {
    yield* Effect.logInfo(`Making a new database in ${settings.directory}`)
    yield* orExplain(settings.directory, "cannot be made", createCluster(cluster, settings.isBare))
  }
  yield* refused(files.chmod(cluster, PRIVATE))
  const engine = yield* orExplain(settings.directory, "cannot be opened", openEngine(cluster))
  return { wire: engine.wire, lost: orExplain(settings.directory, "stopped", engine.lost) }
})

/**
 * Configures a pool with one connection, because the engine has one session and runs one statement at a time.
 * Transactions wait in the pool's queue, in order, where interrupting one costs nothing.
 */
export const poolOver = (engine: Embedded): PgPool.Config => ({
  stream: () => engine.wire.connect(),
  ssl: false,
  username: "postgres",
  database: "postgres",
  minConnections: 1,
  maxConnections: 1,
  idleTimeout: Duration.infinity,
  connectTimeout: CONNECT_TIMEOUT,
})

/** A new connection waits until the last statement of the one before ends, which cannot be cancelled. */
const CONNECT_TIMEOUT = Duration.minutes(2)

const orExplain = <A, R>(directory: string, what: string, work: Effect.Effect<A, EngineFailure, R>) =>
  Effect.catch(work, (failure) =>
    Effect.flatMap(freeBytes(directory), (free) => Effect.fail(explain({ directory, what, failure, free }))),
  )

/**
 * Explains a failure of the engine. When the disk is full, nothing is damaged, even if the engine's last message says so.
 */
export const explain = ({
  directory,
  what,
  failure: { message },
  free,
}: {
  readonly directory: string
  readonly what: string
  readonly failure: EngineFailure
  readonly free: number | undefined
}): StartupError => {
  const isFull = /no space left|quota exceeded/i.test(message) || (free !== undefined && free < SPACE_NEEDED / 4)
  return isFull
    ? new StartupError({
        what: `The database in ${directory} ${what}: its disk is full${free === undefined ? "" : `, with ${mebibytes(free)} left`}.`,
        doThis: `Free at least ${mebibytes(SPACE_NEEDED)} and start again: nothing is damaged, and all that was acknowledged is there.`,
      })
    : new StartupError({
        what: `The database in ${directory} ${what}: ${message}.`,
        doThis: "If it goes on when you start again, restore the directory from a backup, or choose a new one.",
      })
}
