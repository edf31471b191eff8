import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { regularly } from "../../system/Background.ts"
import { mebibytes } from "../../system/Disk.ts"

const LOOK_EVERY = Duration.millis(500)
/** The first check comes after the start, which writes little compared to the reserve. */
const FIRST_LOOK = Duration.seconds(5)

export interface DiskWatchSettings {
  /** The database directory, for the log. */
  readonly directory: string
  /** The free bytes of the disk; undefined when the file system does not say. */
  readonly free: Effect.Effect<number | undefined>
  /** The free bytes below which nothing more is stored. */
  readonly reserve: number
}

/**
 * Makes the session read-only while its disk has less free space than the reserve, until the scope closes. Otherwise
 * the engine would end when it cannot write its log, and the server with it. So reads go on, and writes succeed again
 * as soon as there is space.
 */
export const watchDisk = Effect.fn("DiskWatch.watch")(function* (
  sql: SqlClient.SqlClient,
  { directory, free, reserve }: DiskWatchSettings,
) {
  let isLow = false
  const look = Effect.gen(function* () {
    const bytes = yield* free
    const isLowNow = bytes !== undefined && bytes < reserve
    // Set each time, because a new connection to the engine begins with the default.
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
  })
  const watching = regularly(LOOK_EVERY, "The disk of the database could not be looked at", look)
  yield* Effect.forkScoped(Effect.delay(watching, FIRST_LOOK))
  return { isLow: Effect.sync(() => isLow) }
})
