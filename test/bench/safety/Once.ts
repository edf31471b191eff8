import { Effect } from "effect"
import type { Part } from "../lib/Parts.ts"

const REQUESTS = 5_000
const KILLS = 20

/**
 * Thousands of requests with idempotency keys, every third of them sent again, while the servers are killed with SIGKILL:
 * two servers on one Postgres, or one on the embedded database. Every request has one effect, and one answer, however
 * often it is sent. The requests make organizations, keys, chatbots, documents and conversations, and change a chatbot.
 */
export const part: Part = async ({ postgres, scale, seed }) => {
  // The modules of the test databases read this variable when they are loaded.
  if (postgres !== undefined) process.env["DATABASE_URL"] = postgres
  const { onceUnderKills } = await import("../../lib/Once.ts")
  const requests = Math.ceil(REQUESTS * scale)
  const kills = Math.ceil(KILLS * scale)
  const servers = postgres === undefined ? 1 : 2
  const report = await Effect.runPromise(
    Effect.scoped(onceUnderKills({ requests, kills, servers, seed, replays: 0.3 })),
  )
  for (const fault of report.faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`)
  return [
    { name: "Servers", value: `${servers} on ${postgres === undefined ? "the embedded database" : "one Postgres"}` },
    { name: "Requests with an idempotency key, answered", value: String(requests) },
    { name: "Requests sent again after they were answered", value: String(report.replays) },
    { name: "Requests sent again because there was no answer", value: String(report.retries) },
    { name: "Servers killed", value: String(report.kills), isKept: report.kills === kills },
    {
      name: "Effects missing or doubled, and answers that differ",
      value: String(report.faults.length),
      isKept: report.faults.length === 0,
    },
  ]
}
