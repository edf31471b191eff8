import { SQL } from "bun"
import { Effect } from "effect"
import { linuxUsageOf } from "../../../src/knowledge/process/ProcessUsage.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"

/** The milliseconds of processor time that Postgres, on this machine, has used for the open connections. */
export const backendTime = (url: string) =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 1 })
    const rows: ReadonlyArray<{ pid: number }> = await sql`
      select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'`
    return rows.reduce((sum, { pid }) => sum + linuxUsageOf(pid).milliseconds, 0)
  })

/** Postgres publishes what a connection has read when the connection is idle for a second. */
const PUBLISHED_AFTER = "2500 millis"

/** The number of pages that all connections have read until now, from its memory or from elsewhere. */
export const pagesRead = Effect.gen(function* () {
  const sql = yield* SystemSql
  yield* Effect.sleep(PUBLISHED_AFTER)
  const [row] = yield* sql<{ pages: number }>`
    select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit + coalesce(toast_blks_read + toast_blks_hit, 0))::float8
      as pages
    from pg_statio_user_tables`
  return row?.pages ?? Number.NaN
})
