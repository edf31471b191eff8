import { dirname } from "node:path"
import { Clock, Effect, type Redacted } from "effect"
import type { Finding } from "../../domain/system/SystemState.ts"
import { Backups } from "../../storage/backup/Backups.ts"
import { Inspection, type PostgresServer, type RunningServer } from "../../storage/inspection/Inspection.ts"
import { placeOf } from "../../storage/sql/Database.ts"
import { freeBytes, mebibytes } from "../../system/Disk.ts"
import { DATA_DIR, DATABASE_CONNECTIONS } from "../../system/Variables.ts"
import { count, note, ok, wrong } from "./Findings.ts"

/*
 * Checks of the database, of the machine that it runs on, and of the servers that use it.
 */

export interface DatabaseSettings {
  /** The directory of the embedded database, in the data directory. */
  readonly directory: string
  /** The URL of the Postgres server; undefined for the embedded database, which has neither clock nor connections. */
  readonly url: Redacted.Redacted | undefined
}

/** Milliseconds by which the clocks of the database and of this machine may differ without a word. */
const CLOCK_NOTE = 2_000
/** Beyond this, tokens and signatures that other servers check may be refused. */
const CLOCK_WRONG = 30_000
/** The share of the connections beyond which they are nearly used up. */
const CONNECTIONS_NOTE = 0.8
const MEBIBYTE = 1024 * 1024
/** Free bytes below which uploads, indexes and the log may fill the disk within minutes. */
const DISK_WRONG = 256 * MEBIBYTE
const DISK_NOTE = 2_048 * MEBIBYTE
const DAY_SECONDS = 24 * 60 * 60
/** Days after which a backup is old. */
const BACKUP_OLD = 7

/** Reports where the database is, its versions, and indexes that Postgres does not use. */
export const databaseCheck = Effect.fn("Doctor.database")(function* (settings: DatabaseSettings) {
  const inspection = yield* Inspection
  const { migration, pgvector, postgres } = yield* inspection.versions
  return [
    ok(
      "database",
      `PostgreSQL ${postgres}, pgvector ${pgvector}, migrated up to ${migration}, in ${placeOf(settings)}`,
    ),
    ...(yield* inspection.invalidIndexes).map((name) =>
      wrong("tables", `the index ${name} is incomplete; \`REINDEX INDEX ${name}\` builds it anew`),
    ),
  ]
})

/** Examines a Postgres server, and which servers use it. */
export const serversCheck = Effect.fn("Doctor.servers")(function* ({ url }: Pick<DatabaseSettings, "url">) {
  if (url === undefined) return []
  const inspection = yield* Inspection
  const before = yield* Clock.currentTimeMillis
  const postgres = yield* inspection.postgres
  const after = yield* Clock.currentTimeMillis
  const { at } = postgres
  return [
    ofClock(at < before ? at - before : Math.max(0, at - after)),
    ...findingsOf(postgres, yield* inspection.servers),
  ]
})

/** Reports by how many milliseconds the database's clock is ahead, at the least. */
const ofClock = (ahead: number) => {
  const off = Math.abs(ahead)
  if (off < CLOCK_NOTE) return ok("clock", "that of this machine and that of the database agree")
  const text = `the database's is ${(off / 1_000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} this machine's; synchronize both by NTP`
  return (off < CLOCK_WRONG ? note : wrong)("clock", text)
}

/** Reports the servers that use the database: how many, of which versions, and with how many connections. */
export const findingsOf = (
  { connectionsMax, open }: Pick<PostgresServer, "connectionsMax" | "open">,
  servers: ReadonlyArray<RunningServer>,
): ReadonlyArray<Finding> => {
  const machines = new Set(servers.map(({ host }) => host)).size
  const versions = Array.from(new Set(servers.map(({ version }) => version))).sort()
  const most = servers.reduce((sum, { connections }) => sum + connections, 0)
  const together = `all servers together open ${most} at most, and the database gives ${connectionsMax}, of which ${open} are open`
  return [
    (versions.length > 1 ? note : ok)(
      "servers",
      servers.length === 0
        ? "none is running"
        : `${count(servers.length, "server")} on ${count(machines, "machine")}, of version${versions.length === 1 ? "" : "s"} ${versions.join(" and ")}`,
    ),
    most > connectionsMax
      ? wrong(
          "connections",
          `${together}; lower ${DATABASE_CONNECTIONS} or the number of workers, or raise max_connections`,
        )
      : (open > CONNECTIONS_NOTE * connectionsMax ? note : ok)("connections", together),
  ]
}

/** Examines the space on the disk of the data directory; there is nothing to report before the first start. */
export const diskCheck = ({ directory }: DatabaseSettings) =>
  Effect.map(freeBytes(dirname(directory)), (free) => {
    if (free === undefined) return []
    const text = `${mebibytes(free)} are free in ${DATA_DIR}`
    if (free < DISK_WRONG) return [wrong("disk", `only ${text}`)]
    return [(free < DISK_NOTE ? note : ok)("disk", text)]
  })

/** Reports how old the last backup is that `parley backup` has finished. Others may make backups in other ways. */
export const backupsCheck = Effect.gen(function* () {
  const latest = yield* (yield* Backups).latest
  if (latest === undefined) return [ok("backups", "`parley backup` has made none of this database yet")]
  const days = Math.floor(latest.age_seconds / DAY_SECONDS)
  const age = days === 0 ? "less than a day" : count(days, "day")
  return [
    (days >= BACKUP_OLD ? note : ok)("backups", `the last one is ${age} old, with ${count(latest.files, "file")}`),
  ]
})
