import { join } from "node:path"
import type { PgPool } from "@effect/sql-pg"
import { Duration, Effect, FileSystem, type Scope } from "effect"
import { freeBytes, mebibytes } from "../../system/Disk.ts"
import { StartupError } from "../../system/StartupError.ts"
import { createCluster } from "./Cluster.ts"
import { deliveredImage } from "./DatabaseImage.ts"
import { databaseNotWritable, lockDirectory } from "./DirectoryLock.ts"
import { type EngineFailure, openEngine } from "./Engine.ts"
import type { Wire } from "./Wire.ts"

export interface EmbeddedSettings {
  /** Made when missing, with its parents. Holds the cluster and the lock, and belongs to this process alone. */
  readonly directory: string
  /** The directory of the image from which a new database is made; the delivered one when absent. */
  readonly image?: string
}

/** The engine, open. */
export interface Embedded {
  readonly wire: Wire
  /** Fails when the engine ends by itself; from then on, so does every statement. */
  readonly lost: Effect.Effect<never, StartupError>
}

/** What a new cluster takes, and more than the engine ever asks for at once. */
const SPACE_NEEDED = 64 * 1024 * 1024

/** Postgres's own files, inside of the directory. */
const CLUSTER = "cluster"
/** Only the server's user may look inside. */
const PRIVATE = 0o700

/** Locks the directory, makes the cluster in it when there is none, and opens it, all until the scope closes. */
export const openEmbedded = Effect.fn("Embedded.open")(function* (
  settings: EmbeddedSettings,
): Effect.fn.Return<Embedded, StartupError, Scope.Scope | FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const cluster = join(settings.directory, CLUSTER)
  const refused = Effect.mapError((error: Error) => databaseNotWritable(settings.directory, error))
  yield* refused(files.makeDirectory(settings.directory, { recursive: true, mode: PRIVATE }))
  yield* lockDirectory(settings.directory)
  if (!(yield* refused(files.exists(cluster)))) {
    yield* Effect.logInfo(`Making a new database in ${settings.directory}`)
    yield* orExplain(settings.directory, "cannot be made", createCluster(cluster, settings.image ?? deliveredImage))
  }
  yield* refused(files.chmod(cluster, PRIVATE))
  const engine = yield* orExplain(settings.directory, "cannot be opened", openEngine(cluster))
  return { wire: engine.wire, lost: orExplain(settings.directory, "stopped", engine.lost) }
})

/**
 * One connection: the engine has one session, and runs one statement at a time whatever is asked of it. Transactions
 * wait in the pool's queue, in order, and interrupting one that waits costs nothing.
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

/** A new connection waits for the end of what the one before left running, which cannot be cancelled. */
const CONNECT_TIMEOUT = Duration.minutes(2)

const orExplain = <A, R>(directory: string, what: string, work: Effect.Effect<A, EngineFailure, R>) =>
  Effect.catch(work, (failure) =>
    Effect.flatMap(freeBytes(directory), (free) => Effect.fail(explain({ directory, what, failure, free }))),
  )

/** What became of the database, and what to do. A full disk has damaged nothing, whatever the engine says last. */
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
