import { Effect } from "effect"
import { DatabaseHealth, type TableFacts } from "../../storage/inspection/DatabaseHealth.ts"
import { mebibytes } from "../../system/Disk.ts"
import { count, note, ok, wrong } from "./Check.ts"
import type { ServerSettings } from "./Server.ts"

/** A large table that is read whole this often is searched by statements without an index. */
const SCANS_PER_HOUR = 60

/**
 * Examines indexes and large tables: what Postgres does not clean up, has no statistics of, or reads whole. The embedded
 * database has no statistics of its own, and its tables are looked after by the server.
 */
export const tablesCheck = Effect.fn("Doctor.tables")(function* ({ url }: ServerSettings) {
  const health = yield* DatabaseHealth
  const found = (yield* health.invalidIndexes).map((name) =>
    wrong("tables", `the index ${name} is incomplete; \`REINDEX INDEX ${name}\` builds it anew`),
  )
  if (url === undefined) return found
  for (const table of yield* health.tables) found.push(...ofTable(table))
  for (const { calls, milliseconds, statement } of yield* health.slowStatements) {
    found.push(note("tables", `${milliseconds.toFixed(0)} ms on average in ${count(calls, "call")}: ${statement}`))
  }
  return found.length > 0
    ? found
    : [ok("tables", "indexes are complete, and large tables are vacuumed, analyzed and not read whole")]
})

const ofTable = ({ bytes, deadRows, isAnalyzed, isBehind, name, rows, scansPerHour }: TableFacts) => {
  const table = `${name} (${mebibytes(bytes)})`
  return [
    ...(isBehind
      ? [
          note(
            "tables",
            `${table} has ${count(deadRows, "dead row")} and ${rows.toLocaleString("en")} others; autovacuum does not keep up`,
          ),
        ]
      : []),
    ...(isAnalyzed
      ? []
      : [note("tables", `${table} was never analyzed, so that Postgres guesses; \`ANALYZE ${name}\` counts`)]),
    ...(scansPerHour < SCANS_PER_HOUR
      ? []
      : [note("tables", `${table} is read whole ${Math.round(scansPerHour)} times an hour, for want of an index`)]),
  ]
}
