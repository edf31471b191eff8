import { expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { FAILING_FROM } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { until } from "../../lib/Client.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { DeliveryBounds } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { WebhookTimeout } from "../../../src/outbound/WebhookSender.ts"
import { startServer } from "../../lib/TestServer.ts"
import { newWebhook, verified } from "../../lib/Webhooks.ts"

/** One webhook at a time, and one more that is failing, so that whoever keeps a place is noticed. */
const server = await startServer(
  {
    RATE_LIMIT: "off",
    TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  },
  Context.make(WebhookTimeout, "60 seconds").pipe(
    Context.add(DeliveryBounds, {
      ...DeliveryBounds.defaultValue(),
      concurrency: 1,
      tries: ["1 hour", "24 hours"],
      waitingLimit: 3,
    }),
  ),
)
const { client } = server
const dead = startEndpoint()
const alive = startEndpoint()
dead.answers(() => new Response(null, { status: 503 }))

const changeOften = async (owner: typeof client, count: number) => {
  const chatbot = await owner.newChatbot()
  for (let number = 0; number < count; number++) {
    await owner.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: `Number ${number}` } })
  }
}

test("an endpoint that fails gets one request at a time, loses the oldest events beyond the limit, and delays no other", async () => {
  const [poor, other] = [await client.newOrganization(), await client.newOrganization()]
  const failing = await newWebhook(poor, dead.url, ["chatbot.updated"])
  // Each chatbot is a subject of its own, so that nothing but its failures holds the endpoint back.
  for (let number = 0; number < 12; number++) {
    await changeOften(poor, 1)
    // One after the other, because each failure of many at once would double the pause.
    if (number < FAILING_FROM) await until(failing.get, (hook) => hook.failures > number)
  }
  const { dropped, failures, waiting } = await until(failing.get, (hook) => hook.dropped > 0 && hook.waiting <= 3)
  expect([dropped + waiting, waiting]).toEqual([12, 3])
  expect(failures).toBeGreaterThanOrEqual(5)
  expect(dead.asked.length).toBeLessThan(12)
  expect((await failing.deliveries("?state=dropped")).deliveries[0]?.error).toBe("Too many deliveries were waiting.")

  const hook = await newWebhook(other, alive.url, ["chatbot.updated"])
  await changeOften(other, 3)
  const delivered = (state: string) => state === "delivered"
  await until(hook.deliveries, ({ deliveries }) => deliveries.filter(({ state }) => delivered(state)).length === 3)
  expect((await hook.deliveries()).deliveries.length).toBe(3)
  expect((await failing.get()).active).toBe(true)
  const { body } = await client.get("/api/admin/system/checks")
  expect(JSON.stringify(body)).toContain("1 endpoint of 2 fail and are tried again")
})

test("secrets are encrypted in the database, before and after a rotation, and still sign", async () => {
  const owner = await client.newOrganization()
  const hook = await newWebhook(owner, alive.url, ["chatbot.updated"])
  alive.answers(() => new Response())
  await changeOften(owner, 1)
  const [asked] = await until(
    async () => alive.asked,
    ({ length }) => length > 0,
  )
  if (asked === undefined) return expect.unreachable()
  verified(asked, hook.secret)
  const { secret } = Object((await owner.post(`${hook.path}/rotate`)).body)
  const rows = await server.query(
    SystemSql.use((sql) =>
      Effect.map(sql<{ row: string }>`select to_jsonb(w)::text as row from webhooks w`, (all) => JSON.stringify(all)),
    ),
  )
  for (const text of [hook.secret, secret]) expect(rows).not.toContain(text.slice("whsec_".length))
})
