import { expect, setDefaultTimeout, test } from "bun:test"
import { Client, until } from "../lib/Client.ts"
import { fakeKey, says } from "../lib/FakeAnthropic.ts"
import { provider } from "../lib/Provider.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "../lib/ServerProcess.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"

setDefaultTimeout(2 * testTimeout)

const run = sharedRun()

/** How many chats the key may have at once. */
const PLACES = 5

const launch = async (settings: Settings) => {
  const server = await run(serverProcess(settings))
  return { server, client: new Client(await server.listening, operatorKey) }
}

/** How many requests an API key may send; no request leaves the window while the test runs. */
const RATE = 200

test("servers on one database share budgets and rate limits, and the chats of a killed server stop counting", async () => {
  const database = await run(fresh)
  const anthropic = await run(provider)
  const settings = {
    ...(await run(settingsFor(database))),
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: anthropic.url,
    KEY_CONCURRENT_CHATS: `${PLACES}`,
    RATE_LIMIT: `${RATE}/1h`,
    ORGANIZATION_RATE_LIMIT: "off",
  }
  const first = await launch(settings)
  // The embedded database serves one process only.
  const second = database.kind === "postgres" ? await launch(settings) : first
  const { id } = await first.client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })

  await anthropic.answers(says("At last."))
  const goOn = anthropic.hold()
  const asked = Array.from({ length: 40 }, (_, index) => [first, second][index % 2]?.client.say(id, "When?"))
  let refused = 0
  for (const reply of asked) void reply?.then(({ status }) => (refused += status === 429 ? 1 : 0))
  await until(
    () => refused,
    (count) => count === 40 - PLACES,
  )
  goOn()
  const statuses = (await Promise.all(asked)).map((reply) => reply?.status)
  expect([statuses.filter((status) => status === 200).length, anthropic.arrived()]).toEqual([PLACES, PLACES])

  await anthropic.answers(says("Never."))
  anthropic.hold()
  const lost = Array.from({ length: PLACES }, () => first.client.say(id, "When?").catch(() => "cut off"))
  await until(anthropic.arrived, (count) => count === PLACES)
  expect((await second.client.say(id, "And me?")).status).toBe(429)
  first.server.kill("SIGKILL")
  expect(await Promise.all(lost)).toEqual(lost.map(() => "cut off"))

  const third = await launch(settings)
  await anthropic.answers(says("Here."))
  anthropic.hold()()
  // The servers of a Postgres notice within seconds that one of them has ended, long before its reservations expire.
  // Asked seldom enough for the limit of the rate.
  const seldom = () => Bun.sleep(500).then(() => third.client.say(id, "And me?"))
  await until(seldom, ({ status }) => status === 200)
  const { client } = await third.client.newKey()
  const servers = database.kind === "postgres" ? [second, third] : [third]
  const reads = await Promise.all(
    Array.from({ length: 2 * RATE }, (_, index) =>
      new Client(servers[index % servers.length]?.client.url ?? "", client.key).get(`/api/external/chatbot/${id}`),
    ),
  )
  const granted = reads.filter(({ status }) => status === 200).length
  expect(reads.filter(({ status }) => status === 429).length).toBe(2 * RATE - granted)
  expect(granted).toBeGreaterThanOrEqual(RATE)
  // Each server may grant a fiftieth before the others learn of it.
  expect(granted).toBeLessThanOrEqual(RATE + servers.length * (RATE / 50))
  expect(third.server.stdout()).toMatch(/"message":"request".*"address":"127\.0\.0\.1"/)
})
