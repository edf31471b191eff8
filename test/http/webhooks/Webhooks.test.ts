import { describe, expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { WebhookEventType } from "../../../src/domain/webhook/WebhookEvent.ts"
import { until } from "../../lib/Client.ts"
import { type Asked, startEndpoint } from "../../lib/Endpoint.ts"
import { DeliveryBounds } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { WebhookTimeout } from "../../../src/outbound/WebhookSender.ts"
import { startServer } from "../../lib/TestServer.ts"
import { expectDocumented, hooksPath, newWebhook, verified } from "../../lib/Webhooks.ts"

const server = await startServer(
  {
    RATE_LIMIT: "off",
    TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
  },
  Context.make(WebhookTimeout, "60 seconds").pipe(
    Context.add(DeliveryBounds, {
      ...DeliveryBounds.defaultValue(),
      tries: ["100 millis", "200 millis", "300 millis"],
    }),
  ),
)
const { client } = server
const endpoint = startEndpoint()
const ok = () => new Response(null, { status: 204 })
const unavailable = () => new Response("Later.", { status: 500 })

/** An address that no other test uses, with the requests to it. */
const newAddress = (answer: (asked: Asked) => Response) => {
  const path = `/${crypto.randomUUID()}?tenant=1`
  const asked = () => endpoint.asked.filter((one) => one.path === path)
  endpoint.answers((one) => (one.path === path ? answer(one) : ok()))
  return {
    url: endpoint.url + path,
    path,
    asked,
    received: (count: number) =>
      until(
        async () => asked(),
        (all) => all.length >= count,
      ),
  }
}
const typeOf = ({ body }: Asked): string => JSON.parse(body).type

describe("an event of each type is sent once, signed, and as the documentation says", () => {
  test("for what a chatbot, its documents, conversations and budgets do", async () => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    const address = newAddress(ok)
    const hook = await newWebhook(owner, address.url, WebhookEventType.literals)
    await owner.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: "Better" } })
    await owner.upload(chatbot.id, { "tides.txt": "The tide turns at noon.", "broken.json": "{" })
    const { session_id } = await owner.chat(chatbot.id, "When does the tide turn?")
    const message_id = (await owner.messages(chatbot.id, session_id))[1]?.id
    const feedback = `/api/external/chatbot/${chatbot.id}/conversations/${session_id}/messages/${message_id}/feedback`
    expect((await owner.post(feedback, { json: { rating: "up", comment: "Yes" } })).status).toBe(200)
    await owner.post(feedback, { json: { rating: "up", comment: "Yes" } })
    await owner.post(feedback, { json: { rating: null } })
    const { client: poor } = await owner.newKey({ scopes: ["chat"], chatbot_id: chatbot.id })
    const keys = Object((await owner.get("/api/admin/api-keys")).body).api_keys
    const { id } = keys.find((key: { readonly chatbot_id: string | null }) => key.chatbot_id === chatbot.id)
    await client.patch(`/api/admin/api-keys/${id}`, { json: { budget: { tokens_per_day: 1 } } })
    await poor.chat(chatbot.id, "Hello there, what is it?")
    expect([(await poor.say(chatbot.id, "And now?")).status, (await poor.say(chatbot.id, "Now?")).status]).toEqual([
      429, 429,
    ])

    const expected = {
      "chatbot.updated": 1,
      "document.ready": 1,
      "document.failed": 1,
      "conversation.created": 2,
      "message.created": 4,
      "budget.spent": 1,
    }
    await address.received(10)
    const { deliveries } = await until(hook.deliveries, (page) =>
      page.deliveries.every(({ state }) => state !== "waiting"),
    )
    const asked = address.asked()
    // The rating was taken back, perhaps before it was sent: then nothing is left of it.
    const counted = Object.groupBy(deliveries, ({ type }) => type)
    const counts = Object.fromEntries(Object.entries(counted).map(([type, some]) => [type, some?.length]))
    expect({ "feedback.created": 1, ...counts }).toEqual({ ...expected, "feedback.created": 1 })
    expect(deliveries.filter(({ state }) => state === "failed")).toEqual([])
    for (const one of asked) {
      const event = verified(one, hook.secret)
      expectDocumented(event)
      expect([one.method, one.path, one.headers.get("content-type")]).toEqual([
        "POST",
        address.path,
        "application/json",
      ])
    }
    expect(new Set(asked.map(({ headers }) => headers.get("webhook-id"))).size).toBe(asked.length)
    const ofConversation = asked.filter(({ body }) => body.includes(session_id)).map(typeOf)
    expect(ofConversation.filter((type) => type !== "feedback.created").toSorted()).toEqual([
      "conversation.created",
      "message.created",
      "message.created",
    ])
  })

  test("only those that the webhook chooses, of its chatbot, while it is active", async () => {
    const owner = await client.newOrganization()
    const [one, other] = [await owner.newChatbot({ slug: "one" }), await owner.newChatbot({ slug: "other" })]
    const hook = await newWebhook(owner, newAddress(ok).url, ["message.created"], { chatbot_id: one.id })
    await owner.chat(other.id, "Hello")
    await owner.chat(one.id, "Hello")
    await owner.patch(hook.path, { json: { active: false } })
    await owner.chat(one.id, "Hello again")
    await owner.patch(hook.path, { json: { active: true } })
    const { deliveries } = await hook.deliveries()
    expect(deliveries.map(({ type }) => type)).toEqual(["message.created", "message.created"])
  })
})

describe("an endpoint that fails", () => {
  test("gets the same event again, with the same id, until it accepts it", async () => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    let failures = 2
    let refused: string | null = null
    const address = newAddress(({ headers }) => {
      const id = headers.get("webhook-id")
      refused ??= id
      return id === refused && failures-- > 0 ? unavailable() : ok()
    })
    const hook = await newWebhook(owner, address.url, ["message.created"])
    await owner.chat(chatbot.id, "One")
    await until(hook.deliveries, ({ deliveries }) => deliveries.every(({ state }) => state === "delivered"))
    const ids = address.asked().map(({ headers }) => headers.get("webhook-id"))
    const { deliveries } = await hook.deliveries()
    const again = deliveries.find(({ attempts }) => attempts === 3)
    expect([again?.response_status, again?.error]).toEqual([204, null])
    expect(ids.filter((id) => id === again?.id)).toHaveLength(3)
  })

  test("is switched off when every attempt has failed, with its answers in the list; then all can be sent again", async () => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    let answer = unavailable
    const address = newAddress(() => answer())
    const hook = await newWebhook(owner, address.url, ["chatbot.updated"])
    await owner.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: "Better" } })
    const off = await until(hook.get, ({ active, waiting }) => !active && waiting === 0)
    expect([off.switched_off, off.waiting]).toEqual(["failing", 0])
    const [delivery] = (await hook.deliveries("?state=failed")).deliveries
    expect(delivery).toMatchObject({ attempts: 4, response_status: 500, response: "Later.", due_at: null })
    const resend = `${hook.path}/deliveries/resend`
    const since = { json: { since: "2026-01-01T00:00:00Z" } }
    expect((await owner.post(resend, since)).status).toBe(409)
    const log = await owner.get(`/api/admin/audit-log?target_id=${hook.id}`)
    expect(Object(log.body).entries.map((entry: { action: string }) => entry.action)).toEqual([
      "webhook.switched_off",
      "webhook.created",
    ])

    answer = ok
    await owner.patch(hook.path, { json: { active: true } })
    expect((await owner.post(resend, since)).body).toEqual({ resent: 1 })
    expect((await address.received(5))[4]?.headers.get("webhook-id")).toBe(delivery?.id)
    await until(hook.deliveries, ({ deliveries: [only] }) => only?.state === "delivered")
    expect((await owner.post(`${hook.path}/deliveries/${delivery?.id}/resend`)).status).toBe(200)
    await address.received(6)
  })

  test.each([
    ["answers 410, is switched off at once", () => new Response("Gone", { status: 410 }), "gone"],
    ["redirects, is not followed", () => Response.redirect("http://127.0.0.1:1/", 302), "failing"],
  ] as const)("that %s", async (_, answer, why) => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    const hook = await newWebhook(owner, newAddress(answer).url, ["chatbot.updated"])
    await owner.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { description: "Better" } })
    expect((await until(hook.get, ({ active }) => !active)).switched_off).toBe(why)
  })
})

test("a rotated secret signs beside the one before, which is valid for a day", async () => {
  const owner = await client.newOrganization()
  const address = newAddress(() => new Response("Received."))
  const hook = await newWebhook(owner, address.url, ["chatbot.updated"])
  const rotated = Object((await owner.post(`${hook.path}/rotate`)).body)
  expect(rotated.webhook.old_secret_until).toBeString()
  const { body } = await owner.post(`${hook.path}/test`)
  expect(Object(body).test).toMatchObject({
    is_delivered: true,
    response_status: 200,
    response: "Received.",
    error: null,
  })
  const [asked] = await address.received(1)
  if (asked === undefined) return expect.unreachable()
  expect(verified(asked, hook.secret)).toMatchObject({ type: "webhook.test", data: { webhook_id: hook.id } })
  verified(asked, rotated.secret)
  expect(() => verified(asked, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")).toThrow()
})

test("deliveries are listed in pages, and those of a conversation go with it", async () => {
  const owner = await client.newOrganization()
  const chatbot = await owner.newChatbot()
  const hook = await newWebhook(owner, newAddress(({ body }) => new Response(body)).url, ["message.created"])
  const { session_id } = await owner.chat(chatbot.id, "I am Ada")
  await until(hook.deliveries, ({ deliveries }) => deliveries.filter(({ state }) => state === "delivered").length === 2)
  const first = await hook.deliveries("?limit=1")
  const second = await hook.deliveries(`?limit=1&cursor=${first.next_cursor}`)
  const both = [...first.deliveries, ...second.deliveries]
  expect([new Set(both.map(({ id }) => id)).size, second.next_cursor]).toEqual([2, null])
  expect(second.deliveries[0]?.response).toContain("I am Ada")
  expect(both.map(({ response }) => JSON.parse(response ?? "").data.written_by)).toEqual(["rule", null])
  await owner.delete(`/api/external/chatbot/${chatbot.id}/conversations/${session_id}`)
  expect((await hook.deliveries()).deliveries).toEqual([])
})

test("a webhook that is deleted leaves no deliveries behind, also when its chatbot is deleted", async () => {
  const owner = await client.newOrganization()
  const chatbot = await owner.newChatbot()
  const hooks = [
    await newWebhook(owner, endpoint.url, ["conversation.created"]),
    await newWebhook(owner, endpoint.url, ["conversation.created"], { chatbot_id: chatbot.id }),
  ]
  await owner.chat(chatbot.id, "Hello")
  await owner.delete(`/api/external/chatbot/${chatbot.id}`)
  // The server looks for what deleted webhooks have left every hour, and when one is deleted by itself.
  await owner.delete(`/api/external/webhooks/${hooks[0]?.id}`)
  await until(
    () =>
      server.query(
        SystemSql.use((sql) =>
          Effect.map(
            sql`select id from webhook_deliveries where webhook_id = any(${hooks.map(({ id }) => id)}::uuid[])`,
            (rows) => rows.length,
          ),
        ),
      ),
    (count) => count === 0,
  )
})

describe("a key", () => {
  test("that may not read what events tell cannot have them sent", async () => {
    const owner = await client.newOrganization()
    const { client: limited } = await owner.newKey({ scopes: ["admin", "chatbots:read"] })
    const create = (events: ReadonlyArray<string>) => limited.post(hooksPath, { json: { url: endpoint.url, events } })
    expect((await create(["message.created"])).status).toBe(403)
    expect((await create(["chatbot.updated"])).status).toBe(201)
    const [hook] = Object((await limited.get(hooksPath)).body).webhooks
    expect((await limited.patch(`${hooksPath}/${hook.id}`, { json: { events: ["document.ready"] } })).status).toBe(403)
    expect((await (await owner.limitedTo("chatbots:read", "chatbots:write")).get(hooksPath)).status).toBe(403)
  })

  test("that may not read what events tell gets neither the secret that signs them nor their deliveries", async () => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    const address = newAddress(ok)
    const hook = await newWebhook(owner, address.url, ["message.created", "document.ready"])
    await owner.chat(chatbot.id, "When does the tide turn?")
    await address.received(2)
    const { deliveries } = await until(hook.deliveries, (page) =>
      page.deliveries.every(({ state }) => state === "delivered"),
    )
    const { client: limited } = await owner.newKey({ scopes: ["admin", "knowledge:read"] })
    const since = { json: { since: "2026-01-01T00:00:00Z" } }
    const statuses = async () => [
      (await limited.post(`${hook.path}/rotate`)).status,
      (await limited.get(`${hook.path}/deliveries`)).status,
      (await limited.post(`${hook.path}/deliveries/resend`, since)).status,
      (await limited.post(`${hook.path}/deliveries/${deliveries[0]?.id}/resend`)).status,
      (await limited.patch(hook.path, { json: { url: endpoint.url, events: ["document.ready"] } })).status,
    ]
    expect(await statuses()).toEqual([403, 403, 403, 403, 403])
    expect((await hook.get()).old_secret_until).toBeNull()

    // Once the webhook is sent other events, what it was sent before stays with those who may read it.
    await owner.patch(hook.path, { json: { events: ["document.ready"] } })
    await server.query(
      SystemSql.use(
        (sql) => sql`
          update webhook_deliveries set state = 'waiting', due_at = now() + interval '1 day' where webhook_id = ${hook.id}`,
      ),
    )
    expect(await statuses()).toEqual([200, 200, 200, 404, 403])
    expect((await limited.get(`${hook.path}/deliveries`)).body).toMatchObject({ deliveries: [] })
    expect((await hook.deliveries()).deliveries).toHaveLength(2)
  })

  test("that is bound to a chatbot makes and reaches webhooks of that chatbot only", async () => {
    const owner = await client.newOrganization()
    const chatbot = await owner.newChatbot()
    const wide = await newWebhook(owner, endpoint.url, ["chatbot.updated"])
    const { client: bound } = await owner.newKey({ chatbot_id: chatbot.id })
    const json = { url: endpoint.url, events: ["chatbot.updated"] }
    expect((await bound.post(hooksPath, { json })).status).toBe(403)
    const own = await newWebhook(bound, endpoint.url, ["chatbot.updated"], { chatbot_id: chatbot.id })
    expect(Object((await bound.get(hooksPath)).body).webhooks).toEqual([await own.get()])
    for (const path of [wide.path, `${wide.path}/deliveries`]) expect((await bound.get(path)).status).toBe(404)
    for (const what of ["rotate", "test", "deliveries/resend"]) {
      const reply = await bound.post(
        `${wide.path}/${what}`,
        what.endsWith("resend") ? { json: { since: "2026-01-01T00:00:00Z" } } : {},
      )
      expect([what, reply.status]).toEqual([what, 404])
    }
    expect((await bound.delete(wide.path)).status).toBe(404)
  })
})

test("an address that is private or no address is refused, and too many webhooks are", async () => {
  const owner = await client.newOrganization()
  const create = (url: string) => owner.post(hooksPath, { json: { url, events: ["budget.spent"] } })
  for (const url of [
    "http://10.0.0.1/",
    "http://[::1]/",
    "ftp://hooks.example/",
    "https://a:b@hooks.example/",
    "nowhere",
  ]) {
    expect([url, (await create(url)).status]).toEqual([url, 400])
  }
  const replies = await Promise.all(Array.from({ length: 21 }, () => create("https://hooks.example/")))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 20 }, () => 201), 409])
})
