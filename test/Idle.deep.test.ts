import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { Client } from "./lib/Client.ts"
import { operatorKey, serverProcess, settingsFor } from "./lib/ServerProcess.ts"
import { scopedRun } from "./lib/Scoped.ts"
import { fresh } from "./lib/TestDatabase.ts"
import { testTimeout } from "./lib/TestServer.ts"

setDefaultTimeout(3 * testTimeout)

const run = scopedRun()

/** Seconds for which statements are counted. */
const SECONDS = 20
/** Longest time in which a server does what it does once after its start, in seconds. */
const START_SECONDS = 20
/** The most statements of an idle server in a minute. */
const STATEMENTS_A_MINUTE = 33

test("a server that nobody uses sends hardly any statement, also when an organization has a webhook", async () => {
  const settings = await run(Effect.flatMap(fresh, settingsFor))
  const server = await run(serverProcess({ ...settings, METRICS_TOKEN: operatorKey }))
  const client = new Client(await server.listening, operatorKey)
  let reads = 0
  const statements = async () => {
    const { text } = await client.get("/metrics", { headers: { authorization: `Bearer ${operatorKey}` } })
    const counts = Array.from(text.matchAll(/^parley_database_statement_duration_seconds_count\{.*\} (\d+)$/gm))
    // The metrics themselves ask for the state of each queue.
    const own = Array.from(text.matchAll(/^parley_queue_oldest_seconds\{/gm)).length
    return counts.reduce((sum, [, count]) => sum + Number(count), -own * reads++)
  }
  const { status } = await client.post("/api/external/webhooks", {
    json: { url: "https://hooks.example.com/", events: ["message.created"] },
  })
  expect(status).toBe(201)
  await Bun.sleep(START_SECONDS * 1_000)
  const before = await statements()
  expect(before).toBeGreaterThan(0)
  await Bun.sleep(SECONDS * 1_000)
  expect((await statements()) - before).toBeLessThan((STATEMENTS_A_MINUTE * SECONDS) / 60)
})
