import { Duration, Effect, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { mebibytes } from "../../system/Disk.ts"

const LOOK_EVERY = Duration.millis(500)
/** A start has a little to write, and the reserve is large enough for that. */
const FIRST_LOOK = Duration.seconds(5)

export interface DiskWatchSettings {
  /** For the log. */
  readonly directory: string
  /** Bytes that the disk has left; undefined when it does not tell. */
  readonly free: Effect.Effect<number | undefined>
  /** Below so many bytes, nothing more is stored. */
  readonly reserve: number
}

/**
 * Lets the session only read while its disk has less space than the reserve. The engine ends when it cannot write its log,
 * and everything with it; so it goes on, answers what it can, and stores again as soon as there is space. Looks until the
 * scope closes.
 */
export const watchDisk = Effect.fn("DiskWatch.watch")(function* (
  sql: SqlClient.SqlClient,
  { directory, free, reserve }: DiskWatchSettings,
) {
  let isLow = false
  const look = Effect.gen(function* () {
    const bytes = yield* free
    const isLowNow = bytes !== undefined && bytes < reserve
    // Again each time: a new connection to the engine knows nothing of it.
    if (isLowNow || isLow) {
      yield* sql`select set_config('default_transaction_read_only', ${isLowNow ? "on" : "off"}, false)`
    }
    if (isLowNow === isLow) return
    isLow = isLowNow
    const facts = { directory, free: mebibytes(bytes ?? 0), needed: mebibytes(reserve) }
    yield* (
      isLow
        ? Effect.logError("The disk of the database is nearly full: nothing is stored until there is space again")
        : Effect.logInfo("The disk of the database has space again")
    ).pipe(Effect.annotateLogs(facts))
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The disk of the database could not be looked at", cause)))
  yield* Effect.forkScoped(Effect.delay(Effect.repeat(look, Schedule.spaced(LOOK_EVERY)), FIRST_LOOK))
  return { isLow: Effect.sync(() => isLow) }
})
