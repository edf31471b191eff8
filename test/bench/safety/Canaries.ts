import { Effect } from "effect"
import type { Finding, PartSettings } from "../lib/Parts.ts"

/** Looks for secrets in all that leaves a server or lies on its disk, with each form of the log. */
export const part = async ({ postgres }: PartSettings): Promise<ReadonlyArray<Finding>> => {
  if (postgres !== undefined) process.env["DATABASE_URL"] = postgres
  // It reads the URL of the database when it is loaded.
  const { canaryRun } = await import("../../lib/Canaries.ts")
  const findings: Array<Finding> = []
  for (const format of ["json", "pretty"] as const) {
    const { canaries, hits, places } = await Effect.runPromise(Effect.scoped(canaryRun({ format, isWhole: true })))
    findings.push(
      ...places.map(({ bytes, place }) => ({
        name: `${format} log: ${place}`,
        value: `${bytes} bytes looked through`,
      })),
      ...hits.map(({ canary, form, place, where }) => ({
        name: `${format} log: ${canary} in ${place}`,
        value: `${form}, ${where}`,
        isKept: false,
      })),
      {
        name: `${format} log: hits of ${canaries.length} canaries`,
        value: String(hits.length),
        isKept: hits.length === 0,
      },
    )
  }
  return findings
}
