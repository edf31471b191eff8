import { readFileSync } from "node:fs"
import { SQL } from "bun"
import { Effect } from "effect"
import { linuxTreeOf, linuxUsageOf } from "../../../src/readers/process/ProcessUsage.ts"
import type { Child } from "../http/Child.ts"

/** The fields of `/proc/<pid>/stat` behind the name of the process, which may contain any character. */
const statOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  } catch {
    return []
  }
}

const TICK_MILLISECONDS = 10

/**
 * A clock of the processor time that a Postgres server on this machine uses, in milliseconds, with all of its
 * processes, ended ones included, whatever database they work for. It shows NaN when the server is elsewhere.
 */
export const postgresClock = (url: string): Effect.Effect<() => number> =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 1 })
    const [backend]: ReadonlyArray<{ pid: number }> = await sql`select pg_backend_pid() as pid`
    const server = Number(statOf(backend?.pid ?? 0)[1])
    return () => {
      const living = linuxTreeOf(server).reduce((sum, pid) => sum + linuxUsageOf(pid).milliseconds, 0)
      const [ofUser, ofSystem] = statOf(server).slice(13)
      return living + (Number(ofUser) + Number(ofSystem)) * TICK_MILLISECONDS
    }
  })

/**
 * Begins to measure the processor time of a server and of Postgres. The function that it returns tells the cost of each
 * of so many answers since then, and the shares of the time in which each of the two kept one processor busy.
 */
export const meter = (child: Child, postgres: () => number): ((answers: number) => string) => {
  const begin = { wall: performance.now(), server: child.processorTime(), postgres: postgres() }
  return (answers) => {
    const wall = performance.now() - begin.wall
    const cost = (milliseconds: number) =>
      `${(milliseconds / answers).toFixed(2)} ms each, ${((100 * milliseconds) / wall).toFixed(0)} % of a processor`
    const { now, peak } = child.memory()
    return (
      `server ${cost(child.processorTime() - begin.server)}; Postgres ${cost(postgres() - begin.postgres)}; ` +
      `memory ${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at most`
    )
  }
}

/** A server begins to make the next index that is missing within this time after its start, a search, and each index. */
const INDEX_BEGINS_MILLISECONDS = 5_000

/** Waits until no index is being made in the database. Those of large knowledge bases take minutes. */
export const indexesMade = (url: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 1 })
    for (let quietSince = performance.now(); performance.now() - quietSince < INDEX_BEGINS_MILLISECONDS;) {
      const unfinished: ReadonlyArray<unknown> = await sql`
        select from pg_stat_progress_create_index where datname = current_database()`
      if (unfinished.length > 0) quietSince = performance.now()
      await Bun.sleep(500)
    }
  })

/** Postgres publishes what a connection has read when the connection is idle for a second. In milliseconds. */
const PUBLISHED_AFTER = 2_500

/** The number of pages that all connections have read until now, from its memory or from elsewhere. */
export const pagesRead = (url: string): Effect.Effect<number> =>
  Effect.promise(async () => {
    await Bun.sleep(PUBLISHED_AFTER)
    await using sql = new SQL(url, { max: 1 })
    const [row]: ReadonlyArray<{ pages: number }> = await sql`
      select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit + coalesce(toast_blks_read + toast_blks_hit, 0))::float8
        as pages
      from pg_statio_user_tables`
    return row?.pages ?? Number.NaN
  })
