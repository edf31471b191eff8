import { expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { until } from "../../lib/Client.ts"
import { startEndpoint } from "../../lib/Endpoint.ts"
import { DeliveryBounds } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { WebhookTimeout } from "../../../src/outbound/WebhookSender.ts"
import { startServer } from "../../lib/TestServer.ts"
import { newWebhook, verified } from "../../lib/Webhooks.ts"

/** Few deliveries at once, so that one that keeps a place is noticed. */
const server = await startServer(
  {
    RATE_LIMIT: "off",
    TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  },
  Context.make(WebhookTimeout, "60 seconds").pipe(
    Context.add(DeliveryBounds, {
      ...DeliveryBounds.defaultValue(),
      concurrency: 4,
      concurrencyOfWebhook: 2,
      tries: ["1 hour", "24 hours"],
    }),
  ),
)
const { client } = server
const dead = startEndpoint()
const hanging = startEndpoint()
const alive = startEndpoint()
dead.answers(() => new Response(null, { status: 503 }))
const hung = Promise.withResolvers<Response>()
hanging.answers(() => hung.promise)

const changeOften = async (owner: typeof client, count: number) => {
  const chatbot = await owner.newChatbot()
  for (let number = 0; number < count; number++) {
    await owner.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: `Number ${number}` } })
  }
}

test("an endpoint that hangs and one that fails delay no other, and what hangs comes in the end", async () => {
  const [poor, slow, other] = [
    await client.newOrganization(),
    await client.newOrganization(),
    await client.newOrganization(),
  ]
  const failing = await newWebhook(poor, dead.url, ["chatbot.updated"])
  const stuck = await newWebhook(slow, hanging.url, ["chatbot.updated"])
  await changeOften(poor, 6)
  await changeOften(slow, 6)
  await until(failing.get, ({ failures }) => failures === 6)
  await until(async () => hanging.asked, { length: 2 })
  const { body } = await client.get("/api/admin/system/checks")
  expect(JSON.stringify(body)).toContain("1 endpoint of 2 fail and are tried again")

  const hook = await newWebhook(other, alive.url, ["chatbot.updated"])
  await changeOften(other, 3)
  const all = (state: string) => state === "delivered"
  await until(hook.deliveries, ({ deliveries }) => deliveries.filter(({ state }) => all(state)).length === 3)
  expect(hanging.asked).toHaveLength(2)
  expect([(await failing.get()).active, (await failing.get()).waiting]).toEqual([true, 6])

  hanging.answers(() => new Response())
  hung.resolve(new Response())
  await until(stuck.deliveries, ({ deliveries }) => deliveries.filter(({ state }) => all(state)).length === 6)
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
