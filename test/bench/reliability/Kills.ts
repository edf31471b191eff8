import { Effect } from "effect"
import type { PointsReport, Recovery } from "../../lib/kills/KillAtPoints.ts"
import type { Finding, Part } from "../lib/Parts.ts"

const KILLS = 100
/** The longest time after a kill until work goes on, in milliseconds. */
const BACK_WITHIN = 5_000

/**
 * Kills a server with SIGKILL at each of the named points of its work, while clients chat, upload, replace and delete,
 * and events are sent to a webhook. Clients repeat what was not answered, by its idempotency key. In the end everything
 * that was acknowledged is there once, and nothing else. First with files in a directory, and then in S3.
 */
export const part: Part = async ({ postgres, scale, seed }) => {
  // The modules of the test databases read this variable when they are loaded.
  if (postgres !== undefined) process.env["DATABASE_URL"] = postgres
  const { killAtPoints } = await import("../../lib/kills/KillAtPoints.ts")
  const kills = Math.ceil(KILLS * scale)
  const tell = (line: string) => void process.stdout.write(`  ${line}\n`)
  const findings: Array<Finding> = []
  for (const store of [undefined, "s3"] as const) {
    const where = `${postgres === undefined ? "Embedded database" : "Postgres"}, files in ${store ?? "a directory"}`
    tell(where)
    const report = await Effect.runPromise(
      Effect.scoped(killAtPoints({ kills, seed, tell, ...(store !== undefined && { store }) })),
    )
    for (const fault of report.faults.slice(0, 20)) tell(fault)
    findings.push({ name: where, value: `${kills} kills` }, ...findingsOf(report))
  }
  return findings
}

const findingsOf = ({ acknowledged, faults, kills, recoveries, retries }: PointsReport): ReadonlyArray<Finding> => {
  const slowest = (name: string, of: (recovery: Recovery) => number): Finding => {
    const times = recoveries.map(of).toSorted((one, other) => one - other)
    const [middle = 0, last = 0] = [times[Math.floor(times.length / 2)], times.at(-1)]
    return { name, value: `${middle} ms in the middle, ${last} ms at most`, isKept: last <= BACK_WITHIN }
  }
  return [
    ...Array.from(kills, ([name, count]) => ({ name: `Killed ${name}`, value: String(count) })),
    { name: "Requests acknowledged", value: String(acknowledged) },
    { name: "Requests sent again because there was no answer", value: String(retries) },
    slowest("From a kill until a request is acknowledged", ({ working }) => working),
    slowest("From a kill until all that it cut off is acknowledged", ({ resumed }) => resumed),
    slowest("From a kill until all documents can be searched", ({ settled }) => settled),
    slowest("From a kill until a webhook is sent an event", ({ delivered }) => delivered),
    { name: "Lost, doubled or left over", value: String(faults.length), isKept: faults.length === 0 },
  ]
}
