import { expect, test } from "bun:test"
import { Clock, Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { SystemSql } from "../src/storage/sql/Database.ts"
import { sharedRun } from "./lib/Scoped.ts"
import { operatorKey } from "./lib/Spawn.ts"
import { startServer } from "./lib/TestServer.ts"

/** A clock that goes on at the test's command, so that minutes of a server pass in seconds. */
const clock = await sharedRun()(TestClock.make())
const { client, query } = await startServer({ METRICS_TOKEN: operatorKey }, Context.make(Clock.Clock, clock))

/** The minutes for which statements are counted. */
const MINUTES = 3
/** The most statements of an idle server in a minute. One that shares its database looks more often for what others queue. */
const STATEMENTS_A_MINUTE = process.env["DATABASE_URL"] === undefined ? 33 : 50

let reads = 0
const statements = async () => {
  const { text } = await client.get("/metrics", { headers: { authorization: `Bearer ${operatorKey}` } })
  const counts = Array.from(text.matchAll(/^parley_database_statement_duration_seconds_count\{.*\} (\d+)$/gm))
  // The metrics themselves ask for the state of each queue.
  const own = Array.from(text.matchAll(/^parley_queue_oldest_seconds\{/gm)).length
  return counts.reduce((sum, [, count]) => sum + Number(count), -own * reads++ - asked)
}

/** The statements by which the test waits for those of the server. */
let asked = 0

/** Lets a second of the server pass, and waits until a statement is answered that comes after those of this second. */
const passSecond = async () => {
  await Effect.runPromise(clock.adjust("1 second"))
  await query(SystemSql.use((sql) => sql`select ${asked++}::int`))
}

const passMinutes = async (minutes: number) => {
  for (let second = 0; second < 60 * minutes; second++) await passSecond()
  return statements()
}

test("a server that nobody uses sends hardly any statement, also when an organization has a webhook", async () => {
  const { status } = await client.post("/api/external/webhooks", {
    json: { url: "https://hooks.example.com/", events: ["message.created"] },
  })
  expect(status).toBe(201)
  // In its first minute a server does what it does once.
  const before = await passMinutes(1)
  const sent = (await passMinutes(MINUTES)) - before
  expect(sent).toBeLessThan(STATEMENTS_A_MINUTE * MINUTES)
  // Some of it goes on all the time: the server does live on this clock.
  expect(sent).toBeGreaterThan(MINUTES)
})
