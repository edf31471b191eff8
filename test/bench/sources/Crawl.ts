import { Effect } from "effect"
import type { Finding, Part } from "../lib/Parts.ts"
import type { Piece } from "./Piece.ts"

/**
 * Websites on this machine, read by the engine of servers: a site of all traps with the pauses that servers keep, hosts
 * that are traps as a whole, private addresses, and a large site that is read again and again.
 */
export const part: Part = async (settings) => {
  // The modules of the test databases read this variable when they are loaded.
  if (settings.postgres !== undefined) process.env["DATABASE_URL"] = settings.postgres
  const { crawlNeeds } = await import("../../lib/Crawling.ts")
  const pieces: ReadonlyArray<Piece> = [
    (await import("./TrapPages.ts")).trapPages,
    (await import("./TrapHosts.ts")).trapHosts,
    (await import("./PrivateHosts.ts")).privateHosts,
    (await import("./Unchanged.ts")).unchanged,
  ]
  const findings: Array<Finding> = []
  for (const piece of pieces) {
    findings.push(...(await Effect.runPromise(Effect.scoped(piece(settings)).pipe(Effect.provide(crawlNeeds)))))
  }
  return findings
}
