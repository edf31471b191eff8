import { Clock, Effect, type Redacted } from "effect"
import { DatabaseHealth } from "../../storage/inspection/DatabaseHealth.ts"
import { count, note, ok, wrong } from "./Check.ts"

export interface ServerSettings {
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

/** Examines a Postgres server: its clock, its connections, and how far it is from a wraparound of transaction ids. */
export const serverCheck = Effect.fn("Doctor.server")(function* ({ maxConnections, url }: ServerSettings) {
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
