import { dirname } from "node:path"
import { Clock, Effect, type Redacted } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { Backups } from "../../storage/backup/Backups.ts"
import { type RunningServers, ServerList } from "../../storage/inspection/ServerList.ts"
import { DatabaseHealth, type TableFacts } from "../../storage/inspection/DatabaseHealth.ts"
import { Inspection } from "../../storage/inspection/Inspection.ts"
import { placeOf } from "../../storage/sql/Database.ts"
import { freeBytes, mebibytes } from "../../system/Disk.ts"
import { DATA_DIR, DATABASE_CONNECTIONS } from "../../system/Variables.ts"
import { count, note, ok, wrong } from "./Check.ts"

/*
 * Checks of the database, of the machine that it runs on, and of the servers that use it.
 */

export interface DatabaseSettings {
  /** The directory of the embedded database, in the data directory. */
  readonly directory: string
  /** The URL of the Postgres server; undefined for the embedded database, which has neither clock nor connections. */
  readonly url: Redacted.Redacted | undefined
  /** Most connections of one process. */
  readonly maxConnections: number
}

/** Milliseconds by which the clocks of the database and of this machine may differ without a word. */
const CLOCK_NOTE = 2_000
/** Beyond this, tokens and signatures that other servers check may be refused. */
const CLOCK_WRONG = 30_000
/** The share of the connections beyond which they are nearly used up. */
const CONNECTIONS_NOTE = 0.8
/** Postgres stops writing at 2^31 transactions; half of that leaves time for a vacuum. */
const AGE_WRONG = 2 ** 30
/** A large table that is read whole this often is searched by statements without an index. */
const SCANS_PER_HOUR = 60
const MEBIBYTE = 1024 * 1024
/** Free bytes below which uploads, indexes and the log may fill the disk within minutes. */
const DISK_WRONG = 256 * MEBIBYTE
const DISK_NOTE = 2_048 * MEBIBYTE
const DAY_SECONDS = 24 * 60 * 60
/** Days after which a backup is old. */
const BACKUP_OLD = 7

/** Reports where the database is, its versions, and the time limits that a Postgres server keeps. */
export const databaseCheck = Effect.fn("Doctor.database")(function* (settings: DatabaseSettings) {
  const { limits, migrations, pgvector, postgres } = yield* (yield* Inspection).database
  const findings = [
    ok(
      "database",
      `PostgreSQL ${postgres}, pgvector ${pgvector}, ${count(migrations.length, "migration")} up to ${migrations.at(-1)}, in ${placeOf(settings)}`,
    ),
  ]
  if (limits.statement > 0) {
    const [statement, idle] = [limits.statement / 1_000, limits.idleTransaction / 1_000]
    findings.push(
      ok("database", `cancels a statement after ${statement} s, and ends a transaction that idles for ${idle} s`),
    )
  }
  return findings
})

/** Examines a Postgres server: its clock, its connections, and how far it is from a wraparound of transaction ids. */
export const serverCheck = Effect.fn("Doctor.server")(function* ({
  maxConnections,
  url,
}: Pick<DatabaseSettings, "maxConnections" | "url">) {
  if (url === undefined) return []
  const health = yield* DatabaseHealth
  const before = yield* Clock.currentTimeMillis
  const { at, connections, connectionsMax, freezeAge, isAutovacuumOn, oldestId } = yield* health.server
  const after = yield* Clock.currentTimeMillis
  return [
    ofClock(at < before ? at - before : Math.max(0, at - after)),
    ofConnections(connections, connectionsMax, maxConnections),
    ...(isAutovacuumOn ? [] : [wrong("tables", "autovacuum is off, so that tables grow for ever; switch it on")]),
    ...ofAge(oldestId, freezeAge),
  ]
})

/** Reports by how many milliseconds the database's clock is ahead, at the least. */
const ofClock = (ahead: number) => {
  const off = Math.abs(ahead)
  if (off < CLOCK_NOTE) return ok("clock", "that of this machine and that of the database agree")
  const text = `the database's is ${(off / 1_000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} this machine's; synchronize both by NTP`
  return (off < CLOCK_WRONG ? note : wrong)("clock", text)
}

const ofConnections = (used: number, most: number, ofProcess: number) => {
  const text = `${used} of ${count(most, "connection")} of Postgres in use; a process of Parley opens ${ofProcess} at most`
  if (ofProcess > most) return wrong("connections", `${text}, which is more than there are`)
  return (used > CONNECTIONS_NOTE * most ? note : ok)("connections", text)
}

const ofAge = (age: number, freezeAge: number) => {
  const millions = `${Math.round(age / 1_000_000).toLocaleString("en")} million transactions`
  if (age > AGE_WRONG) return [wrong("tables", `not vacuumed for ${millions}; Postgres stops writing at 2,147 million`)]
  return age > 2 * freezeAge ? [note("tables", `not vacuumed for ${millions}; autovacuum does not keep up`)] : []
}

/** Reports the servers that use the database: how many, of which versions, and with how many connections. */
export const findingsOf = ({ limits, servers }: RunningServers): ReadonlyArray<Finding> => {
  const machines = new Set(servers.map(({ host }) => host)).size
  const versions = Array.from(new Set(servers.map(({ version }) => version))).sort()
  const most = servers.reduce((sum, { connections }) => sum + connections, 0)
  const together = `all servers together open ${most} at most, and the database gives ${limits.connections}, of which ${limits.open} are open`
  return [
    (versions.length > 1 ? note : ok)(
      "servers",
      servers.length === 0
        ? "none is running"
        : `${count(servers.length, "server")} on ${count(machines, "machine")}, of version${versions.length === 1 ? "" : "s"} ${versions.join(" and ")}`,
    ),
    most > limits.connections
      ? wrong(
          "connections",
          `${together}; lower ${DATABASE_CONNECTIONS} or the number of workers, or raise max_connections`,
        )
      : ok("connections", together),
  ]
}

/** Examines which servers use the database. It finds nothing on the embedded database. */
export const serversCheck = ServerList.use(({ running }) =>
  Effect.map(running, (found) => (found === undefined ? [] : findingsOf(found))),
).pipe(Effect.withSpan("Doctor.servers"))

/**
 * Examines indexes and large tables: what Postgres does not clean up, has no statistics of, or reads whole. The embedded
 * database has no statistics of its own, and its tables are looked after by the server.
 */
export const tablesCheck = Effect.fn("Doctor.tables")(function* ({ url }: Pick<DatabaseSettings, "url">) {
  const health = yield* DatabaseHealth
  const findings = (yield* health.invalidIndexes).map((name) =>
    wrong("tables", `the index ${name} is incomplete; \`REINDEX INDEX ${name}\` builds it anew`),
  )
  if (url === undefined) return findings
  for (const table of yield* health.tables) findings.push(...ofTable(table))
  for (const { calls, milliseconds, statement } of yield* health.slowStatements) {
    findings.push(note("tables", `${milliseconds.toFixed(0)} ms on average in ${count(calls, "call")}: ${statement}`))
  }
  return findings.length > 0
    ? findings
    : [ok("tables", "indexes are complete, and large tables are vacuumed, analyzed and not read whole")]
})

const ofTable = ({ bytes, deadRows, isAnalyzed, isBehind, name, rows, scansPerHour }: TableFacts) => {
  const table = `${name} (${mebibytes(bytes)})`
  const dead = `${count(deadRows, "dead row")} and ${rows.toLocaleString("en")} others`
  const problems: ReadonlyArray<readonly [isThere: boolean, text: string]> = [
    [isBehind, `${table} has ${dead}; autovacuum does not keep up`],
    [!isAnalyzed, `${table} was never analyzed, so that Postgres guesses; \`ANALYZE ${name}\` counts`],
    [
      scansPerHour >= SCANS_PER_HOUR,
      `${table} is read whole ${Math.round(scansPerHour)} times an hour, for want of an index`,
    ],
  ]
  return problems.flatMap(([isThere, text]) => (isThere ? [note("tables", text)] : []))
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
